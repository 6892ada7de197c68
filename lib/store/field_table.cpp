#include "store/field_table.hpp"

#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright::field_value {

Document written(const Interval& interval) {
  return Document::array({interval.low, interval.high});
}

Document written(const TileConfig& config) {
  return to_string(config);
}

Document written(Objective objective) {
  return kObjectives[static_cast<size_t>(objective)];
}

Document written(const AlgorithmBits& bits) {
  return to_string(bits);
}

void read(const YamlReader& node, Interval& value) {
  const std::vector<YamlReader> ends = node.items();
  if (ends.size() != 2) throw node.fail(format("has {} numbers, not [low, high]", ends.size()));
  value = {.low = ends[0].number(), .high = ends[1].number()};
}

void read(const YamlReader& node, TileConfig& value) {
  value = read_config(node);
}

void read(const YamlReader& node, Objective& value) {
  value = node.parsed_by(parse_objective);
}

void read(const YamlReader& node, AlgorithmBits& value) {
  value = node.parsed_by(parse_algorithm_bits);
}

void read(const YamlReader& node, std::map<std::string, int64_t>& value) {
  for (const auto& [key, count] : node.pairs()) value[key] = count.count();
}

void read(const Document& node, Interval& value) {
  value = {.low = node.at(0).get<double>(), .high = node.at(1).get<double>()};
}

void read(const Document& node, TileConfig& value) {
  value = config_of(parse_config(node.get<std::string>()));
}

void read(const Document& node, Objective& value) {
  value = parse_objective(node.get<std::string>());
}

void read(const Document& node, AlgorithmBits& value) {
  value = parse_algorithm_bits(node.get<std::string>());
}

}  // namespace tilewright::field_value
