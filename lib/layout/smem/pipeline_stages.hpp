// A shared-memory layout whose third mode is the stage of a pipeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// The first stage, in two modes, and where the others begin, in elements.
struct PipelineStages {
  ComposedLayout first;
  int64_t count = 1;
  std::optional<int64_t> distance;  // of neighbours; nothing for one stage or uneven ones
  bool alike = true;                // no stage's distance changes what the swizzle does
  bool operator==(const PipelineStages&) const = default;
};

/// A layout of two modes is its only stage. Throws a usage error that begins with `what` for
/// another number of modes.
PipelineStages stages_of(const ComposedLayout& layout, std::string_view what);

}  // namespace tilewright
