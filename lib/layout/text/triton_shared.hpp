// Triton's attributes of shared memory: which offset holds which element of a tensor.
#pragma once

#include <vector>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/text/triton_attribute.hpp"

namespace tilewright {

/// Inputs are offset and block. Throw a usage error that names the key.
LinearLayout swizzled_shared(const TritonAttribute& a);
/// Without a tensor the smallest tile: 8 rows as wide as the swizzle.
LinearLayout nvmma_shared(TritonAttribute a);
/// The layout before the paddings.
LinearLayout padded_shared(TritonAttribute a);

/// The offsets with the paddings before them. Throws a usage error for a layout with a swizzle.
ComposedLayout padded(const ComposedLayout& layout, const std::vector<SharedPadding>& paddings);

}  // namespace tilewright
