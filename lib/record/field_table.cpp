#include "record/field_table.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

void require_range(const Node& node, NumberRange range) {
  if (range == NumberRange::Any || node.is_null()) return;
  if (!node.is_list()) {
    (void)node.number(range);
    return;
  }
  for (const Node& item : node.items()) require_range(item, range);
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

Document written(const std::vector<AxisValue>& values) {
  Document map = Document::object();
  for (const AxisValue& value : values) map[value.axis] = value.value;
  return map;
}

Document written(const Workload& workload) {
  return to_document(workload);
}

void read(const Node& node, Workload& workload) {
  workload = read_workload(node);
}

void read(const Node& node, Interval& value) {
  const std::vector<Node> ends = node.items();
  if (ends.size() != 2) throw node.fail(format("has {} numbers, not [low, high]", ends.size()));
  const double low = ends[0].number();
  const double high = ends[1].number();
  if (low > high) throw node.fail(format("begins at {}, above its end {}", low, high));
  value = {.low = low, .high = high};
}

void read(const Node& node, TileConfig& value) {
  std::vector<std::string> assignments;
  if (node.is_map()) {
    for (const auto& [key, part] : node.pairs()) assignments.push_back(key + "=" + part.word());
  } else {
    assignments.push_back(node.text());
  }
  ConfigRequest request;
  try {
    request = parse_config(join(assignments, ","));
  } catch (const Error& error) {
    throw node.fail(error.what());
  }
  if (const auto key = missing_key(request)) {
    throw node.fail(format("lacks the config key '{}'", *key));
  }
  value = config_of(request);
}

void read(const Node& node, Objective& value) {
  value = node.parsed_by(parse_objective);
}

void read(const Node& node, AlgorithmBits& value) {
  value = node.parsed_by(parse_algorithm_bits);
}

void read(const Node& node, std::map<std::string, int64_t>& value) {
  for (const auto& [key, count] : node.pairs()) value[key] = count.count();
}

void read(const Node& node, std::vector<AxisValue>& values) {
  for (const auto& [axis, value] : node.pairs()) values.push_back({axis, value.integer()});
}

}  // namespace field_value
}  // namespace tilewright
