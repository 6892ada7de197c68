// The rules of the skinny family.

#include <algorithm>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/config/kernel_params.hpp"
#include "tile/plan/legality_rules.hpp"

namespace tilewright {
namespace {

using Verdict = std::optional<Rejection>;

Verdict check_skinny_tile_shape(const Problem& p, const TileConfig& c, const DeviceSpec&) {
  const bool m_ok = c.cta.m == 8 || c.cta.m == 16;
  const bool n_ok = c.cta.n == 16 || c.cta.n == 32;
  const bool k_ok = c.cta.k >= 32 && c.cta.k <= 512 && c.cta.k % 32 == 0;
  if (!m_ok || !n_ok || !k_ok) {
    return Rejection{"tile-shape", format("cta {}: m is 8 or 16, n 16 or 32, k a multiple of 32 "
                                          "from 32 to 512",
                                          to_string(c.cta))};
  }
  if (p.shape.m <= c.cta.m) return {};
  return Rejection{"tile-shape",
                   format("cta {}: the skinny family takes all rows in one tile of at "
                          "most 16; M = {}",
                          to_string(c.cta), p.shape.m)};
}

Verdict check_skinny_warps(const Problem&, const TileConfig& c, const DeviceSpec&) {
  const int warps = c.skinny.k_warps;
  if (warps >= 1 && warps <= 16) return {};
  return Rejection{"warps", format("k_warps {}: 1 to 16", warps)};
}

Verdict check_skinny_registers(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  const tw::SkinnyParams params = skinny_params(c, p);
  if (c.stages < 1 || c.stages > 8) {
    return Rejection{"registers", format("{} stages: a warp holds 1 to 8 batches", c.stages)};
  }
  const int budget = std::min(d.registers_per_sm / params.threads() / 8 * 8, 255);
  if (params.most_registers() <= budget) return {};
  return Rejection{"registers", format("{} batches of cta {} take {} of {} registers", c.stages,
                                       to_string(c.cta), params.most_registers(), budget)};
}

Verdict check_skinny_layout(const Problem& p, const TileConfig&, const DeviceSpec&) {
  if (p.layout == MatrixLayout::TN) return {};
  return Rejection{"layout",
                   format("layout {}: the skinny family streams lines of k; use layout tn "
                          "or the sm80 family",
                          to_string(p.layout))};
}

Verdict check_skinny_alignment(const Problem& p, const TileConfig&, const DeviceSpec&) {
  constexpr int64_t kUnit = tw::SkinnyParams::kLoadElements;
  if (p.shape.k % kUnit == 0) return {};
  return Rejection{
      "alignment",
      format("K = {}: the skinny family loads 16 bytes of a line at once; K = {} (padded "
             "with zeros) works, and the sm80 family takes any K",
             p.shape.k, round_up(p.shape.k, kUnit))};
}

Verdict check_skinny_decomposition(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  return reject_split(p, c, d, {Reduction::Workspace});
}

}  // namespace

std::optional<Rejection> reject_skinny(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device) {
  for (const auto check : {reject_below_sm80, reject_other_than_16_bit, check_skinny_tile_shape,
                           check_skinny_warps, check_skinny_registers, check_skinny_layout,
                           check_skinny_alignment, reject_wave, check_skinny_decomposition}) {
    if (Verdict verdict = check(problem, config, device)) return verdict;
  }
  return {};
}

}  // namespace tilewright
