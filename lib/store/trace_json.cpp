#include "store/trace_json.hpp"

#include <algorithm>

#include "store/best_document.hpp"
#include "store/document.hpp"
#include "store/node_values.hpp"

namespace tilewright {

std::string trace_json(const Problem& problem, const TileConfig& config, const KernelTrace& trace) {
  uint64_t begin = trace.records.empty() ? 0 : trace.records.front().start_ns;
  for (const TraceRecord& record : trace.records) begin = std::min(begin, record.start_ns);
  Document document = to_document(problem);
  document["config"] = to_string(config);
  document["slots"] =
      tw::slot_count<long long>(cluster_raster(config), cluster_grid(problem.shape, config));
  document["records"] = Document::array();
  for (const TraceRecord& r : trace.records) {
    document["records"].push_back({{"cta", r.cta},
                                   {"sm", r.sm},
                                   {"slot", r.slot},
                                   {"m", r.m},
                                   {"n", r.n},
                                   {"inside", r.inside},
                                   {"k_begin", r.k_begin},
                                   {"k_end", r.k_end},
                                   {"start_ns", r.start_ns - begin},
                                   {"end_ns", r.end_ns - begin}});
  }
  return to_json(document);
}

namespace {

TraceRecord read_record(const YamlReader& node) {
  const TraceRecord r{.cta = node.at("cta").small_count(),
                      .sm = node.at("sm").small_count(),
                      .slot = node.at("slot").small_count(),
                      .m = node.at("m").small_count(),
                      .n = node.at("n").small_count(),
                      .inside = node.at("inside").flag(),
                      .start_ns = static_cast<uint64_t>(node.at("start_ns").count()),
                      .end_ns = static_cast<uint64_t>(node.at("end_ns").count())};
  if (r.end_ns < r.start_ns) throw node.fail("ends before it starts");
  return r;
}

}  // namespace

RecordedTrace read_trace(std::string_view text, const std::string& source) {
  const YamlReader file = YamlReader::parse(text, source);
  RecordedTrace recorded{
      .problem = read_problem(file), .config = read_config(file.at("config")), .trace = {}};
  const YamlReader records = file.at("records");
  for (const YamlReader& node : records.items()) {
    recorded.trace.records.push_back(read_record(node));
  }
  if (recorded.trace.records.empty()) throw records.fail("holds no records");
  return recorded;
}

}  // namespace tilewright
