#include "tile/family/skinny.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/config/definition_text.hpp"
#include "tile/family/rules.hpp"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

using Verdict = std::optional<Rejection>;

Verdict check_tile_shape(const Problem& p, const TileConfig& c, const DeviceSpec&) {
  const bool m_ok = c.cta.m == 8 || c.cta.m == 16;
  const bool n_ok = c.cta.n == 16 || c.cta.n == 32;
  const bool k_ok = c.cta.k >= 32 && c.cta.k <= 512 && c.cta.k % 32 == 0;
  if (!m_ok || !n_ok || !k_ok) {
    return Rejection{"tile-shape", format("cta {}: m is 8 or 16, n 16 or 32, k a multiple of 32 "
                                          "from 32 to 512",
                                          to_string(c.cta))};
  }
  if (p.shape.m <= c.cta.m) return {};
  return Rejection{
      "tile-shape",
      format("cta {}: the skinny family computes all rows in one tile of at most 16; M = {}",
             to_string(c.cta), p.shape.m)};
}

Verdict check_warps(const Problem&, const TileConfig& c, const DeviceSpec&) {
  const int warps = c.skinny.k_warps;
  if (warps >= 1 && warps <= 16) return {};
  return Rejection{"warps", format("k_warps {}: 1 to 16", warps)};
}

Verdict check_registers(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  const tw::SkinnyParams params = skinny_params(c, p);
  if (c.stages < 1 || c.stages > 8) {
    return Rejection{"registers", format("{} stages: a warp holds 1 to 8 batches", c.stages)};
  }
  const int budget = std::min(d.registers_per_sm / params.threads() / 8 * 8, 255);
  if (params.most_registers() <= budget) return {};
  return Rejection{"registers", format("{} batches of cta {} take {} of {} registers", c.stages,
                                       to_string(c.cta), params.most_registers(), budget)};
}

Verdict check_layout(const Problem& p, const TileConfig&, const DeviceSpec&) {
  if (p.kind.layout == MatrixLayout::TN) return {};
  return Rejection{
      "layout",
      format("layout {}: the skinny family reads lines of k; use layout tn or the sm80 family",
             to_string(p.kind.layout))};
}

Verdict check_alignment(const Problem& p, const TileConfig&, const DeviceSpec&) {
  constexpr int64_t kUnit = tw::SkinnyParams::kLoadElements;
  if (p.shape.k % kUnit == 0) return {};
  return Rejection{
      "alignment",
      format("K = {}: the skinny family loads 16 bytes of a line at once; K = {} (padded "
             "with zeros) works, and the sm80 family takes any K",
             p.shape.k, round_up(p.shape.k, kUnit))};
}

Verdict check_decomposition(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  return reject_split(p, c, d, {Reduction::Workspace});
}

Verdict reject(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  for (const auto check :
       {reject_below_sm80, reject_other_than_16_bit, check_tile_shape, check_warps, check_registers,
        check_layout, check_alignment, reject_wave, check_decomposition}) {
    if (Verdict verdict = check(problem, config, device)) return verdict;
  }
  return {};
}

constexpr std::array<std::string_view, 5> kKeys = {"family", "cta", "k_warps", "stages",
                                                   "decomposition"};

KernelParams params_of(const Workload& workload, const TileConfig& config, const OperandPlaces&) {
  return skinny_params(config, problem_of(workload, 0));
}

std::vector<KernelSource> sources_of(const Plan& plan, const KernelExtras& extras) {
  if (extras.trace) {
    throw usage_error(format("{}: the skinny family records no trace", to_string(plan.config)));
  }
  const auto& params = std::get<tw::SkinnyParams>(plan.kernel);
  return {{"skinny/gemm_skinny.cu",
           definition_text("skinny/params.cuh", "tw::SkinnyParams", "kParams", params)}};
}

// Loads are 16 bytes wide.
std::string why_no_kernel_for_places(const Plan& plan) {
  if (repacked_operands(plan.product, plan.options.places) == Repacked{}) return "";
  return format(
      "{}: the skinny family needs operands whose rows begin at multiples of 16 bytes; the sm80 "
      "family has no such limit",
      to_string(plan.config));
}

const tw::SkinnyParams& skinny_of(const KernelParams& params) {
  return std::get<tw::SkinnyParams>(params);
}

int ctas_of(const KernelParams& params, const DeviceSpec& device) {
  const tw::SkinnyParams& p = skinny_of(params);
  return resident_ctas(p.threads(), p.usual_registers(), p.smem_bytes(), device);
}

// All shared memory of the kernel is static.
int smem_bytes(const KernelParams&) {
  return 0;
}

// Every slice stores a whole matrix; the last CTA at a tile's counter sums the tile.
PartialStore store_of(const Plan& plan) {
  const GemmShape& shape = plan.problems.front().shape;
  const tw::ProblemWork<int64_t>& work = plan.problems.front().work;
  return {.tiles = work.units(),
          .bytes = shape.m * shape.n * work.slices * kSumBytes,
          .tickets = work.slots};
}

TileWarps warps_of(const KernelParams& params) {
  const tw::SkinnyParams& p = skinny_of(params);
  return {.count = p.k_warps, .group_rows = p.cta_m};
}

}  // namespace

const FamilyRecord kSkinnyFamily = {.family = Family::Skinny,
                                    .name = "skinny",
                                    .keys = kKeys,
                                    .persistent = false,
                                    .loads_by_tma = false,
                                    .rereads_operands = false,
                                    .runs_across_gpus = false,
                                    .params = params_of,
                                    .sources = sources_of,
                                    .why_no_kernel_for_places = why_no_kernel_for_places,
                                    .ctas_per_sm = ctas_of,
                                    .dynamic_smem_bytes = smem_bytes,
                                    .reject = reject,
                                    .reject_group = nullptr,
                                    .reject_update = nullptr,
                                    .partial_store = store_of,
                                    .warps = warps_of};

tw::SkinnyParams skinny_params(const TileConfig& c, const Problem& p) {
  return {.cta_m = c.cta.m,
          .cta_n = c.cta.n,
          .cta_k = c.cta.k,
          .stages = c.stages,
          .k_warps = c.skinny.k_warps,
          .element = p.kind.dtype,
          .output = output_type(p.kind),
          .split = !std::holds_alternative<DataParallel>(c.decomposition),
          .epilogue = epilogue_params(p.kind.epilogue)};
}

}  // namespace tilewright
