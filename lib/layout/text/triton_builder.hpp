// Builds linear layouts from Triton's attributes as Triton does: dimension by dimension, then
// fitted to the tensor.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layout/algebra/linear_layout.hpp"
#include "layout/text/triton_keys.hpp"

namespace tilewright {

/// Grows a layout dimension by dimension, as Triton does; each step multiplies a size.
struct Builder {
  explicit Builder(std::vector<std::string> names, size_t dims) : sizes(dims, 1) {
    for (std::string& name : names) inputs.push_back({std::move(name), {}});
  }

  LinearInput& input(std::string_view name) {
    return *std::find_if(inputs.begin(), inputs.end(),
                         [&](const LinearInput& one) { return one.name == name; });
  }

  void extend(std::string_view name, int64_t factor, size_t dim) {
    for (int64_t step = 1; step < factor; step *= 2) {
      std::vector<int64_t> basis(sizes.size());
      basis[dim] = sizes[dim];
      input(name).bases.push_back(std::move(basis));
      sizes[dim] *= 2;
    }
  }

  // Basis vectors that reach `size` in dimension `dim` become zero: their inputs hold copies.
  void shrink(size_t dim, int64_t size) {
    for (LinearInput& one : inputs) {
      for (std::vector<int64_t>& basis : one.bases) {
        if (basis[dim] >= size) std::fill(basis.begin(), basis.end(), 0);
      }
    }
    sizes[dim] = std::min(sizes[dim], size);
  }

  std::vector<LinearInput> inputs;
  Sizes sizes;
};

/// How the blocks of a cluster share a tensor; all ones where the attribute has no key for it.
struct Blocks {
  Sizes count;
  Sizes split;
  std::vector<size_t> order;  // fastest dimension first
};

Blocks blocks_of(const TritonAttribute& a, size_t dims);

/// Repeats (along input `repeat`) or cuts one block's layout, dimension by dimension in `order`, so
/// that the blocks together cover the tensor. Throws a usage error where the ranks differ or
/// CTASplitNum does not divide CTAsPerCGA.
LinearLayout fit_tensor(const TritonAttribute& a, Builder one, const std::vector<size_t>& order,
                        const std::string& repeat);

}  // namespace tilewright
