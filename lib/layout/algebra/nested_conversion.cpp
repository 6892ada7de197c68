#include "layout/algebra/nested_conversion.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// Collects the modes of a layout, the fastest first; modes of size 1 are left out.
class Modes {
 public:
  void add(int64_t size, int64_t stride) {
    if (size == 1) return;
    shape_.emplace_back(size);
    stride_.emplace_back(stride);
  }
  Layout layout() && {
    if (shape_.empty()) return make_layout(1, 0);
    if (shape_.size() == 1) return make_layout(shape_[0], stride_[0]);
    return make_layout(IntTuple(std::move(shape_)), IntTuple(std::move(stride_)));
  }

 private:
  std::vector<IntTuple> shape_;
  std::vector<IntTuple> stride_;
};

// The distance of neighbours in each dimension, in elements of the vector, first dimension fastest.
Extents element_strides(const NestedLayout& l) {
  const Extents shape = vector_shape(l);
  Extents strides(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d) strides[d] = strides[d - 1] * shape[d - 1];
  return strides;
}

// A digit of an id: `size` positions, `step` elements apart.
struct Digit {
  int64_t size = 1;
  int64_t step = 0;
};

// The digits of the numbers below `ids`, the fastest digit first: (id / stride) % tile in each
// dimension, `steps` elements each.
std::vector<Digit> digits_of(int64_t ids, const Extents& tile, const Extents& strides,
                             const Extents& steps) {
  std::vector<size_t> order;
  for (size_t d = 0; d < tile.size(); ++d) {
    if (strides[d] != 0 && tile[d] > 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(),
            [&strides](size_t a, size_t b) { return strides[a] < strides[b]; });
  std::vector<Digit> digits;
  int64_t counted = 1;
  const auto take = [&](int64_t size, int64_t step) {
    const int64_t left = ids / counted;
    const int64_t taken = std::min(size, left);
    if (ids % (counted * taken) != 0) {
      throw usage_error(
          format("{} threads or subgroups end within a tile of {}: no layout of CuTe or Triton "
                 "expresses that, and their accesses cannot be counted",
                 ids, size));
    }
    if (taken > 1) digits.push_back({taken, step});
    counted *= taken;
  };
  for (const size_t d : order) {
    take(strides[d] / std::min(counted, strides[d]), 0);
    if (counted < strides[d]) return digits;  // all ids are at the dimension's first position
    take(tile[d], steps[d]);
  }
  take(ids / counted, 0);
  return digits;
}

// The sum of two functions of the same id, each given by its digits.
std::vector<Digit> sum_of(std::vector<Digit> a, std::vector<Digit> b) {
  std::vector<Digit> sum;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const int64_t size = std::min(a[i].size, b[j].size);
    const int64_t most = std::max(a[i].size, b[j].size);
    if (most % size != 0) {
      throw usage_error(
          "the threads of a subgroup end within a tile: no layout of CuTe or Triton expresses "
          "that, and their accesses cannot be counted");
    }
    sum.push_back({size, a[i].step + b[j].step});
    for (const auto& [digits, at] : {std::pair(&a, &i), std::pair(&b, &j)}) {
      Digit& digit = (*digits)[*at];
      digit = {digit.size / size, digit.step * size};
      if (digit.size == 1) ++*at;
    }
  }
  return sum;
}

Extents product_of(Extents a, const Extents& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
  return a;
}

Layout values_of(const NestedLayout& l, const Extents& element, const Extents& outer,
                 const Extents& batch) {
  Modes modes;
  const auto add = [&modes](const Extents& tile, const Extents& steps) {
    for (size_t d = tile.size(); d-- > 0;) modes.add(tile[d], steps[d]);
  };
  add(l.element_tile, element);
  add(l.outer_tile, outer);
  add(l.batch_tile, batch);
  return std::move(modes).layout();
}

}  // namespace

Layout thread_value_layout(const NestedLayout& l, int64_t subgroup_size, int64_t subgroups) {
  const Extents element = element_strides(l);
  const Extents thread = product_of(element, l.element_tile);
  const Extents outer = product_of(thread, l.thread_tile);
  const Extents batch = product_of(outer, l.outer_tile);
  const Extents subgroup = product_of(batch, l.batch_tile);
  // A thread's digits come from its id in the workgroup: a subgroup may end within them.
  std::vector<Digit> places =
      digits_of(subgroup_size * subgroups, l.thread_tile, l.thread_strides, thread);
  std::vector<Digit> of_subgroups = {{subgroup_size, 0}};
  if (subgroup_size == 1) of_subgroups.clear();
  for (const Digit& digit : digits_of(subgroups, l.subgroup_tile, l.subgroup_strides, subgroup)) {
    of_subgroups.push_back(digit);
  }
  Modes threads;
  for (const Digit& digit : sum_of(std::move(places), std::move(of_subgroups))) {
    threads.add(digit.size, digit.step);
  }
  return join_modes({std::move(threads).layout(), values_of(l, element, outer, batch)});
}

LinearLayout linear_of(const NestedLayout& l, int64_t subgroup_size, int64_t subgroups) {
  const Extents shape = vector_shape(l);
  const int64_t values = volume(distributed_shape(l));
  Extents extents = shape;
  extents.insert(extents.end(), {values, subgroup_size, subgroups});
  for (const int64_t extent : extents) {
    if (!std::has_single_bit(static_cast<uint64_t>(extent))) {
      throw usage_error(format("{} is not a power of two, so the layout is not linear", extent));
    }
  }
  const Layout owner = thread_value_layout(l, subgroup_size, subgroups);
  LinearLayout linear;
  const auto add = [&](const char* name, int64_t size, int64_t step) {
    LinearInput input{name, {}};
    for (int64_t at = 1; at < size; at *= 2) {
      int64_t index = offset_at(owner, at * step);
      std::vector<int64_t> coordinate;
      for (const int64_t extent : shape) {
        coordinate.push_back(index % extent);
        index /= extent;
      }
      input.bases.push_back(std::move(coordinate));
    }
    linear.inputs.push_back(std::move(input));
  };
  add("register", values, subgroup_size * subgroups);
  add("lane", subgroup_size, 1);
  add("warp", subgroups, subgroup_size);
  add("block", 1, 1);
  for (size_t d = 0; d < shape.size(); ++d) {
    linear.outputs.push_back({format("dim{}", d), shape[d]});
  }
  return linear;
}

Layout row_major_layout(const Extents& shape) {
  std::vector<IntTuple> sizes;
  std::vector<IntTuple> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  for (const int64_t extent : shape) sizes.emplace_back(extent);
  return make_layout(IntTuple(std::move(sizes)), IntTuple(std::move(strides)));
}

}  // namespace tilewright
