// Layouts: functions from coordinates to offsets, as CuTe writes them, shape:stride.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/algebra/int_tuple.hpp"

namespace tilewright {

/// Maps a coordinate of `shape` to the sum of its integers times those of `stride`, in elements; a
/// single integer is the index of the coordinate in colexicographic order (first mode fastest).
struct Layout {
  IntTuple shape = 1;
  IntTuple stride = 0;  // congruent with shape
  bool operator==(const Layout&) const = default;
};

/// Checks congruence, positive extents, and that size and cosize fit in 64 bits. Throws a usage
/// error that names the mode.
Layout make_layout(IntTuple shape, IntTuple stride);
/// Compact, first mode fastest; modes of size 1 get stride 0.
Layout compact_layout(const IntTuple& shape);
/// CuTe's order: a mode's stride is the product of the extents of all modes with smaller integers
/// in `order`, so modes with equal integers overlap. One integer may order a whole nested mode; its
/// first sub-mode is then the fastest.
Layout ordered_layout(const IntTuple& shape, const IntTuple& order);
/// One mode for each layout.
Layout join_modes(const std::vector<Layout>& modes);

/// Mode i.
Layout mode(const Layout& layout, size_t i);
/// All modes in order.
std::vector<Layout> modes(const Layout& layout);
/// Every mode that is one integer and one stride, from left to right, as a flat list.
std::vector<Layout> flat_modes(const Layout& layout);
/// One mode itself, several modes as a flat layout, no mode as 1:0.
Layout from_flat(const std::vector<Layout>& modes);

int64_t size(const Layout& layout);
/// CuTe's codomain size: 1 + the sum of (extent - 1) * |stride|.
int64_t cosize(const Layout& layout);
/// The same as an extent for each coordinate that basis strides reach: (32,57) of (32,8):(1@0,8@1).
IntTuple coshape(const Layout& layout);
size_t rank(const Layout& layout);
int depth(const Layout& layout);
/// "(8,64):(64,1)".
std::string to_string(const Layout& layout);

/// True if the layout maps to coordinates instead of offsets.
bool has_basis(const Layout& layout);
/// The offset of a coordinate, or of an index in colexicographic order. Throws a usage error if it
/// is out of range or the strides are basis vectors.
int64_t offset_at(const Layout& layout, const IntTuple& coord);
/// The same for any strides; a layout with basis strides returns a coordinate. With `checked` false
/// the index may exceed the last mode's extent, as composition needs.
IntTuple value_at(const Layout& layout, const IntTuple& coord, bool checked = true);
/// The coordinate, congruent with `shape`, of an index in colexicographic order.
IntTuple coordinate_at(const IntTuple& shape, int64_t index);
/// The index of a coordinate in colexicographic order. Throws a usage error if it is out of range.
int64_t index_at(const IntTuple& shape, const IntTuple& coord);

}  // namespace tilewright
