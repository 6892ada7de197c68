#include "store/field_table.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

void require_range(const YamlReader& node, NumberRange range) {
  if (range == NumberRange::Any) return;
  if (!node.is_list()) {
    (void)node.number(range);
    return;
  }
  for (const YamlReader& item : node.items()) require_range(item, range);
}

void require_range(const Document& node, std::string_view key, NumberRange range) {
  if (range == NumberRange::Any || node.is_null()) return;
  if (node.is_array()) {
    for (const Document& item : node) require_range(item, key, range);
    return;
  }
  const auto value = node.get<double>();
  if (holds(range, value)) return;
  throw usage_error(format("{} should be {}, and is {}", key, range_words(range), value));
}

namespace field_value {

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
  const double low = ends[0].number();
  const double high = ends[1].number();
  if (low > high) throw node.fail(format("begins at {}, above its end {}", low, high));
  value = {.low = low, .high = high};
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
  if (value.low > value.high) {
    throw usage_error(format("begins at {}, above its end {}", value.low, value.high));
  }
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

}  // namespace field_value
}  // namespace tilewright
