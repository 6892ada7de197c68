// Triton's shared-memory attributes as linear layouts: which offset holds which element.
#pragma once

#include <vector>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/text/triton_attribute.hpp"

namespace tilewright {

/// These layouts map (offset, block) to an element. They throw a usage error that names the key.
LinearLayout swizzled_shared(const TritonAttribute& a);
/// Without a tensor the smallest tile: 8 rows as wide as the swizzle.
LinearLayout nvmma_shared(TritonAttribute a);
/// The layout without its paddings.
LinearLayout padded_shared(TritonAttribute a);

/// The layout with each offset moved by the paddings before it. Throws a usage error for a layout
/// with a swizzle.
ComposedLayout padded(const ComposedLayout& layout, const std::vector<SharedPadding>& paddings);

}  // namespace tilewright
