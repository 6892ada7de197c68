#include "tile/family/sm90.hpp"

#include <algorithm>
#include <array>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/config/definition_text.hpp"
#include "tile/family/rules.hpp"
#include "tile/plan/partial_store.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/operand_places.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 17> kKeys = {
    "family",       "cta",         "cluster",       "stages",         "schedule",      "raster",
    "l2_promotion", "evict_first", "decomposition", "group_schedule", "problem_order", "visitor",
    "swap_ab",      "rank_order",  "chunks",        "parts",          "k_chunks"};

// With reused stages the epilogue waits less for store buffers, but the next tile's first loads
// wait for the epilogue. On an H100, 2048 x 16896 x K, two stages cost 128x256 tiles 12, 4, 2
// and 1.4 % at 4, 8, 16 and 32 k-steps and gain 1.8 % at 128; one costs 256x128 tiles 3.6 % at 4
// and gains 0.4 to 1.9 % from 8 on. At least two stages must remain for the loads of the next tile.
int stages_reused(const tw::Sm90Params& p, int64_t k) {
  const int wanted = p.warpgroup_rows() == tw::Sm90Params::kMmaM ? 2 : 1;
  const int min_k_steps = wanted == 2 ? 64 : 8;
  const int pieces = p.store_pieces() * p.mma_rows() * p.mma_tiles_n();
  const int block_bytes = tw::Sm90Params::kMmaM * tw::Sm90Params::kStageRowBytes;
  const bool short_k = k > 0 && k < int64_t{min_k_steps} * p.cta_k;
  if (p.ping_pong() || p.direct_store || p.store_bytes() > block_bytes || short_k ||
      pieces <= tw::Sm90Params::kStoreBuffers) {
    return 0;
  }
  return std::clamp(p.stages - 2, 0, wanted);
}

// Store buffers hold 16-bit elements.
bool is_stored_by_tma(DataType output) {
  return bytes_of(output) == tw::Sm90Params::kStoredBytes;
}

// TMA stores multiples of 16 bytes: for other row lengths it would write into the gap after a row.
bool tma_stores(const Problem& p, const OperandPlaces& places) {
  const DataType output = output_type(p.kind);
  return is_stored_by_tma(output) && tma_rows(output_columns(p.kind, p.shape.n), output) &&
         tma_rows(pitches_of(p, places).d, output, places.d.alignment);
}

// Sets the constants of a group's kernel that its config does not determine. With own sizes a
// problem may have fewer k-steps than the epilogue holds stages.
void take_group(tw::Sm90Params& params, const Workload& workload, const TileConfig& config,
                const OperandPlaces& places) {
  params.grouping = grouping_of(workload, config);
  params.op = workload.op;
  params.uplo = tw::computed_triangle(workload.uplo);
  params.mirrored = is_mirrored(workload);
  if (params.mirrored) params.stages_reused = 0;  // its pieces are stored twice
  params.whole_square = config.visitor == Visitor::Plain;
  params.per_problem_shapes = has_per_problem_shapes(workload);
  if (!params.per_problem_shapes) return;
  params.stages_reused = 0;
  const DataType output = params.output;
  params.direct_store =
      !is_stored_by_tma(output) ||
      !std::all_of(workload.shapes.begin(), workload.shapes.end(), [&](const GemmShape& shape) {
        return tma_rows(output_columns(workload.kind, shape.n), output, places.d.alignment);
      });
}

// The form of scales that the kernel reads by lines of its operands.
ScaleForm in_kernel(OperandScale scale) {
  const ScaleForm form = tw::form_of(scale);
  return form == ScaleForm::Tensor ? ScaleForm::None : form;
}

// True where the kernel's stages hold the scales: those of one k-block lie together.
bool is_staged(OperandScale scale) {
  return tw::form_of(scale) == ScaleForm::Vector && !tw::record_of(scale).along_k;
}

KernelParams params_of(const Workload& workload, const TileConfig& config,
                       const OperandPlaces& places) {
  tw::Sm90Params params = sm90_params(config, problem_of(workload, 0), places);
  take_group(params, workload, config, places);
  params.collective = workload.parallel.collective;
  params.parts = config.peers.parts;
  // The tiles of other GPUs' rows store nothing, and would have to release these stages.
  if (params.sends_parts()) params.stages_reused = 0;
  return params;
}

