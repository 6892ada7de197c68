#include "worker/messages.hpp"

#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

Document message_of(const Contender& contender) {
  Document node = {{"name", contender.name}};
  if (contender.config) {
    node["config"] = to_string(*contender.config);
  } else {
    node["algorithm"] = contender.reference_algorithm;
  }
  return node;
}

Contender contender_from(const Document& node) {
  Contender contender{.name = node.at("name").get<std::string>(), .config = std::nullopt};
  if (node.contains("config")) {
    contender.config = config_of(parse_config(node.at("config").get<std::string>()));
  } else {
    contender.reference_algorithm = node.at("algorithm").get<int>();
  }
  return contender;
}

Document message_of(const LaunchTime& time) {
  if (!time.lost.empty()) return time.lost;
  return Document::array({time.us, time.sm_mhz, time.watts});
}

LaunchTime time_from(const Document& node) {
  if (node.is_string()) return {.us = 0, .lost = node.get<std::string>()};
  return {.us = node.at(0).get<double>(),
          .sm_mhz = node.at(1).get<double>(),
          .watts = node.at(2).get<double>()};
}

Document message_of(const KernelTrace& trace) {
  Document records = Document::array();
  for (const TraceRecord& r : trace.records) {
    records.push_back({r.cta, r.sm, r.slot, r.m, r.n, r.inside, r.start_ns, r.end_ns, r.k_begin,
                       r.k_end, r.problem});
  }
  return records;
}

KernelTrace trace_from(const Document& node) {
  KernelTrace trace;
  for (const Document& r : node) {
    trace.records.push_back({.cta = r.at(0).get<int>(),
                             .sm = r.at(1).get<int>(),
                             .slot = r.at(2).get<int>(),
                             .m = r.at(3).get<int>(),
                             .n = r.at(4).get<int>(),
                             .inside = r.at(5).get<bool>(),
                             .start_ns = r.at(6).get<uint64_t>(),
                             .end_ns = r.at(7).get<uint64_t>(),
                             .k_begin = r.at(8).get<int>(),
                             .k_end = r.at(9).get<int>(),
                             .problem = r.at(10).get<int>()});
  }
  return trace;
}

std::string line_of(const Document& message) {
  return message.dump(-1, ' ', false, Document::error_handler_t::replace);
}

}  // namespace tilewright
