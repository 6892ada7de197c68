// Makes layouts from shapes, from other layouts and from their modes, as CuTe's constructors do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/int_tuple.hpp"
#include "layout/algebra/layout.hpp"

namespace tilewright {

/// Throws a usage error if an order, or strides that define one, has basis vectors.
void require_order(const IntTuple& order);

/// Compact, last mode fastest.
Layout row_major_layout(const IntTuple& shape);
/// Compact, its modes in the order of the strides of `layout`; strides of 0 stay.
Layout layout_like(const Layout& layout);
/// A register layout for the elements of `layout`: mode 0 is compact from stride 1, the other modes
/// follow in the order of their strides.
Layout fragment_like(const Layout& layout, Derivation* why = nullptr);
/// Every coordinate maps to itself.
Layout identity_layout(const IntTuple& shape);
/// The same strides, with extent 1 for every stride 0.
Layout filter_zeros(const Layout& layout);

/// Appends copies of `item` until there are `rank` modes. Here and in the functions below an
/// integer counts as one mode, and a usage error names the mode that the tuple lacks.
IntTuple append(const IntTuple& tuple, const IntTuple& item, size_t rank);
/// Prepends copies of `item` until there are `rank` modes.
IntTuple prepend(const IntTuple& tuple, const IntTuple& item, size_t rank);
/// The modes [begin, end) as one mode.
IntTuple group_modes(const IntTuple& tuple, size_t begin, size_t end);
/// The modes [begin, end) alone.
IntTuple take_modes(const IntTuple& tuple, size_t begin, size_t end);
/// The modes named, in that order.
IntTuple select_modes(const IntTuple& tuple, const std::vector<size_t>& modes);
/// Mode path[0], inside it mode path[1], and so on.
IntTuple mode_at(const IntTuple& tuple, const std::vector<size_t>& path);
/// All integers as one flat tuple; an integer stays one.
IntTuple flatten(const IntTuple& tuple);

}  // namespace tilewright
