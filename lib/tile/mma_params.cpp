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

int resident_ctas(int threads, int registers, int smem_bytes, const DeviceSpec& d) {
  const int reserved = d.sm.reserved_smem_bytes;
  const int by_smem = (d.smem_per_cta_bytes + reserved) / (smem_bytes + reserved);
  const int by_registers = d.registers_per_sm / (registers * threads);
  return std::max(1, std::min({by_smem, by_registers, d.sm.threads / threads}));
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

int ctas_per_sm(const TileConfig& config, const Problem& problem, const DeviceSpec& device) {
  if (config.family == Family::Skinny) {
    const tw::SkinnyParams p = skinny_params(config, problem);
    return resident_ctas(p.threads(), p.usual_registers(), p.smem_bytes(), device);
  }
  // Beside the sums: addresses, fragments and the epilogue.
  constexpr int kOtherRegisters = 80;
  const tw::Sm80Params p = sm80_params(config, problem);
  return resident_ctas(p.threads(), p.accumulator_registers() + kOtherRegisters, p.smem_bytes(),
                       device);
}

int slice_count(const TileConfig& config, const GemmShape& shape) {
  const auto* const split = std::get_if<SplitK>(&config.decomposition);
  if (split == nullptr) return 1;
  const int64_t steps = std::max<int64_t>(shape.k / config.cta.k, 1);
  return static_cast<int>(std::min<int64_t>(split->slices, steps));
}

}  // namespace tilewright
