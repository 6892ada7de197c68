#include "exchange/vllm_product.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "map/work_split.cuh"

namespace tilewright {
namespace {

constexpr std::string_view kFp8 = "fp8_w8a8";
constexpr std::array<int64_t, 2> kScaleBlocks = {tw::kScaleBlock, tw::kScaleBlock};

bool has_block_forms(const Epilogue& epilogue) {
  return tw::form_of(epilogue.scale_a) == ScaleForm::Vector &&
         tw::form_of(epilogue.scale_b) == ScaleForm::Block;
}

// True for D = A B with one factor, or one a row and a column.
bool has_plain_forms(const Epilogue& epilogue) {
  return !tw::has_k_blocks(tw::form_of(epilogue.scale_a)) &&
         !tw::has_k_blocks(tw::form_of(epilogue.scale_b));
}

// True where nothing but the operands' scales is applied to A B.
bool is_scaled_product(const ProductKind& kind) {
  Epilogue others = kind.epilogue;
  others.scale_a = OperandScale::None;
  others.scale_b = OperandScale::None;
  others.out_dtype.reset();
  return kind.layout == MatrixLayout::TN && is_plain(others);
}

bool shares_sizes(const Workload& product) {
  const GemmShape& first = product.shapes.front();
  return std::all_of(product.shapes.begin(), product.shapes.end(), [&](const GemmShape& shape) {
    return shape.n == first.n && shape.k == first.k;
  });
}

void require_layer(const VllmFileName& name, const ExpertsLayer& layer) {
  if (layer.hidden <= 0 || layer.top_k <= 0) {
    throw usage_error(
        format("{}: the name states neither the layer's hidden size nor how many experts a token "
               "goes to: add --hidden and --top-k",
               product_text(name)));
  }
  if (name.experts > kMaxProducts) {
    throw usage_error(format("{}: a group of more than {} products, the limit of one launch",
                             product_text(name), kMaxProducts));
  }
  if (layer.top_k > name.experts) {
    throw usage_error(format("{}: --top-k {} is more than its {} experts", product_text(name),
                             layer.top_k, name.experts));
  }
  if (name.n > std::numeric_limits<int32_t>::max() / 2) {
    throw usage_error(format("{}: 2N is more than 2^31 - 1, the limit", product_text(name)));
  }
}

// The types that a file of experts states for the group's operands.
void set_types(const Workload& product, VllmFileName& name) {
  const ProductKind& kind = product.kind;
  const bool is_fp8 = kind.dtype == DataType::E4M3;
  const bool is_half = kind.dtype == DataType::BF16 || kind.dtype == DataType::F16;
  const bool has_blocks = is_fp8 && has_block_forms(kind.epilogue);
  const bool has_scales =
      kind.epilogue.scale_a != OperandScale::None || kind.epilogue.scale_b != OperandScale::None;
  const bool is_taken =
      has_blocks || (is_fp8 && has_plain_forms(kind.epilogue)) || (is_half && !has_scales);
  if (!is_taken || !is_scaled_product(kind) || !shares_sizes(product)) {
    throw usage_error(
        format("{}: a file of experts is for groups that share N and K, layout tn, of bf16 or f16, "
               "or of e4m3 with no scales, with one an operand, row or column, or with block:1x128 "
               "and block:128x128",
               to_string(product)));
  }
  name.dtype = is_fp8 ? kFp8 : "";
  if (!has_blocks) name.block_shape.reset();
  name.per_channel = tw::form_of(kind.epilogue.scale_b) == ScaleForm::Line;
}

VllmPlace place_of_group(const Workload& product, const std::string& device,
                         const ExpertsGroups& groups) {
  if (groups.top_k <= 0) {
    throw usage_error(format(
        "{}: a group is a layer of experts, and a row of its file is for a number of tokens: "
        "add --top-k, the experts that a token goes to",
        to_string(product)));
  }
  const GemmShape& shape = product.shapes.front();
  VllmPlace place{.name = {.experts = std::ssize(product.shapes),
                           .n = groups.is_down ? shape.k : shape.n / 2,
                           .device = device,
                           .is_down = groups.is_down},
                  .m = total_rows(product) / groups.top_k};
  set_types(product, place.name);
  if (place.m == 0 || total_rows(product) % groups.top_k != 0) {
    throw usage_error(format("{}: {} rows are no whole number of tokens, each in {}",
                             to_string(product), total_rows(product), groups.top_k));
  }
  if (!groups.is_down && shape.n % 2 != 0) {
    throw usage_error(
        format("{}: the first product of a layer has gates and ups, so an even N; --down exports "
               "second products",
               to_string(product)));
  }
  return place;
}

}  // namespace

std::optional<ProductKind> kind_of(const VllmFileName& name, const Epilogue& scales) {
  if (name.dtype.empty() && !name.block_shape) return ProductKind{.dtype = DataType::BF16};
  if (name.dtype != kFp8) return std::nullopt;
  const ProductKind kind{.dtype = DataType::E4M3, .epilogue = scales};
  if (!name.block_shape) {
    const bool is_line = tw::form_of(scales.scale_b) == ScaleForm::Line;
    return has_plain_forms(scales) && is_line == name.per_channel ? std::optional(kind)
                                                                  : std::nullopt;
  }
  return *name.block_shape == kScaleBlocks && has_block_forms(scales) ? std::optional(kind)
                                                                      : std::nullopt;
}

Workload row_product(const VllmFileName& name, int64_t m, const ExpertsLayer& layer,
                     const ProductKind& kind) {
  if (name.experts == 0) return workload_of(Problem{.shape = {m, name.n, name.k}, .kind = kind});
  require_layer(name, layer);
  const int64_t rows = m * layer.top_k;
  const int64_t n = name.is_down ? layer.hidden : 2 * name.n;
  const int64_t k = name.is_down ? name.n : layer.hidden;
  Workload group{.kind = kind, .shapes = {}};
  group.shapes.reserve(static_cast<size_t>(name.experts));
  for (int64_t i = 0; i < name.experts; ++i) {
    group.shapes.push_back({tw::even_share(rows, name.experts, i).size(), n, k});
  }
  return group;
}

VllmPlace place_of(const Workload& product, const std::string& device,
                   const ExpertsGroups& groups) {
  if (product.shapes.size() > 1 && product.op == MatrixOp::Gemm) {
    return place_of_group(product, device, groups);
  }
  const bool is_taken = is_product(product) && product.kind.dtype == DataType::E4M3 &&
                        is_scaled_product(product.kind) && has_block_forms(product.kind.epilogue);
  if (!is_taken) {
    throw usage_error(
        format("{}: --export vllm writes files for e4m3 products with block scales: --dtype e4m3 "
               "--scale-a block:1x128@k --scale-b block:128x128",
               to_string(product)));
  }
  const GemmShape& shape = product.shapes.front();
  return {.name = {.n = shape.n, .k = shape.k, .device = device}, .m = shape.m};
}

}  // namespace tilewright
