// Legality rules of the sm90 family, by the constants of its kernels.

#include <algorithm>
#include <limits>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/family/rules.hpp"
#include "tile/family/sm90.hpp"

namespace tilewright {
namespace {

using Verdict = std::optional<Rejection>;

/// One product, or the largest extents of several, and the kernel that would run it.
struct Candidate {
  const Problem& problem;
  const TileConfig& config;
  const DeviceSpec& device;
  const tw::Sm90Params& kernel;
};

Verdict check_architecture(const Candidate& x) {
  const DeviceSpec& d = x.device;
  if (d.compute_major == 9) return {};
  return Rejection{"architecture", format("the sm90 family needs compute capability 9.0; {} has "
                                          "{}.{}",
                                          d.name, d.compute_major, d.compute_minor)};
}

Verdict check_tile_shape(const Candidate& x) {
  const Problem& p = x.problem;
  const TileConfig& c = x.config;
  const int stage_k = tw::Sm90Params::kStageRowBytes / bytes_of(p.kind.dtype);
  const bool m_ok = c.cta.m >= 64 && c.cta.m <= 256 && c.cta.m % 64 == 0;
  const bool n_ok = (c.cta.n >= 8 && c.cta.n <= 256 && c.cta.n % 8 == 0) ||
                    (c.cta.n > 256 && c.cta.n <= 320 && c.cta.n % 16 == 0);
  if (!m_ok || !n_ok || c.cta.k != stage_k) {
    return Rejection{
        "tile-shape",
        format("cta {}: m is 64, 128, 192 or 256, n a multiple of 8 to 256 or of 16 to "
               "320, k {} of {}",
               to_string(c.cta), stage_k, to_string(p.kind.dtype))};
  }
  // 8 columns of D are 16 bytes, the smallest store of TMA.
  if (x.kernel.epilogue.gated() && c.cta.n % 16 != 0) {
    return Rejection{"tile-shape", format("cta {}: of {} n is a multiple of 16", to_string(c.cta),
                                          to_string(p.kind.epilogue))};
  }
  if (c.schedule != KernelSchedule::PingPong || c.cta.m <= 192) return {};
  return Rejection{"tile-shape",
                   format("cta {}: ping-pong tiles have at most 192 rows", to_string(c.cta))};
}

Verdict check_cluster(const Candidate& x) {
  constexpr int kMaxCtas = 8;
  const TileConfig& c = x.config;
  const DeviceSpec& d = x.device;
  const auto has_kernels = [](int ctas) { return ctas == 1 || ctas == 2 || ctas == 4; };
  const bool known = has_kernels(c.cluster.m) && has_kernels(c.cluster.n);
  const int size = c.cluster.m * c.cluster.n;
  if (!known || size > std::min(kMaxCtas, d.max_cluster_size)) {
    return Rejection{"cluster",
                     format("cluster {}: 1x1, 2x1, 1x2, 2x2, 4x1, 1x4, 4x2 and 2x4 have kernels",
                            to_string(c.cluster))};
  }
  if (size > d.sm_count) {
    return Rejection{"cluster", format("cluster {}: {} has {} multiprocessors",
                                       to_string(c.cluster), d.name, d.sm_count)};
  }
  // A CTA loads one part of a shared operand for all that share it: whole rows of a K-major one.
  // Multiples of 4 and 2 rows begin inside a swizzle atom; TMA swizzles by the address, so that
  // they lie as the whole tile's rows do.
  return {};
}

Verdict check_shared_memory(const Candidate& x) {
  const TileConfig& c = x.config;
  const DeviceSpec& d = x.device;
  const int bytes = x.kernel.smem_bytes();
  if (c.stages >= 2 && bytes <= d.smem_per_cta_bytes) return {};
  if (c.stages < 2) return Rejection{"shared-memory", "a pipeline needs at least 2 stages"};
  return Rejection{"shared-memory", format("{} stages of cta {} take {} bytes, {} has {}", c.stages,
                                           to_string(c.cta), bytes, d.name, d.smem_per_cta_bytes)};
}

// Registers of a promoted main loop beside the sums of the tile and of one wgmma: addresses, the
// walk of the units, and what a divided tile or ping-pong keeps. With three warpgroups ptxas keeps
// fewer addresses.
int held_beside_promotion(const tw::Sm90Params& params) {
  constexpr int kBesideDivided = 32;
  constexpr int kBesideGroup = 28;
  constexpr int kBesideCounter = 32;      // Grouping::Counter
  constexpr int kBesideStagedGroup = 22;  // a group with stages_scales()
  constexpr int kBesideTile = 20;
  constexpr int kBesideParts = 12;  // with several wgmmas a k-block
  constexpr int kSavedInTile = 8;
  constexpr int kSavedInGroup = 14;
  const bool counts = params.grouping == tw::Grouping::Counter;
  if (params.division != tw::Division::None || params.ping_pong()) {
    return kBesideDivided + (params.mma_rows() > 1 ? kBesideParts : 0);
  }
  const bool saves = params.consumer_warpgroups() == 3 && !params.gives_most_registers() && !counts;
  if (!params.grouped()) return kBesideTile - (saves ? kSavedInTile : 0);
  if (counts) return kBesideCounter;
  const bool scales_are_staged = params.stages_scales() && !params.epilogue.gated();
  return (scales_are_staged ? kBesideStagedGroup : kBesideGroup) - (saves ? kSavedInGroup : 0);
}

// A promoted main loop holds one wgmma's sums and scales beside the tile's sums.
Verdict check_promotion(const Candidate& x) {
  const TileConfig& c = x.config;
  const tw::Sm90Params& params = x.kernel;
  if (!params.promoted) return {};
  if (params.scales_column_blocks() && params.column_blocks() > 2) {
    return Rejection{"tile-shape",
                     format("cta {}: its columns may lie in {} blocks of 128, each with a scale of "
                            "its own; a kernel holds 2",
                            to_string(c.cta), params.column_blocks())};
  }
  constexpr int kBesideC = 8;
  constexpr int kBesideColumns = 16;  // each with a scale
  constexpr int kBesideGate = 12;
  constexpr int kBesideStackedRows = 24;  // of a ping-pong kernel with three row blocks
  const int of_columns = params.ping_pong() ? 2 * kBesideColumns : kBesideColumns;
  const bool stacks_rows = params.epilogue.stacked && params.ping_pong() && params.mma_rows() > 2;
  const int held = params.accumulator_registers() + params.promotion_registers() +
                   held_beside_promotion(params) + (params.epilogue.scaled ? kBesideC : 0) +
                   (params.epilogue.gated() ? kBesideGate : 0) +
                   (stacks_rows ? kBesideStackedRows : 0) +
                   (params.scales_b == ScaleForm::Vector ? of_columns : 0);
  const int budget = std::min(params.consumer_registers(), 255);
  if (held <= budget) return {};
  return Rejection{"registers",
                   format("cta {} ({}) holds {} accumulators a thread, and {} of a k-block that "
                          "promotion adds to them; {} of {} registers",
                          to_string(c.cta), to_string(c.schedule), params.accumulator_registers(),
                          params.mma_n() / 2, held, budget)};
}

// Registers of an epilogue that is more than a linear one.
int held_by_activation(const Candidate& x) {
  constexpr int kOfActivation = 8;
  return is_linear(x.problem.kind.epilogue) ? 0 : kOfActivation;
}

// Registers of the epilogue's operands and its activation beside those of a plain one.
int held_by_epilogue(const Candidate& x) {
  constexpr int kOfOperand = 16;  // the bias, or C in the store buffer
  constexpr int kOfBoth = 24;
  constexpr int kOfLoadedOperand = 24;  // where C is not there, or others are beside them
  constexpr int kOfErf = 24;
  const tw::Sm90Params& params = x.kernel;
  const tw::EpilogueParams& epilogue = params.epilogue;
  const int operands = (epilogue.adds_bias() ? 1 : 0) + (epilogue.scaled ? 1 : 0);
  const int activation = held_by_activation(x);
  const bool is_erf = epilogue.activation == tw::Activation::GeluErf ||
                      epilogue.activation == tw::Activation::GegluErf;
  if (operands == 0) return activation;
  const bool loads = params.direct_store || params.mirrored || epilogue.gated();
  if (loads || params.scales_lines() || epilogue.has_scaling()) {
    return operands * kOfLoadedOperand + (is_erf ? kOfErf : activation);
  }
  return (operands > 1 ? kOfBoth : kOfOperand) + (is_erf ? kOfErf : 0);
}

Verdict check_registers(const Candidate& x) {
  const TileConfig& c = x.config;
  const DeviceSpec& d = x.device;
  const tw::Sm90Params& params = x.kernel;
  // Registers beside the accumulators: addresses and the epilogue over a thread's life; operands of
  // one wgmma at launch, before the warpgroups have exchanged registers. Threads of divided tiles
  // also hold the place of their exchange, and in a cluster along k their share of the sum.
  constexpr int kBesideAccumulators = 40;
  constexpr int kBesideLines = 36;  // scales of a row block's rows and columns
  constexpr int kMaxBesideC = 144;  // accumulators of a group's ping-pong kernel that reads C
  constexpr int kBesideInstruction = 26;
  // Accumulators that compile without spills in every reduction, with alpha and beta.
  constexpr int kMaxDivided = 128;
  constexpr int kMaxStreamed = 120;
  constexpr int kMaxPingPong = 112;
  constexpr int kMaxOfThree = 64;  // warpgroups
  const int most_plain = params.consumer_warpgroups() == 3          ? kMaxOfThree
                         : params.ping_pong()                       ? kMaxPingPong
                         : params.division == tw::Division::StreamK ? kMaxStreamed
                                                                    : kMaxDivided;
  const int most = most_plain - held_by_activation(x);
  if (params.division != tw::Division::None && params.accumulator_registers() > most) {
    return Rejection{"registers",
                     format("cta {} ({}) holds {} accumulators a thread; {} leaves room for {}",
                            to_string(c.cta), to_string(c.schedule), params.accumulator_registers(),
                            to_string(c.decomposition), most)};
  }
  if (params.grouped() && params.ping_pong() && params.epilogue.scaled &&
      params.accumulator_registers() > kMaxBesideC) {
    return Rejection{"registers",
                     format("cta {} ({}) holds {} accumulators a thread; beside C it may hold {}",
                            to_string(c.cta), to_string(c.schedule), params.accumulator_registers(),
                            kMaxBesideC)};
  }
  const int share = params.cluster_k > 1 ? params.accumulator_registers() / params.cluster_k : 0;
  const int held = params.accumulator_registers() + share + kBesideAccumulators +
                   held_by_epilogue(x) +
                   (params.scales_lines() ? kBesideLines * params.mma_rows() : 0);
  const int budget = std::min(params.consumer_registers(), 255);
  if (held > budget) {
    return Rejection{
        "registers",
        format("cta {} ({}) holds {} accumulators a thread; {} of {} registers", to_string(c.cta),
               to_string(c.schedule), params.accumulator_registers(), held, budget)};
  }
  const int at_once = params.mma_n() / 2 + kBesideInstruction;
  if (at_once > params.launch_registers() || params.threads() * 24 > d.registers_per_sm) {
    return Rejection{
        "registers",
        format("one wgmma of cta {} takes {} registers, a thread of {} has {}", to_string(c.cta),
               at_once, params.threads(), params.launch_registers())};
  }
  return {};
}

// Limit of units and k-steps in a kernel's 32-bit counters, clusters included.
constexpr int64_t kMaxKernelCounts = std::numeric_limits<int32_t>::max() / 16;

// Split-K needs at least two slices: one slice would be data-parallel.
Verdict check_decomposition(const Candidate& x) {
  const Problem& p = x.problem;
  const TileConfig& c = x.config;
  const DeviceSpec& d = x.device;
  const int64_t k_steps = ceil_div<int64_t>(p.shape.k, c.cta.k);
  if (const auto* const split = std::get_if<SplitK>(&c.decomposition)) {
    if (split->slices < 2 || split->slices > k_steps) {
      return Rejection{"decomposition", format("{}: from 2 slices to a tile's {} k-steps",
                                               to_string(c.decomposition), k_steps)};
    }
    const int64_t slots = count_problem(workload_of(p), p.shape, c).work.slots;
    if (slots > kMaxKernelCounts / split->slices) {
      return Rejection{"decomposition",
                       format("{} of {} tiles: more than the {} units that the kernel counts",
                              to_string(c.decomposition), slots, kMaxKernelCounts)};
    }
  }
  if (std::holds_alternative<StreamK>(c.decomposition)) {
    const int64_t steps = make_plan(p, c, d).stream_k_steps;
    if (steps > kMaxKernelCounts) {
      return Rejection{"decomposition", format("{}: {} k-steps are more than the kernel counts",
                                               to_string(c.decomposition), steps)};
    }
  }
  return {};
}

Verdict check_operands(const Candidate& x) {
  const Problem& p = x.problem;
  const TileConfig& c = x.config;
  const tw::Sm90Params& params = x.kernel;
  constexpr int kTransposedBytes = 2;
  if (bytes_of(p.kind.dtype) != kTransposedBytes) {
    if (params.a_mn_major || params.b_mn_major) {
      return Rejection{"operands",
                       format("layout {}: wgmma reads {} operands along k only; use layout tn",
                              to_string(p.kind.layout), to_string(p.kind.dtype))};
    }
    if (repacked_operands(p) != Repacked{}) {
      return Rejection{"operands",
                       format("K = {}: TMA addresses rows of {} that are a multiple of "
                              "16 bytes; K = {} (padded with zeros) works",
                              p.shape.k, to_string(p.kind.dtype),
                              round_up(p.shape.k, int64_t{16} / bytes_of(p.kind.dtype)))};
    }
  }
  if (Verdict verdict = reject_stacked(p, c, x.device)) return verdict;
  if (params.b_mn_major && params.mma_tiles_n() > 1 &&
      params.mma_n() % tw::Sm90Params::kSlabLines != 0) {
    return Rejection{"operands", format("cta {}: each half of an operand whose {} is contiguous is "
                                        "a multiple of 64",
                                        to_string(c.cta), c.swap_ab ? 'm' : 'n')};
  }
  return {};
}

// The CTAs along k sum shares of whole 16 columns, through the pipeline's memory.
Verdict check_cluster_reduction(const TileConfig& c, const tw::Sm90Params& params,
                                const DeviceSpec& d) {
  const std::string name = to_string(c.decomposition);
  if (params.cluster_k > d.max_cluster_size) {
    return Rejection{"reduction",
                     format("{}: a cluster has at most {} CTAs", name, d.max_cluster_size)};
  }
  if (c.cluster != ClusterShape{} || c.schedule != KernelSchedule::Cooperative) {
    return Rejection{"reduction", format("{}: the slices form the cluster of a cooperative kernel; "
                                         "use cluster=1x1,schedule=cooperative",
                                         name)};
  }
  if (c.cta.n % (16 * params.cluster_k) != 0) {
    return Rejection{"reduction",
                     format("{}: {} CTAs cannot share {} columns in multiples of sixteen", name,
                            params.cluster_k, c.cta.n)};
  }
  if (params.delivered_bytes() > params.stages * params.stage_bytes()) {
    return Rejection{"reduction",
                     format("{}: {} bytes of partial sums do not fit {} stages of {}", name,
                            params.delivered_bytes(), params.stages, params.stage_bytes())};
  }
  return {};
}

Verdict check_reduction(const Candidate& x) {
  const Problem& p = x.problem;
  const TileConfig& c = x.config;
  const DeviceSpec& d = x.device;
  if (std::holds_alternative<DataParallel>(c.decomposition)) return {};
  const tw::Sm90Params& params = x.kernel;
  const Reduction reduction = reduction_of(c.decomposition);
  if (params.adds_in_place() && !is_linear(p.kind.epilogue)) {
    return Rejection{"reduction", format("{}: it adds parts to D, and {} needs their complete sum",
                                         to_string(c.decomposition), to_string(p.kind.epilogue))};
  }
  if (params.epilogue.gated() && params.swap_ab && reduction == Reduction::ReduceScatter) {
    return Rejection{"reduction", format("{}: with swap_ab, a gate and its up are in two threads, "
                                         "and may be in two parts; use serial",
                                         to_string(c.decomposition))};
  }
  const tw::PartialStorage partial_storage_of = tw::partial_storage_of(reduction);
  if (partial_storage_of == tw::PartialStorage::SharedMemory)
    return check_cluster_reduction(c, params, d);
  const bool in_place = partial_storage_of == tw::PartialStorage::Output;
  if (tw::record_of(reduction).bulk_copies && !in_place &&
      params.store_bytes() < tw::Sm90Params::kWarpgroupThreads * 16) {
    return Rejection{"reduction", format("{}: a store buffer of cta {} does not hold 16 bytes of "
                                         "each thread; n must be a multiple of 16",
                                         to_string(c.decomposition), to_string(c.cta))};
  }
  if (in_place && params.direct_store) {
    return Rejection{"reduction", format("{}: TMA adds to 16-bit elements of D only if rows are a "
                                         "multiple of 16 bytes; use serial",
                                         to_string(c.decomposition))};
  }
  const Plan plan = make_plan(p, c, d);
  // A multiprocessor surely holds one CTA; how many more depends on the compiler.
  const int64_t workers = plan.workers / plan.ctas_per_sm;
  if (tw::waits_for_all_in_memory(reduction) && plan.problems.front().work.slices > workers) {
    return Rejection{"reduction",
                     format("{}: the parts of a tile wait for each other, and {} holds {} of them",
                            to_string(c.decomposition), d.name, workers)};
  }
  return reject_partial_store(plan);
}

Verdict check_wave(const Candidate& x) {
  return reject_wave(x.problem, x.config, x.device);
}

Verdict check_group_keys(const Candidate& x) {
  return reject_group_keys(x.problem, x.config, x.device);
}

Verdict check_raster(const Candidate& x) {
  return reject_raster(x.problem, x.config, x.device);
}

}  // namespace

std::optional<Rejection> reject_sm90(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device, const tw::Sm90Params& kernel) {
  const Candidate candidate{problem, config, device, kernel};
  for (const auto check : {check_architecture, check_tile_shape, check_cluster, check_shared_memory,
                           check_promotion, check_registers, check_wave, check_group_keys,
                           check_decomposition, check_operands, check_reduction, check_raster}) {
    if (Verdict verdict = check(candidate)) return verdict;
  }
  return {};
}

std::optional<Rejection> reject_sm90_product(const Problem& problem, const TileConfig& config,
                                             const DeviceSpec& device) {
  return reject_sm90(problem, config, device, sm90_params(config, problem));
}

}  // namespace tilewright
