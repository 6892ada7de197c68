// The rules of the sm80 family.

#include <algorithm>

#include "base/text.hpp"
#include "tile/config/kernel_params.hpp"
#include "tile/plan/legality_rules.hpp"

namespace tilewright {
namespace {

using Verdict = std::optional<Rejection>;

Verdict check_sm80_tile_shape(const Problem&, const TileConfig& c, const DeviceSpec&) {
  const bool m_ok = c.cta.m >= 16 && c.cta.m <= 256 && c.cta.m % 16 == 0;
  const bool n_ok = c.cta.n >= 16 && c.cta.n <= 256 && c.cta.n % 16 == 0;
  if (m_ok && n_ok && (c.cta.k == 32 || c.cta.k == 64)) return {};
  return Rejection{"tile-shape",
                   format("cta {}: m and n are multiples of 16 from 16 to 256, k is 32 or 64",
                          to_string(c.cta))};
}

Verdict check_sm80_warps(const Problem&, const TileConfig& c, const DeviceSpec&) {
  const WarpGrid w = c.sm80.warps;
  constexpr int kMostWarps = 16;
  const bool count_ok = w.m >= 1 && w.n >= 1 && w.m * w.n <= kMostWarps;
  if (count_ok && c.cta.m % (16 * w.m) == 0 && c.cta.n % (16 * w.n) == 0) return {};
  return Rejection{"warps", format("warps {}: 1 to {} that cut cta {} into multiples of 16x16",
                                   to_string(w), kMostWarps, to_string(c.cta))};
}

// Copies and matrix rows of 16 bytes must stay whole, and a swizzle must map the tile onto itself.
Verdict check_sm80_arrangement(const Problem& p, const TileConfig& c, const DeviceSpec&) {
  const SmemArrangement& smem = c.sm80.smem;
  const auto refuse = [&smem](const std::string& why) {
    return Rejection{"smem", format("smem {}: {}", to_string(smem), why)};
  };
  if (smem.kind == tw::SmemKind::Fitted) return {};
  if (smem.kind == tw::SmemKind::Pad) {
    if (smem.pad % 8 == 0 && smem.pad >= 0 && smem.pad <= 64) return {};
    return refuse("rows stay 16-byte aligned only with a padding of 8, 16, ... 64 elements");
  }
  const int distance = std::abs(smem.shift);
  if (smem.base < 3) return refuse("it would tear 16-byte rows: the base is at least 3");
  if (smem.bits < 1 || distance < smem.bits || smem.bits + smem.base + distance > 24) {
    return refuse("the shift is at least as large as the bits");
  }
  const int block = 1 << (smem.bits + smem.base + std::max(0, -smem.shift));
  const tw::Sm80Params params = sm80_params(c, p);
  for (const tw::StageTile& tile : {params.a_tile(), params.b_tile()}) {
    if (tile.elements() % block == 0) continue;
    return refuse(format("an operand's tile of {} elements is no multiple of its {}",
                         tile.elements(), block));
  }
  return {};
}

Verdict check_sm80_shared_memory(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  if (c.stages < 2 || c.stages > 8) {
    return Rejection{"shared-memory", format("{} stages: a pipeline has 2 to 8", c.stages)};
  }
  const int bytes = sm80_params(c, p).smem_bytes();
  if (bytes <= d.smem_per_cta_bytes) return {};
  return Rejection{"shared-memory", format("{} stages of cta {} take {} bytes, {} has {}", c.stages,
                                           to_string(c.cta), bytes, d.name, d.smem_per_cta_bytes)};
}

// Registers that a unit of a copy keeps: its address, or 32 bytes that are on their way.
int copy_registers(const tw::StageTile& tile, int copy_bytes, int threads) {
  const bool through_registers = copy_bytes == 2;
  const int unit = through_registers ? 8 : copy_bytes / tw::Sm80Params::kElementBytes;
  const int units = tile.rows * tile.row_length / unit / threads;
  return through_registers ? 10 * units : std::min(units, 24);
}

Verdict check_sm80_registers(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  const tw::Sm80Params params = sm80_params(c, p);
  // Two steps' operands beside the sums; addresses and the epilogue take what is left.
  const int operands = 2 * (4 * params.mma_rows() + 2 * params.mma_columns());
  const int copies = copy_registers(params.a_tile(), params.a_copy_bytes, params.threads()) +
                     copy_registers(params.b_tile(), params.b_copy_bytes, params.threads());
  constexpr int kOthers = 48;
  const int held = params.accumulator_registers() + operands + copies + kOthers;
  const int budget = std::min(d.registers_per_sm / params.threads() / 8 * 8, 255);
  if (held <= budget) return {};
  return Rejection{
      "registers",
      format("cta {} by {} warps: a thread holds {} sums; {} of {} registers", to_string(c.cta),
             to_string(c.sm80.warps), params.accumulator_registers(), held, budget)};
}

Verdict check_sm80_decomposition(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  return reject_split(p, c, d, {Reduction::Serial, Reduction::Workspace});
}

}  // namespace

std::optional<Rejection> reject_sm80(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device) {
  for (const auto check :
       {reject_below_sm80, reject_other_than_16_bit, check_sm80_tile_shape, check_sm80_warps,
        check_sm80_arrangement, check_sm80_shared_memory, check_sm80_registers}) {
    if (Verdict verdict = check(problem, config, device)) return verdict;
  }
  for (const auto check : {reject_wave, check_sm80_decomposition, reject_raster}) {
    if (Verdict verdict = check(problem, config, device)) return verdict;
  }
  return {};
}

}  // namespace tilewright
