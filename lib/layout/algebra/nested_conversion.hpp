// Converts nested layouts to layouts of CuTe and of Triton.
#pragma once

#include <cstdint>

#include "layout/algebra/layout.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/algebra/nested_layout.hpp"

namespace tilewright {

/// Maps (thread, value) to the vector's elements, first dimension fastest, as CuTe's TV layouts do;
/// a thread is its id in the workgroup. A subgroup may end within the layout's thread tile. Throws
/// a usage error for numbers of threads or subgroups that do not divide a tile.
Layout thread_value_layout(const NestedLayout& layout, int64_t subgroup_size, int64_t subgroups);

/// Maps registers, lanes, warps and blocks (one) to dim0, dim1, ... Throws a usage error unless all
/// extents are powers of two.
LinearLayout linear_of(const NestedLayout& layout, int64_t subgroup_size, int64_t subgroups);

/// The layout of the vector in memory, last dimension fastest.
Layout row_major_layout(const Extents& shape);

}  // namespace tilewright
