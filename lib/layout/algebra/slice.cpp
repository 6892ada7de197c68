#include "layout/algebra/slice.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

void append_free(const Layout& layout, const SliceCoordinate& at, std::vector<Layout>& kept) {
  if (at.is_free()) {
    kept.push_back(layout);
    return;
  }
  if (at.index) return;
  if (!layout.shape.is_tuple() || rank(layout) != at.modes.size()) {
    throw usage_error(format("a coordinate of {} modes, {}, for {} of {}: {}", at.modes.size(),
                             to_string(at), layout.shape.is_tuple() ? "a shape" : "an extent",
                             rank(layout), to_string(layout)));
  }
  for (size_t i = 0; i < at.modes.size(); ++i) append_free(mode(layout, i), at.modes[i], kept);
}

// The coordinate in `shape` that `strides` give to a number: (number / stride) % extent, as an
// index of each mode.
std::vector<IntTuple> place_of(const Layout& threads, int64_t number) {
  std::vector<IntTuple> place;
  for (const Layout& one : modes(threads)) {
    int64_t index = 0;
    int64_t below = 1;
    for (const Layout& digit : flat_modes(one)) {
      const int64_t stride = digit.stride.value();
      const int64_t extent = digit.shape.value();
      if (stride > 0) index += number / stride % extent * below;
      below *= extent;
    }
    place.emplace_back(index);
  }
  return place;
}

}  // namespace

bool has_free_mode(const SliceCoordinate& coordinate) {
  return coordinate.is_free() ||
         std::any_of(coordinate.modes.begin(), coordinate.modes.end(), has_free_mode);
}

IntTuple first_coordinate(const SliceCoordinate& coordinate) {
  if (coordinate.modes.empty()) return coordinate.index.value_or(0);
  std::vector<IntTuple> items;
  for (const SliceCoordinate& one : coordinate.modes) items.push_back(first_coordinate(one));
  return IntTuple(std::move(items));
}

std::string to_string(const SliceCoordinate& coordinate) {
  if (coordinate.is_free()) return "_";
  if (coordinate.index) return format("{}", *coordinate.index);
  std::vector<std::string> parts;
  for (const SliceCoordinate& one : coordinate.modes) parts.push_back(to_string(one));
  return format("({})", join(parts, ","));
}

LayoutPart slice(const Layout& layout, const SliceCoordinate& coordinate) {
  if (coordinate.is_free()) return {layout, 0};
  std::vector<Layout> kept;
  append_free(layout, coordinate, kept);
  const IntTuple begin = value_at(layout, first_coordinate(coordinate));
  return {kept.empty() ? Layout{} : join_modes(kept), begin};
}

LayoutPart local_tile(const Layout& layout, const Tiler& tiler, const SliceCoordinate& coordinate) {
  const Layout cut = zipped_divide(layout, tiler);
  const Layout tiles = mode(cut, 1);
  std::vector<Layout> kept = modes(mode(cut, 0));
  append_free(tiles, coordinate, kept);
  return {join_modes(kept), value_at(tiles, first_coordinate(coordinate))};
}

LayoutPart local_partition(const Layout& layout, const Layout& threads, int64_t index) {
  if (has_basis(threads)) {
    throw usage_error(
        format("local_partition: {} maps to coordinates, not to threads", to_string(threads)));
  }
  const Layout cut = zipped_divide(layout, tiler_of(product_each(threads.shape)));
  const IntTuple place = threads.shape.is_tuple() ? IntTuple(place_of(threads, index))
                                                  : place_of(threads, index).front();
  return {join_modes(modes(mode(cut, 1))), value_at(mode(cut, 0), place)};
}

}  // namespace tilewright
