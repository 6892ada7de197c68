#include "layout/smem/pipeline_stages.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {

PipelineStages stages_of(const ComposedLayout& layout, std::string_view what) {
  const size_t modes = rank(layout.layout);
  if (modes == 2) return {.first = layout, .count = 1, .distance = std::nullopt, .alike = true};
  const Layout stage = modes == 3 ? mode(layout.layout, 2) : Layout{};
  if (modes != 3 || size(stage) > kMaxListed) {
    throw usage_error(
        format("{} has two modes, and perhaps a third, the stages of a pipeline, not "
               "{}: {}; L(_,_,_,0) is a slice",
               what, modes, to_string(layout)));
  }
  PipelineStages stages{
      .first = make_composed(layout.swizzle, layout.offset,
                             join_modes({mode(layout.layout, 0), mode(layout.layout, 1)})),
      .count = size(stage),
      .distance = std::nullopt,
      .alike = true};
  const Swizzle swizzle = layout.swizzle.value_or(Swizzle{});
  const int64_t period =
      swizzle.bits == 0 ? 1 : int64_t{1} << (swizzle.base + std::abs(swizzle.shift) + swizzle.bits);
  bool even = stages.count > 1;
  for (int64_t s = 1; s < stages.count; ++s) {
    const int64_t begin = offset_at(stage, s);
    even = even && begin == s * offset_at(stage, 1);
    stages.alike = stages.alike && begin % period == 0;
  }
  if (even) stages.distance = offset_at(stage, 1);
  return stages;
}

}  // namespace tilewright