// A program that is specialised on these constants.
KernelSource source_of(const char* file, const tw::Sm90Params& p) {
  return {.file = file,
          .config_header = definition_text("sm90/params.cuh", "tw::Sm90Params", "kParams", p)};
}

std::vector<KernelSource> sources_of(const Plan& plan, const KernelExtras& extras) {
  const tw::Sm90Params params = sm90_params(plan, extras);
  std::vector<KernelSource> sources = {source_of("sm90/gemm_sm90.cu", params)};
  if (params.has_second_kernel()) sources.push_back(source_of("sm90/reduce_workspace.cu", params));
  if (params.has_preparing_kernel()) sources.push_back(source_of("sm90/prepare_group.cu", params));
  if (plan.copies != Repacked{}) {
    sources.push_back({.file = "sm90/repack.cu", .config_header = ""});
  }
  return sources;
}

const tw::Sm90Params& sm90_of(const KernelParams& params) {
  return std::get<tw::Sm90Params>(params);
}

// The repack kernel copies 16-bit elements only, and only for single products. Parts that TMA adds
// pass through store buffers, which exist only where TMA stores D.
std::string why_no_kernel_for_places(const Plan& plan) {
  const tw::Sm90Params& params = sm90_of(plan.kernel);
  if (params.division != tw::Division::None && params.direct_store &&
      tw::record_of(params.reduction).bulk_copies) {
    return format(
        "{}: where TMA adds parts of tiles, rows of D must begin at multiples of 16 bytes",
        to_string(plan.config));
  }
  if (plan.copies == Repacked{}) return "";
  const bool alone = !is_group(plan.workload) && !is_triangular(plan.workload);
  constexpr int kCopied = 2;
  if (alone && bytes_of(plan.workload.kind.dtype) == kCopied) return "";
  return format(
      "{}: rows of A and of B must begin at multiples of 16 bytes, except in products of 16-bit "
      "operands",
      to_string(plan.workload));
}

// Registers of a thread where one warpgroup multiplies, about as NVRTC 13.0 reports them: two CTAs
// fit a multiprocessor by this count where they do by the reported one, and never more do. Kernels
// with more warpgroups take an even share of the register file.
int usual_registers(const tw::Sm90Params& p) {
  if (p.consumer_warpgroups() > 1) return p.launch_registers();
  const double sums = p.accumulator_registers();
  const auto count = [](double registers) { return static_cast<int>(registers); };
  if (p.cluster_k > 1) return count(28 + 1.55 * sums);
  if (p.grouped()) return count(48 + 1.35 * sums);
  if (p.division == tw::Division::None) return count(std::min(32 + 1.25 * sums, 40 + 1.03 * sums));
  if (p.reduction == Reduction::Serial) return count(40 + 2.3 * sums);
  return count(std::min(44 + 1.6 * sums, 68 + 0.95 * sums));
}

int ctas_of(const KernelParams& params, const DeviceSpec& device) {
  constexpr int kGranularity = 8;
  const tw::Sm90Params& p = sm90_of(params);
  return resident_ctas(p.threads(), round_up(usual_registers(p), kGranularity), p.smem_bytes(),
                       device);
}

int smem_bytes(const KernelParams& params) {
  return sm90_of(params).smem_bytes();
}

PartialStore store_of(const Plan& plan) {
  const tw::Sm90Params& params = sm90_of(plan.kernel);
  PartialStore store;
  if (plan.cluster_k() > 1) return store;
  const bool streams = std::holds_alternative<StreamK>(plan.config.decomposition);
  int64_t slots = 0;
  int64_t parts = 0;
  for (const tw::ProblemWork<int64_t>& work : plan.ordered) {
    if (is_group(plan.workload) && work.slices == 1) continue;
    slots += work.slots;
    parts += work.units();
  }
  const int64_t divided = (streams ? plan.stream_k_tiles : slots) * plan.cluster_size;
  store.tiles = divided;
  if (params.stores_parts()) {
    store.tiles = (streams ? 2 * plan.launched_workers : parts) * plan.cluster_size;
  }
  if (!tw::sums_later(plan.reduction)) store.tickets = divided * params.warpgroups_per_tile();
  if (tw::partial_storage_of(plan.reduction) == tw::PartialStorage::Output) store.tiles = 0;
  store.bytes = store.tiles * tile_sum_bytes(plan);
  store.zeroed = tw::partial_storage_of(plan.reduction) == tw::PartialStorage::ZeroedTile;
  return store;
}

