#include "store/origin_differences.hpp"

#include <cstdint>
#include <map>

#include "base/text.hpp"
#include "search/runner.hpp"

namespace tilewright {
namespace {

struct Part {
  std::string_view name;
  std::string (*of)(const Origin&);
};

constexpr Part kParts[] = {
    {"driver", [](const Origin& o) { return o.software.driver; }},
    {"library", [](const Origin& o) { return o.software.library; }},
    {"compiler", [](const Origin& o) { return o.software.compiler; }},
    {"runtime", [](const Origin& o) { return o.software.runtime; }},
    {"timer", [](const Origin& o) { return o.method.timer; }},
    {"regime",
     [](const Origin& o) {
       return std::string(kRegimes[static_cast<size_t>(regime_of(o.method))]);
     }},
    {"tilewright", [](const Origin& o) { return o.tool_version; }},
};

std::string shown(const std::string& version) {
  return version.empty() ? kUnknownVersion : version;
}

}  // namespace

std::vector<OriginDifference> origin_differences(const Origin& before, const Origin& now) {
  std::vector<OriginDifference> differences;
  for (const Part& part : kParts) {
    if (part.of(before) == part.of(now)) continue;
    differences.push_back({part.name, shown(part.of(before)), shown(part.of(now))});
  }
  return differences;
}

std::vector<std::string> origin_differences(const std::vector<Origin>& origins) {
  std::vector<std::string> lines;
  for (const Part& part : kParts) {
    std::map<std::string, int64_t> counts;
    for (const Origin& origin : origins) ++counts[part.of(origin)];
    if (counts.size() < 2) continue;
    std::vector<std::string> values;
    values.reserve(counts.size());
    for (const auto& [value, count] : counts) {
      values.push_back(format("{} ({} answer{})", shown(value), count, count == 1 ? "" : "s"));
    }
    lines.push_back(format("the answers' {} differs: {}", part.name, join(values, ", ")));
  }
  return lines;
}

}  // namespace tilewright
