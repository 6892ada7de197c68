#include "tile/plan/sum_order.hpp"

#include <variant>

namespace tilewright {
namespace {

// Not known of stream-K: which tiles it divides depends on how many CTAs run at once.
bool is_undivided(const Plan& plan) {
  return !std::holds_alternative<StreamK>(plan.config.decomposition) && plan.slices() == 1;
}

// True where both cut k into the same slices and add these in their order. Where each waits for the
// previous one they do; other reductions give the sums of a tile's parts to CTAs or warps, and
// which part one begins with depends on the tile.
bool has_same_slices(const Plan& a, const Plan& b) {
  const Decomposition& one = a.config.decomposition;
  return std::holds_alternative<SplitK>(one) && one == b.config.decomposition &&
         tw::wait_mode_of(reduction_of(one)) == tw::WaitMode::Previous &&
         a.slices() == b.slices() && a.config.cta.k == b.config.cta.k;
}

// True where an element of an update sums its phases in the same order: an element that is the
// mirror image of another has the other's order, and which ones are depends on the tiles.
bool has_same_phases(const Plan& a, const Plan& b) {
  if (a.workload.op == MatrixOp::Gemm) return true;
  if (a.config.swap_ab != b.config.swap_ab || a.config.visitor != b.config.visitor) return false;
  return a.workload.uplo != Uplo::Full ||
         (a.config.cta.m == b.config.cta.m && a.config.cta.n == b.config.cta.n &&
          a.config.cluster == b.config.cluster);
}

}  // namespace

bool has_same_sums(const Plan& a, const Plan& b) {
  if (a.config == b.config && a.options == b.options) {
    return determinism_of(a.config.decomposition) == "bitwise";
  }
  if (a.config.family != b.config.family) return false;
  if (!(is_undivided(a) && is_undivided(b)) && !has_same_slices(a, b)) return false;
  if (!has_same_phases(a, b)) return false;
  // Promoted sums begin anew with every stage.
  const bool starts_anew = bytes_of(a.workload.kind.dtype) == 1;
  if (starts_anew && a.config.cta.k != b.config.cta.k) return false;
  // Warps of the skinny family divide the tile's k.
  return a.config.family != Family::Skinny ||
         (a.config.cta == b.config.cta && a.config.skinny == b.config.skinny);
}

}  // namespace tilewright
