// Nested layouts in the words of CuTe and of Triton.
#pragma once

#include <cstdint>

#include "layout/algebra/layout.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/algebra/nested_layout.hpp"

namespace tilewright {

/// (threads, values) to the vector's elements, first dimension fastest, as CuTe's TV layouts; a
/// thread is its number in the workgroup. A subgroup may end within the threads that the layout
/// counts. Throws a usage error for numbers of threads or subgroups that do not divide a tile.
Layout thread_value_layout(const NestedLayout& layout, int64_t subgroup_size, int64_t subgroups);

/// Registers, lanes, warps and blocks (one) to dim0, dim1, ... Throws a usage error unless all
/// extents are powers of two.
LinearLayout linear_of(const NestedLayout& layout, int64_t subgroup_size, int64_t subgroups);

/// The vector in memory, last dimension fastest.
Layout row_major_layout(const Extents& shape);

}  // namespace tilewright
