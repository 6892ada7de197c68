#include "layout/algebra/construct.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {
namespace {

// Replaces extents by 1 if their stride is 0.
IntTuple moving_extents(const IntTuple& shape, const IntTuple& stride) {
  if (!shape.is_tuple()) return stride == IntTuple(0) ? IntTuple(1) : shape;
  std::vector<IntTuple> extents;
  for (size_t i = 0; i < shape.rank(); ++i) extents.push_back(moving_extents(shape[i], stride[i]));
  return IntTuple(std::move(extents));
}

// NOLINTNEXTLINE(misc-no-recursion)
IntTuple basis_strides(const IntTuple& shape, std::vector<int>& path) {
  if (!shape.is_tuple()) return IntTuple::scaled_basis(1, path);
  std::vector<IntTuple> strides;
  for (size_t i = 0; i < shape.rank(); ++i) {
    path.push_back(static_cast<int>(i));
    strides.push_back(basis_strides(shape[i], path));
    path.pop_back();
  }
  return IntTuple(std::move(strides));
}

std::vector<IntTuple> modes_of(const IntTuple& tuple) {
  return tuple.is_tuple() ? tuple.items() : std::vector<IntTuple>{tuple};
}

void require_mode(const IntTuple& tuple, size_t mode) {
  if (mode < tuple.rank()) return;
  throw usage_error(format("mode {} of {}, which has {}", mode, to_string(tuple), tuple.rank()));
}

void require_range(const IntTuple& tuple, size_t begin, size_t end) {
  if (begin < end && end <= tuple.rank()) return;
  throw usage_error(format("modes {} up to {} of {} are not a range of its {}", begin, end,
                           to_string(tuple), tuple.rank()));
}

// The number of copies of `item` that give `tuple` `rank` modes.
size_t missing_modes(const IntTuple& tuple, const IntTuple& item, size_t rank) {
  if (rank < tuple.rank()) {
    throw usage_error(
        format("{} has {} modes, more than {}", to_string(tuple), tuple.rank(), rank));
  }
  const size_t missing = rank - tuple.rank();
  const int64_t room = kMaxLeaves - leaf_count(tuple);
  if (static_cast<int64_t>(missing) > room / leaf_count(item)) {
    throw usage_error(format("{} with {} more modes has more than {} integers", to_string(tuple),
                             missing, kMaxLeaves));
  }
  return missing;
}

}  // namespace

void require_order(const IntTuple& order) {
  if (!has_basis(order)) return;
  throw usage_error(
      format("{} has basis vectors, which have no order: an order consists of integers",
             to_string(order)));
}

Layout row_major_layout(const IntTuple& shape) {
  int64_t rank = leaf_count(shape);
  return ordered_layout(shape,
                        map_leaves(shape, [&rank](const IntTuple&) { return IntTuple(--rank); }));
}

Layout layout_like(const Layout& layout) {
  require_order(layout.stride);
  const IntTuple extents = moving_extents(layout.shape, layout.stride);
  return make_layout(layout.shape, ordered_layout(extents, layout.stride).stride);
}

Layout fragment_like(const Layout& layout, Derivation* why) {
  require_order(layout.stride);
  if (rank(layout) < 2) return compact_layout(layout.shape);
  const Layout first = mode(layout, 0);
  const IntTuple strides = compact_layout(moving_extents(first.shape, first.stride)).stride;
  Tiler rest;
  rest.layout = ordered_layout(take_modes(layout.shape, 1, rank(layout)),
                               take_modes(layout.stride, 1, rank(layout)));
  return tiled_product(make_layout(first.shape, strides), rest, why);
}

Layout identity_layout(const IntTuple& shape) {
  std::vector<int> path;
  return make_layout(shape, basis_strides(shape, path));
}

Layout filter_zeros(const Layout& layout) {
  return make_layout(moving_extents(layout.shape, layout.stride), layout.stride);
}

IntTuple append(const IntTuple& tuple, const IntTuple& item, size_t rank) {
  if (missing_modes(tuple, item, rank) == 0) return tuple;
  std::vector<IntTuple> items = modes_of(tuple);
  items.resize(rank, item);
  return IntTuple(std::move(items));
}

IntTuple prepend(const IntTuple& tuple, const IntTuple& item, size_t rank) {
  const size_t missing = missing_modes(tuple, item, rank);
  if (missing == 0) return tuple;
  std::vector<IntTuple> items = modes_of(tuple);
  items.insert(items.begin(), missing, item);
  return IntTuple(std::move(items));
}

IntTuple group_modes(const IntTuple& tuple, size_t begin, size_t end) {
  require_range(tuple, begin, end);
  std::vector<IntTuple> items = modes_of(tuple);
  const auto at = items.begin() + static_cast<std::ptrdiff_t>(begin);
  items.insert(items.erase(at, items.begin() + static_cast<std::ptrdiff_t>(end)),
               take_modes(tuple, begin, end));
  return IntTuple(std::move(items));
}

IntTuple take_modes(const IntTuple& tuple, size_t begin, size_t end) {
  require_range(tuple, begin, end);
  const std::vector<IntTuple> items = modes_of(tuple);
  return IntTuple(std::vector<IntTuple>(items.begin() + static_cast<std::ptrdiff_t>(begin),
                                        items.begin() + static_cast<std::ptrdiff_t>(end)));
}

IntTuple select_modes(const IntTuple& tuple, const std::vector<size_t>& modes) {
  std::vector<IntTuple> items;
  for (const size_t i : modes) {
    require_mode(tuple, i);
    items.push_back(tuple[i]);
  }
  return IntTuple(std::move(items));
}

IntTuple mode_at(const IntTuple& tuple, const std::vector<size_t>& path) {
  IntTuple found = tuple;
  for (const size_t i : path) {
    require_mode(found, i);
    found = IntTuple(found[i]);
  }
  return found;
}

IntTuple flatten(const IntTuple& tuple) {
  return tuple.is_tuple() ? IntTuple(leaves(tuple)) : tuple;
}

}  // namespace tilewright
