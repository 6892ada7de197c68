#include "search/foreign_config.hpp"

#include "base/text.hpp"

namespace tilewright {

std::string to_string(const std::vector<AxisValue>& values) {
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const AxisValue& value : values) parts.push_back(format("{}={}", value.axis, value.value));
  return join(parts, ",");
}

std::string to_string(const ForeignConfig& config) {
  constexpr size_t kShownDigits = 12;
  return format("harness:{}@{}{}{}", config.harness, config.build.substr(0, kShownDigits),
                config.values.empty() ? "" : ",", to_string(config.values));
}

}  // namespace tilewright