TileWarps warps_of(const KernelParams& params) {
  constexpr int kWarpgroup = 4;
  const tw::Sm90Params& p = sm90_of(params);
  return {.count = kWarpgroup * p.warpgroups_per_tile(), .group_rows = p.warpgroup_rows()};
}

}  // namespace

const FamilyRecord kSm90Family = {.family = Family::Sm90,
                                  .name = "sm90",
                                  .keys = kKeys,
                                  .persistent = true,
                                  .loads_by_tma = true,
                                  .rereads_operands = true,
                                  .runs_across_gpus = true,
                                  .params = params_of,
                                  .sources = sources_of,
                                  .why_no_kernel_for_places = why_no_kernel_for_places,
                                  .ctas_per_sm = ctas_of,
                                  .dynamic_smem_bytes = smem_bytes,
                                  .reject = reject_sm90_product,
                                  .reject_group = reject_sm90_group,
                                  .reject_update = reject_sm90_update,
                                  .partial_store = store_of,
                                  .warps = warps_of};

tw::Sm90Params sm90_params(const Plan& plan, const KernelExtras& extras) {
  tw::Sm90Params params = sm90_of(plan.kernel);
  params.trace = extras.trace;
  params.delays = extras.delays;
  params.long_offsets = extras.long_offsets;
  return params;
}

tw::Sm90Params sm90_params(const TileConfig& c, const Problem& p, const OperandPlaces& places) {
  const bool a_k_major = is_k_major_a(p.kind.layout);
  const bool b_k_major = is_k_major_b(p.kind.layout);
  const DataType output = output_type(p.kind);
  const OperandScale of_a = p.kind.epilogue.scale_a;
  const OperandScale of_b = p.kind.epilogue.scale_b;
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  const Reduction reduction = reduction_of(c.decomposition);
  const bool stages_a = is_staged(of_a);
  // Gates and ups that take turns in a tile have scales that lie apart.
  const bool stages_b = is_staged(of_b) && !p.kind.epilogue.stacked;
  tw::Sm90Params params{.cta_m = c.cta.m,
                        .cta_n = c.cta.n,
                        .cta_k = c.cta.k,
                        .stages = c.stages,
                        .cluster_m = c.cluster.m,
                        .cluster_n = c.cluster.n,
                        .schedule = c.schedule,
                        .element = p.kind.dtype,
                        .output = output,
                        .a_mn_major = c.swap_ab ? !b_k_major : !a_k_major,
                        .b_mn_major = c.swap_ab ? !a_k_major : !b_k_major,
                        .evict_first_a = c.swap_ab ? c.evict_first.b : c.evict_first.a,
                        .evict_first_b = c.swap_ab ? c.evict_first.a : c.evict_first.b,
                        .swap_ab = c.swap_ab,
                        .direct_store = !tma_stores(p, places),
                        .epilogue = epilogue_params(p.kind.epilogue),
                        .promoted = is_promoted(p.kind),
                        .scales_a = in_kernel(c.swap_ab ? of_b : of_a),
                        .scales_b = in_kernel(c.swap_ab ? of_a : of_b),
                        .staged_scales_a = c.swap_ab ? stages_b : stages_a,
                        .staged_scales_b = c.swap_ab ? stages_a : stages_b,
                        .rasters = tw::family_of(c.raster),
                        .division = division_of(c.decomposition),
                        .reduction = reduction};
  if (split != nullptr && tw::partial_storage_of(reduction) == tw::PartialStorage::SharedMemory)
    params.cluster_k = split->slices;
  // A kernel that only stores parts needs no buffers for whole tiles.
  if (split != nullptr && params.stores_parts()) params.direct_store = true;
  // Wider stores are better, and one more stage is better still. 128 bytes of a gated D come from
  // 128 columns of sums; their bias needs more registers than a thread has.
  if (params.epilogue.gated() && !params.swap_ab && !params.epilogue.bias) {
    params.store_columns = 128;
  }
  for (const int narrower : {64, 32, 16}) {
    if (narrower >= params.store_columns) continue;
    if (params.smem_bytes() > tw::Sm90Params::kMaxSmemBytes) params.store_columns = narrower;
  }
  // Divided tiles hold no stages: their parts use the stages otherwise, and parts that store
  // nothing would have to release them.
  if (params.division == tw::Division::None)
    params.stages_reused = stages_reused(params, p.shape.k);
  return params;
}

}  // namespace tilewright
