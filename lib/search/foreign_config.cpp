#include "search/foreign_config.hpp"

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kPrefix = "harness:";

}  // namespace

std::string to_string(const std::vector<AxisValue>& values) {
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const AxisValue& value : values) parts.push_back(format("{}={}", value.axis, value.value));
  return join(parts, ",");
}

std::string to_string(const ForeignConfig& config) {
  constexpr size_t kShownDigits = 12;
  return format("{}{}{}{}{}{}", kPrefix, config.harness, config.build.empty() ? "" : "@",
                config.build.substr(0, kShownDigits), config.values.empty() ? "" : ",",
                to_string(config.values));
}

bool is_foreign_name(std::string_view name) {
  return name.starts_with(kPrefix);
}

}  // namespace tilewright
