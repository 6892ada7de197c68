#include "layout/algebra/layout.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

void require_congruent(const IntTuple& shape, const IntTuple& stride) {
  if (congruent(shape, stride)) return;
  throw usage_error(
      format("shape {} and stride {} do not have the same nesting: give one stride for each extent",
             to_string(shape), to_string(stride)));
}

void require_extents(const IntTuple& shape) {
  for (const IntTuple& leaf : leaves(shape)) {
    if (leaf.is_basis()) {
      throw usage_error(format("extent {} of shape {} is a basis vector; only strides may be one",
                               to_string(leaf), to_string(shape)));
    }
    if (leaf.value() < 1) {
      throw usage_error(
          format("extent {} of shape {} is not positive", to_string(leaf), to_string(shape)));
    }
  }
}

// Adds values of the codomain: integers, or coordinates.
IntTuple add(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple() && !b.is_tuple()) return checked_add(a.value(), b.value());
  if (!a.is_tuple() && a.value() == 0) return b;
  if (!b.is_tuple() && b.value() == 0) return a;
  if (!a.is_tuple() || !b.is_tuple()) {
    throw usage_error(format("the strides have different codomains: {} and {} cannot be added",
                             to_string(a), to_string(b)));
  }
  std::vector<IntTuple> items;
  for (size_t i = 0; i < std::max(a.rank(), b.rank()); ++i) {
    items.push_back(i >= a.rank() ? b[i] : i >= b.rank() ? a[i] : add(a[i], b[i]));
  }
  return IntTuple(std::move(items));
}

IntTuple scaled(int64_t coord, const IntTuple& stride) {
  IntTuple value = checked_mul(coord, stride.value());
  for (size_t i = stride.basis().size(); i > 0; --i) {
    std::vector<IntTuple> items(static_cast<size_t>(stride.basis()[i - 1]) + 1);
    items.back() = std::move(value);
    value = IntTuple(std::move(items));
  }
  return value;
}

IntTuple value_of_index(const IntTuple& shape, const IntTuple& stride, int64_t index) {
  if (!shape.is_tuple()) return scaled(index, stride);
  IntTuple sum;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const int64_t extent = product(shape[i]);
    const bool last = i + 1 == shape.rank();
    sum = add(sum, value_of_index(shape[i], stride[i], last ? index : index % extent));
    index /= extent;
  }
  return sum;
}

std::string out_of_range(const IntTuple& coord, const IntTuple& shape) {
  return format("coordinate {} is out of range of shape {}: an index is in [0, {})",
                to_string(coord), to_string(shape), product(shape));
}

IntTuple value_of(const Layout& layout, const IntTuple& coord, bool checked) {
  if (!coord.is_tuple()) {
    if (checked && (coord.value() < 0 || coord.value() >= product(layout.shape))) {
      throw usage_error(out_of_range(coord, layout.shape));
    }
    return value_of_index(layout.shape, layout.stride, coord.value());
  }
  if (!layout.shape.is_tuple() || coord.rank() != layout.shape.rank()) {
    throw usage_error(format("coordinate {} has {} modes and shape {} has {}", to_string(coord),
                             coord.rank(), to_string(layout.shape), layout.shape.rank()));
  }
  IntTuple sum;
  for (size_t i = 0; i < coord.rank(); ++i) {
    sum = add(sum, value_of(mode(layout, i), coord[i], checked));
  }
  return sum;
}

IntTuple compact_strides(const IntTuple& shape, int64_t& next) {
  if (!shape.is_tuple()) {
    const int64_t stride = shape.value() == 1 ? 0 : next;
    next = checked_mul(next, shape.value());
    return stride;
  }
  std::vector<IntTuple> strides;
  for (const IntTuple& item : shape.items()) strides.push_back(compact_strides(item, next));
  return IntTuple(std::move(strides));
}

// The mode that belongs to one integer of an order.
struct OrderedMode {
  int64_t rank = 0;
  int64_t extent = 1;
};

// Replaces every mode that has an integer in `order` by f(mode, integer).
IntTuple by_order(const IntTuple& shape, const IntTuple& order,
                  const std::function<IntTuple(const IntTuple&, int64_t)>& f) {
  if (!order.is_tuple()) return f(shape, order.value());
  if (!shape.is_tuple() || shape.rank() != order.rank()) {
    throw usage_error(format("order {} and shape {} do not have the same nesting", to_string(order),
                             to_string(shape)));
  }
  std::vector<IntTuple> items;
  for (size_t i = 0; i < order.rank(); ++i) items.push_back(by_order(shape[i], order[i], f));
  return IntTuple(std::move(items));
}

}  // namespace

