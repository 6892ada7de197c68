#include "nested_subject.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

Extents parse_extents(const std::string& text) {
  Extents shape;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<int64_t> extent = parse_count(part);
    if (!extent) throw usage_error(format("--shape '{}' is not such as 64x64", text));
    shape.push_back(*extent);
  }
  return shape;
}

}  // namespace

NestedReport report_nested(const NestedOptions& o) {
  const NestedLayout layout = parse_nested_layout(o.text);
  if (!o.shape.empty()) require_shape(layout, parse_extents(o.shape));
  const std::optional<int64_t> thread = o.thread < 0 ? std::nullopt : std::optional(o.thread);
  return report_nested(layout, {.subgroup_size = o.subgroup_size, .subgroups = o.subgroups},
                       thread);
}

}  // namespace tilewright
