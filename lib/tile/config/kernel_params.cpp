#include "tile/config/kernel_params.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tilewright {
namespace {

// The widest copy that every row of so many elements allows.
int copy_bytes(int64_t row_elements) {
  int bytes = 16;
  while (bytes > 2 && row_elements * tw::Sm80Params::kElementBytes % bytes != 0) bytes /= 2;
  return bytes;
}

int resident_ctas(int threads, int registers, int smem_bytes, const DeviceSpec& d) {
  if (threads == 0) return 1;  // a config without warps, which no kernel runs
  const int reserved = d.sm.reserved_smem_bytes;
  const int by_smem = (d.smem_per_cta_bytes + reserved) / (smem_bytes + reserved);
  const int by_registers = d.registers_per_sm / (registers * threads);
  return std::max(1, std::min({by_smem, by_registers, d.sm.threads / threads}));
}

tw::SplitMode split_mode(const Decomposition& decomposition) {
  if (std::holds_alternative<DataParallel>(decomposition)) return tw::SplitMode::None;
  return tw::sums_later(reduction_of(decomposition)) ? tw::SplitMode::Workspace
                                                     : tw::SplitMode::Serial;
}

// Held stages save the epilogue its waits for store buffers, as long as the loads of the next tile
// keep two stages.
int held_stages(const tw::Sm90Params& p, int64_t k) {
  const int wanted = p.warpgroup_rows() == tw::Sm90Params::kMmaM ? 2 : 1;
  const int pieces = p.store_pieces() * p.mma_rows() * p.mma_parts();
  const int block_bytes = tw::Sm90Params::kMmaM * tw::Sm90Params::kStageRowBytes;
  const bool short_k = k > 0 && k <= int64_t{wanted - 1} * p.cta_k;
  if (p.ping_pong() || p.direct_store || p.store_bytes() > block_bytes || short_k ||
      pieces <= tw::Sm90Params::kStoreBuffers) {
    return 0;
  }
  return std::clamp(p.stages - 2, 0, wanted);
}

}  // namespace

tw::Sm90Params sm90_params(const TileConfig& c, const Problem& p) {
  const bool a_k_major = k_contiguous_a(p.layout);
  const bool b_k_major = k_contiguous_b(p.layout);
  const DataType output = output_type(p);
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  const Reduction reduction = reduction_of(c.decomposition);
  tw::Sm90Params params{.cta_m = c.cta.m,
                        .cta_n = c.cta.n,
                        .cta_k = c.cta.k,
                        .stages = c.stages,
                        .cluster_m = c.cluster.m,
                        .cluster_n = c.cluster.n,
                        .schedule = c.schedule,
                        .element = p.dtype,
                        .output = output,
                        .a_mn_major = c.swap_ab ? !b_k_major : !a_k_major,
                        .b_mn_major = c.swap_ab ? !a_k_major : !b_k_major,
                        .evict_first_a = c.swap_ab ? c.evict_first.b : c.evict_first.a,
                        .evict_first_b = c.swap_ab ? c.evict_first.a : c.evict_first.b,
                        .swapped = c.swap_ab,
                        .direct_store = output == DataType::F32 || !tma_rows(p.shape.n, output),
                        .bias = p.bias,
                        .rasters = tw::family_of(c.raster),
                        .division = static_cast<tw::Division>(c.decomposition.index()),
                        .reduction = reduction};
  if (split != nullptr && tw::parts_in(reduction) == tw::PartsIn::SharedMemory)
    params.cluster_k = split->slices;
  // What stores parts alone needs no buffers for whole tiles.
  if (split != nullptr && params.stores_parts()) params.direct_store = true;
  // Wider stores are better, and a stage is better still.
  for (const int narrower : {32, 16}) {
    if (params.smem_bytes() > tw::Sm90Params::kMostSmemBytes) params.store_columns = narrower;
  }
  // Parts have other uses for the stages, and those that store nothing would have to hand them
  // back.
  if (params.division == tw::Division::None) params.held_stages = held_stages(params, p.shape.k);
  return params;
}

tw::Sm80Params sm80_params(const TileConfig& c, const Problem& p) {
  const bool a_k_contiguous = k_contiguous_a(p.layout);
  const bool b_k_contiguous = k_contiguous_b(p.layout);
  return {.cta_m = c.cta.m,
          .cta_n = c.cta.n,
          .cta_k = c.cta.k,
          .warps_m = c.sm80.warps.m,
          .warps_n = c.sm80.warps.n,
          .stages = c.stages,
          .smem = c.sm80.smem,
          .element = p.dtype,
          .output = output_type(p),
          .a_k_contiguous = a_k_contiguous,
          .b_k_contiguous = b_k_contiguous,
          .a_copy_bytes = copy_bytes(a_k_contiguous ? p.shape.k : p.shape.m),
          .b_copy_bytes = copy_bytes(b_k_contiguous ? p.shape.k : p.shape.n),
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
          .element = p.dtype,
          .output = output_type(p),
          .split = !std::holds_alternative<DataParallel>(c.decomposition),
          .bias = p.bias};
}

bool tma_rows(int64_t elements, DataType type) {
  constexpr int64_t kUnit = 16;
  return elements * bytes_of(type) % kUnit == 0;
}

Repacked repacked_operands(const Problem& p) {
  const GemmShape& s = p.shape;
  return {.a = !tma_rows(k_contiguous_a(p.layout) ? s.k : s.m, p.dtype),
          .b = !tma_rows(k_contiguous_b(p.layout) ? s.k : s.n, p.dtype)};
}

KernelParams kernel_params(const TileConfig& config, const Problem& problem) {
  switch (config.family) {
    case Family::Sm80: return sm80_params(config, problem);
    case Family::Skinny: return skinny_params(config, problem);
    case Family::Sm90: return sm90_params(config, problem);
  }
  throw internal_error("a family without parameters");
}

int dynamic_smem_bytes(const KernelParams& params) {
  // The skinny family's is static.
  if (std::holds_alternative<tw::SkinnyParams>(params)) return 0;
  return std::visit([](const auto& p) { return p.smem_bytes(); }, params);
}

int ctas_per_sm(const KernelParams& params, const DeviceSpec& device) {
  if (const auto* const p = std::get_if<tw::SkinnyParams>(&params)) {
    return resident_ctas(p->threads(), p->usual_registers(), p->smem_bytes(), device);
  }
  // Beside the sums: addresses, fragments and the epilogue.
  constexpr int kOtherRegisters = 80;
  if (const auto* const p = std::get_if<tw::Sm80Params>(&params)) {
    return resident_ctas(p->threads(), p->accumulator_registers() + kOtherRegisters,
                         p->smem_bytes(), device);
  }
  return 1;
}

}  // namespace tilewright