Layout make_layout(IntTuple shape, IntTuple stride) {
  require_congruent(shape, stride);
  require_extents(shape);
  Layout layout{std::move(shape), std::move(stride)};
  size(layout);
  cosize(layout);
  return layout;
}

Layout compact_layout(const IntTuple& shape) {
  require_extents(shape);
  int64_t next = 1;
  return make_layout(shape, compact_strides(shape, next));
}

Layout ordered_layout(const IntTuple& shape, const IntTuple& order) {
  require_extents(shape);
  std::vector<OrderedMode> modes;
  const auto collect = [&](const IntTuple& extents, int64_t rank) -> IntTuple {
    modes.push_back({rank, product(extents)});
    return extents;
  };
  by_order(shape, order, collect);
  const auto place = [&](const IntTuple& extents, int64_t rank) -> IntTuple {
    int64_t next = 1;
    for (const OrderedMode& one : modes) {
      if (one.rank < rank) next = checked_mul(next, one.extent);
    }
    return compact_strides(extents, next);
  };
  return make_layout(shape, by_order(shape, order, place));
}

Layout join_modes(const std::vector<Layout>& modes) {
  std::vector<IntTuple> shapes;
  std::vector<IntTuple> strides;
  for (const Layout& one : modes) {
    shapes.push_back(one.shape);
    strides.push_back(one.stride);
  }
  return make_layout(IntTuple(std::move(shapes)), IntTuple(std::move(strides)));
}

Layout mode(const Layout& layout, size_t i) {
  return {layout.shape[i], layout.stride[i]};
}

std::vector<Layout> modes(const Layout& layout) {
  std::vector<Layout> all;
  for (size_t i = 0; i < rank(layout); ++i) all.push_back(mode(layout, i));
  return all;
}

std::vector<Layout> flat_modes(const Layout& layout) {
  const std::vector<IntTuple> shapes = leaves(layout.shape);
  const std::vector<IntTuple> strides = leaves(layout.stride);
  std::vector<Layout> all;
  for (size_t i = 0; i < shapes.size(); ++i) all.push_back({shapes[i], strides[i]});
  return all;
}

Layout from_flat(const std::vector<Layout>& modes) {
  if (modes.empty()) return {};
  return modes.size() == 1 ? modes[0] : join_modes(modes);
}

int64_t size(const Layout& layout) {
  return product(layout.shape);
}

int64_t cosize(const Layout& layout) {
  int64_t last = 0;
  for (const Layout& one : flat_modes(layout)) {
    const int64_t stride = checked_abs(one.stride.value());
    last = checked_add(last, checked_mul(one.shape.value() - 1, stride));
  }
  return checked_add(last, 1);
}

IntTuple coshape(const Layout& layout) {
  const IntTuple strides = map_leaves(layout.stride, [](const IntTuple& stride) {
    return IntTuple::scaled_basis(checked_abs(stride.value()), stride.basis());
  });
  const IntTuple last = value_of_index(layout.shape, strides, size(layout) - 1);
  return map_leaves(last, [](const IntTuple& leaf) { return checked_add(leaf.value(), 1); });
}

size_t rank(const Layout& layout) {
  return layout.shape.rank();
}

int depth(const Layout& layout) {
  return depth(layout.shape);
}

std::string to_string(const Layout& layout) {
  return to_string(layout.shape) + ":" + to_string(layout.stride);
}

bool has_basis(const Layout& layout) {
  return has_basis(layout.stride);
}

int64_t offset_at(const Layout& layout, const IntTuple& coord) {
  const IntTuple value = value_at(layout, coord);
  if (value.is_tuple() || has_basis(layout)) {
    throw usage_error(format("{} maps to coordinates, not to offsets", to_string(layout)));
  }
  return value.value();
}

IntTuple value_at(const Layout& layout, const IntTuple& coord, bool checked) {
  return value_of(layout, coord, checked);
}

IntTuple coordinate_at(const IntTuple& shape, int64_t index) {
  if (!shape.is_tuple()) return index;
  std::vector<IntTuple> coords;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const int64_t extent = product(shape[i]);
    const bool last = i + 1 == shape.rank();
    coords.push_back(coordinate_at(shape[i], last ? index : index % extent));
    index /= extent;
  }
  return IntTuple(std::move(coords));
}

int64_t index_at(const IntTuple& shape, const IntTuple& coord) {
  return offset_at(compact_layout(shape), coord);
}

}  // namespace tilewright
