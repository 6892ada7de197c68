// Which product a row of a file of launch parameters is for, and which row a product's answer is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exchange/vllm_file.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// What the name of an experts' file does not state about its layer.
struct ExpertsLayer {
  int64_t hidden = 0;  // elements of a token
  int64_t top_k = 0;   // experts of this GPU that a token goes to
  bool operator==(const ExpertsLayer&) const = default;
};

/// The types of a file's products, with those `scales` that its name allows; nothing for operands
/// that are no products of this project.
std::optional<ProductKind> kind_of(const VllmFileName& name, const Epilogue& scales);

/// The product of a row: M x N x K, or for `m` tokens of a layer of experts a group that shares the
/// m * top_k rows evenly, 2N x hidden for the first product, hidden x N for the second. Throws a
/// usage error for a layer with no sizes, and for one larger than a launch.
Workload row_product(const VllmFileName& name, int64_t m, const ExpertsLayer& layer,
                     const ProductKind& kind);

/// What a group of products stands for: the first products of a layer of experts, or with `is_down`
/// the second ones; 0: groups stand for nothing.
struct ExpertsGroups {
  int64_t top_k = 0;
  bool is_down = false;
};

/// A row of a file.
struct VllmPlace {
  VllmFileName name;
  int64_t m = 0;
  bool operator==(const VllmPlace&) const = default;
};

/// The row that holds a product's answer. Throws a usage error for a product that no file is for:
/// others than e4m3 with block scales, and than groups that share N and K, of bf16, f16 or e4m3.
VllmPlace place_of(const Workload& product, const std::string& device, const ExpertsGroups& groups);

}  // namespace tilewright
