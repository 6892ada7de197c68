#include "tile/mma_params.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// The widest copy that every row of so many elements allows.
int copy_bytes(int64_t row_elements, int alignment) {
  int bytes = alignment;
  while (bytes > 2 && row_elements * tw::Sm80Params::kElementBytes % bytes != 0) bytes /= 2;
  return bytes;
}

tw::SplitMode split_mode(const Decomposition& decomposition) {
  if (std::holds_alternative<DataParallel>(decomposition)) return tw::SplitMode::None;
  return reduction_of(decomposition) == Reduction::Workspace ? tw::SplitMode::Workspace
                                                             : tw::SplitMode::Serial;
}

}  // namespace

tw::Sm80Params sm80_params(const TileConfig& c, const Problem& p,
                           const OperandAlignment& alignment) {
  const bool a_k_contiguous = k_contiguous_a(p.layout);
  const bool b_k_contiguous = k_contiguous_b(p.layout);
  return {.cta_m = c.cta.m,
          .cta_n = c.cta.n,
          .cta_k = c.cta.k,
          .warps_m = c.sm80.warps.m,
          .warps_n = c.sm80.warps.n,
          .stages = c.stages,
          .smem = c.sm80.smem,
          .element = element_of(p.dtype),
          .output = element_of(output_type(p)),
          .a_k_contiguous = a_k_contiguous,
          .b_k_contiguous = b_k_contiguous,
          .a_copy_bytes = copy_bytes(a_k_contiguous ? p.shape.k : p.shape.m, alignment.a),
          .b_copy_bytes = copy_bytes(b_k_contiguous ? p.shape.k : p.shape.n, alignment.b),
          .rasters = tw::family_of(c.raster),
          .split = split_mode(c.decomposition),
          .bias = p.bias};
}

tw::SkinnyParams skinny_params(const TileConfig& c, const Problem& p) {
  return {.cta_m = c.cta.m,
          .cta_n = c.cta.n,
          .cta_k = c.cta.k,
          .stages = c.stages,
          .k_warps = c.skinny.k_warps,
          .element = element_of(p.dtype),
          .output = element_of(output_type(p)),
          .split = !std::holds_alternative<DataParallel>(c.decomposition),
          .bias = p.bias};
}

int smem_bytes(const TileConfig& config, const Problem& problem) {
  switch (config.family) {
    case Family::Sm90: return kernel_params(config, problem).smem_bytes();
    case Family::Sm80: return sm80_params(config, problem).smem_bytes();
    case Family::Skinny: return 0;  // static
  }
  return 0;
}

int slice_count(const TileConfig& config, const GemmShape& shape) {
  const auto* const split = std::get_if<SplitK>(&config.decomposition);
  if (split == nullptr) return 1;
  const int64_t steps = std::max<int64_t>(shape.k / config.cta.k, 1);
  return static_cast<int>(std::min<int64_t>(split->slices, steps));
}

}  // namespace tilewright
