#include "worker/messages.hpp"

#include <limits>

namespace tilewright {
namespace {

// A coordinate may be wrong, below 0 too.
int coordinate_from(const Node& node) {
  const int64_t value = node.integer();
  if (std::in_range<int>(value)) return static_cast<int>(value);
  throw node.fail("is no coordinate");
}

}  // namespace

Document message_of(const ForeignConfig& config) {
  Document values = Document::array();
  for (const AxisValue& one : config.values) {
    values.push_back({{"axis", one.axis}, {"value", one.value}});
  }
  return {{"harness", config.harness},
          {"file", config.file},
          {"build", config.build},
          {"values", values}};
}

ForeignConfig foreign_config_from(const Node& node) {
  ForeignConfig config{.harness = node.at("harness").text(),
                       .file = node.at("file").text(),
                       .build = node.at("build").text()};
  for (const Node& one : node.at("values").items()) {
    config.values.push_back({one.at("axis").text(), one.at("value").integer()});
  }
  return config;
}

Document message_of(const KernelTrace& trace) {
  Document records = Document::array();
  for (const TraceRecord& record : trace.records) records.push_back(row_of(record));
  Document message = {{"records", std::move(records)}};
  if (trace.second) message["second"] = {trace.second->start_ns, trace.second->end_ns};
  return message;
}

KernelTrace trace_from(const Node& node) {
  KernelTrace trace;
  for (const Node& row : node.at("records").items()) {
    trace.records.push_back(record_from_row<TraceRecord>(row));
  }
  if (const auto second = node.find("second")) {
    const std::vector<Node> times = second->items(2);
    trace.second = {static_cast<uint64_t>(times[0].count()),
                    static_cast<uint64_t>(times[1].count())};
  }
  return trace;
}

Document message_of(const ForeignMapping& mapping) {
  Document tiles = Document::array();
  for (const TileCoord& tile : mapping.tiles) tiles.push_back({tile.m, tile.n});
  return {{"tile_m", mapping.tile_m},
          {"tile_n", mapping.tile_n},
          {"tiles", tiles},
          {"why_not", mapping.why_not},
          {"cta",
           {mapping.cta.threads, mapping.cta.registers, mapping.cta.local_bytes,
            mapping.cta.shared_bytes}}};
}

ForeignMapping mapping_from(const Node& node) {
  ForeignMapping mapping{.tile_m = node.at("tile_m").integer(),
                         .tile_n = node.at("tile_n").integer(),
                         .tiles = {},
                         .why_not = node.at("why_not").text()};
  for (const Node& row : node.at("tiles").items()) {
    const std::vector<Node> tile = row.items(2);
    mapping.tiles.push_back({coordinate_from(tile[0]), coordinate_from(tile[1])});
  }
  const std::vector<Node> cta = node.at("cta").items(4);
  mapping.cta = {.threads = cta[0].small_count(),
                 .registers = cta[1].small_count(),
                 .local_bytes = cta[2].small_count(),
                 .shared_bytes = cta[3].count()};
  return mapping;
}

std::string line_of(const Document& message) {
  return message.dump(-1, ' ', false, Document::error_handler_t::replace);
}

}  // namespace tilewright
