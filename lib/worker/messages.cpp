#include "worker/messages.hpp"

namespace tilewright {

Document message_of(const KernelTrace& trace) {
  Document records = Document::array();
  for (const TraceRecord& record : trace.records) records.push_back(row_of(record));
  Document message = {{"records", std::move(records)}};
  if (trace.second) message["second"] = {trace.second->start_ns, trace.second->end_ns};
  return message;
}

KernelTrace trace_from(const Document& node) {
  KernelTrace trace;
  for (const Document& row : node.at("records"))
    trace.records.push_back(record_from_row<TraceRecord>(row));
  if (const auto second = node.find("second"); second != node.end()) {
    trace.second = {second->at(0).get<uint64_t>(), second->at(1).get<uint64_t>()};
  }
  return trace;
}

Document message_of(const ForeignMapping& mapping) {
  Document tiles = Document::array();
  for (const TileCoord& tile : mapping.tiles) tiles.push_back(row_of(tile));
  return {{"tile_m", mapping.tile_m},
          {"tile_n", mapping.tile_n},
          {"tiles", tiles},
          {"why_not", mapping.why_not},
          {"cta",
           {mapping.cta.threads, mapping.cta.registers, mapping.cta.local_bytes,
            mapping.cta.shared_bytes}}};
}

ForeignMapping mapping_from(const Document& node) {
  ForeignMapping mapping{.tile_m = node.at("tile_m").get<int64_t>(),
                         .tile_n = node.at("tile_n").get<int64_t>(),
                         .tiles = {},
                         .why_not = node.at("why_not").get<std::string>()};
  for (const Document& row : node.at("tiles")) {
    mapping.tiles.push_back(record_from_row<TileCoord>(row));
  }
  const Document& cta = node.at("cta");
  mapping.cta = {.threads = cta.at(0).get<int>(),
                 .registers = cta.at(1).get<int>(),
                 .local_bytes = cta.at(2).get<int>(),
                 .shared_bytes = cta.at(3).get<int64_t>()};
  return mapping;
}

std::string line_of(const Document& message) {
  return message.dump(-1, ' ', false, Document::error_handler_t::replace);
}

}  // namespace tilewright
