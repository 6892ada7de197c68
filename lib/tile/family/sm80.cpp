#include "tile/family/sm80.hpp"

#include <algorithm>
#include <array>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/config/definition_text.hpp"
#include "tile/family/rules.hpp"
#include "tile/plan/partial_store.hpp"
#include "tools/finish_args.cuh"

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
  constexpr int kMaxWarps = 16;
  const bool count_ok = w.m >= 1 && w.n >= 1 && w.m * w.n <= kMaxWarps;
  if (count_ok && c.cta.m % (16 * w.m) == 0 && c.cta.n % (16 * w.n) == 0) return {};
  return Rejection{"warps", format("warps {}: 1 to {} that cut cta {} into multiples of 16x16",
                                   to_string(w), kMaxWarps, to_string(c.cta))};
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
  if (smem.base < 3) return refuse("it would split 16-byte rows: the base is at least 3");
  if (smem.bits < 1 || distance < smem.bits || smem.bits + smem.base + distance > 24) {
    return refuse("the shift is at least as large as the bits");
  }
  const int block = 1 << (smem.bits + smem.base + std::max(0, -smem.shift));
  const tw::Sm80Params params = sm80_params(c, p);
  for (const tw::StageTile& tile : {params.a_tile(), params.b_tile()}) {
    if (tile.elements() % block == 0) continue;
    return refuse(format("an operand's tile of {} elements is not a multiple of its {}",
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

// Registers per unit of a copy: its address, or 32 bytes in flight.
int copy_registers(const tw::StageTile& tile, int copy_bytes, int threads) {
  const bool through_registers = copy_bytes == 2;
  const int unit = through_registers ? 8 : copy_bytes / tw::Sm80Params::kElementBytes;
  const int units = tile.rows * tile.row_length / unit / threads;
  return through_registers ? 10 * units : std::min(units, 24);
}

// Why a thread needs more registers than it has; empty where they suffice.
std::string why_spilled(const tw::Sm80Params& params, const TileConfig& c, int registers_per_sm) {
  // Operands of two steps beside the sums; addresses and the epilogue take the rest.
  const int operands = 2 * (4 * params.mma_rows() + 2 * params.mma_columns());
  const int copies = copy_registers(params.a_tile(), params.a_copy_bytes, params.threads()) +
                     copy_registers(params.b_tile(), params.b_copy_bytes, params.threads());
  constexpr int kOthers = 48;
  const int held = params.accumulator_registers() + operands + copies + kOthers;
  const int budget = std::min(registers_per_sm / params.threads() / 8 * 8, 255);
  if (held <= budget) return "";
  return format("cta {} by {} warps: a thread holds {} sums; {} of {} registers", to_string(c.cta),
                to_string(c.sm80.warps), params.accumulator_registers(), held, budget);
}

Verdict check_sm80_registers(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  std::string why = why_spilled(sm80_params(c, p), c, d.registers_per_sm);
  if (why.empty()) return {};
  return Rejection{"registers", std::move(why)};
}

Verdict check_sm80_decomposition(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  return reject_split(p, c, d, {Reduction::Serial, Reduction::Workspace});
}

Verdict reject(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  for (const auto check :
       {reject_below_sm80, reject_other_than_16_bit, check_sm80_tile_shape, check_sm80_warps,
        check_sm80_arrangement, check_sm80_shared_memory, check_sm80_registers, reject_stacked}) {
    if (Verdict verdict = check(problem, config, device)) return verdict;
  }
  for (const auto check : {reject_wave, check_sm80_decomposition, reject_raster}) {
    if (Verdict verdict = check(problem, config, device)) return verdict;
  }
  return {};
}

constexpr std::array<std::string_view, 7> kKeys = {"family", "cta",    "warps",        "stages",
                                                   "smem",   "raster", "decomposition"};

// The widest copy that rows of `row_elements`, `pitch` elements apart, allow.
int copy_bytes(int64_t row_elements, int64_t pitch, int alignment) {
  int bytes = alignment;
  const int64_t unit = tw::Sm80Params::kElementBytes;
  while (bytes > unit && (row_elements * unit % bytes != 0 || pitch * unit % bytes != 0))
    bytes /= 2;
  return bytes;
}

tw::SplitKMode split_mode(const Decomposition& decomposition) {
  if (std::holds_alternative<DataParallel>(decomposition)) return tw::SplitKMode::None;
  return tw::sums_later(reduction_of(decomposition)) ? tw::SplitKMode::Workspace
                                                     : tw::SplitKMode::Serial;
}

KernelParams params_of(const Workload& workload, const TileConfig& config,
                       const OperandPlaces& places) {
  return sm80_params(config, problem_of(workload, 0), places);
}

// The epilogue runs in the reduction kernel where slices are in the workspace, else in the product.
std::vector<KernelSource> sources_of(const Plan& plan, const KernelExtras& extras) {
  const tw::Sm80Params p = sm80_params(plan, extras);
  std::vector<KernelSource> sources = {
      {"sm80/gemm_sm80.cu", definition_text("sm80/params.cuh", "tw::Sm80Params", "kParams", p)}};
  if (sums_slices(p)) {
    const tw::FinishParams finish{.element = p.element, .output = p.output, .epilogue = p.epilogue};
    sources.push_back(
        {"sm80/sum_slices.cu",
         definition_text("tools/finish_args.cuh", "tw::FinishParams", "kFinishParams", finish)});
  }
  return sources;
}

const tw::Sm80Params& sm80_of(const KernelParams& params) {
  return std::get<tw::Sm80Params>(params);
}

// Copies narrower than the sizes alone would need take more registers.
std::string why_no_kernel_for_places(const Plan& plan) {
  constexpr int kRegistersPerSm = 65536;  // of every device that the family runs on
  return why_spilled(sm80_of(plan.kernel), plan.config, kRegistersPerSm);
}

int ctas_of(const KernelParams& params, const DeviceSpec& device) {
  // Beside the sums: addresses, fragments and the epilogue.
  constexpr int kOtherRegisters = 80;
  const tw::Sm80Params& p = sm80_of(params);
  return resident_ctas(p.threads(), p.accumulator_registers() + kOtherRegisters, p.smem_bytes(),
                       device);
}

int smem_bytes(const KernelParams& params) {
  return sm80_of(params).smem_bytes();
}

// Serial: one tile of sums and one turnstile per slot. Workspace: every slice stores a whole
// matrix, and a second kernel sums them.
PartialStore store_of(const Plan& plan) {
  const tw::ProblemWork<int64_t>& work = plan.problems.front().work;
  if (sm80_of(plan.kernel).split == tw::SplitKMode::Serial) {
    return {.tiles = work.slots, .bytes = work.slots * tile_sum_bytes(plan), .tickets = work.slots};
  }
  return {.tiles = work.units(), .bytes = slice_stride(plan) * work.slices * kSumBytes};
}

TileWarps warps_of(const KernelParams& params) {
  const tw::Sm80Params& p = sm80_of(params);
  return {.count = p.warps_m * p.warps_n, .group_rows = p.warp_m()};
}

}  // namespace

const FamilyRecord kSm80Family = {.family = Family::Sm80,
                                  .name = "sm80",
                                  .keys = kKeys,
                                  .persistent = false,
                                  .loads_by_tma = false,
                                  .rereads_operands = true,
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

int64_t slice_stride(const Plan& plan) {
  const GemmShape& shape = plan.problems.front().shape;
  return round_up<int64_t>(shape.m * shape.n, tw::kPartialVector);
}

bool sums_slices(const tw::Sm80Params& params) {
  return params.split == tw::SplitKMode::Workspace;
}

tw::Sm80Params sm80_params(const Plan& plan, const KernelExtras& extras) {
  tw::Sm80Params params = std::get<tw::Sm80Params>(plan.kernel);
  params.trace = extras.trace;
  return params;
}

tw::Sm80Params sm80_params(const TileConfig& c, const Problem& p, const OperandPlaces& places) {
  const Pitches pitch = pitches_of(p, places);
  const bool a_k_major = is_k_major_a(p.kind.layout);
  const bool b_k_major = is_k_major_b(p.kind.layout);
  return {
      .cta_m = c.cta.m,
      .cta_n = c.cta.n,
      .cta_k = c.cta.k,
      .warps_m = c.sm80.warps.m,
      .warps_n = c.sm80.warps.n,
      .stages = c.stages,
      .smem = c.sm80.smem,
      .element = p.kind.dtype,
      .output = output_type(p.kind),
      .a_k_major = a_k_major,
      .b_k_major = b_k_major,
      .a_copy_bytes = copy_bytes(a_k_major ? p.shape.k : p.shape.m, pitch.a, places.a.alignment),
      .b_copy_bytes = copy_bytes(b_k_major ? p.shape.k : p.shape.n, pitch.b, places.b.alignment),
      .rasters = tw::family_of(c.raster),
      .split = split_mode(c.decomposition),
      .epilogue = epilogue_params(p.kind.epilogue)};
}

}  // namespace tilewright
