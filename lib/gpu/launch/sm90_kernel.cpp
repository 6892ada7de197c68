#include "gpu/launch/sm90_kernel.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/sm90_group.hpp"
#include "gpu/launch/sm90_maps.hpp"
#include "sm90/args.cuh"
#include "tile/family/sm90.hpp"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

// The parts of a tile wait for each other.
bool joins_together(const tw::Sm90Params& p) {
  return p.division != tw::Division::None && tw::meets_in_memory(p.reduction);
}

LaunchShape launch_shape(const tw::Sm90Params& p, int clusters) {
  return {.ctas = clusters * p.launch_cluster_size(),
          .threads = p.threads(),
          .cluster_size = p.launch_cluster_size(),
          .smem_bytes = p.smem_bytes(),
          .cooperative = joins_together(p)};
}

// Operands are copied in 16-bit elements: legality refuses others whose rows TMA cannot address.
constexpr int64_t kCopiedBytes = 2;

int64_t padded_columns(const Matrix& matrix) {
  // TMA asks for 16 bytes; at 128 a row of a box is one line of L2 and not two.
  constexpr int64_t kUnit = 128 / kCopiedBytes;
  return round_up(matrix.columns, kUnit);
}

int64_t padded_bytes(const Matrix& matrix) {
  constexpr int64_t kCopyAlignment = 256;
  return round_up(matrix.rows * padded_columns(matrix) * kCopiedBytes, kCopyAlignment);
}

// Groups of warps that share the parts out, and spans of 32 quads, of a block that sums parts.
struct SumShape {
  int groups = 1;
  int spans = 4;
};

// A thread loads its parts at once, and not more of them than stay in flight. A warpgroup has a
// multiple of 4 spans, so that those of a block are of one tile.
SumShape sum_shape(int spans, int parts) {
  constexpr int kEnoughBlocks = 200;  // 256 took less than 128 and 512 at 256x256x65536 on an H200
  constexpr int kMostWarps = tw::Sm90Params::kReduceWarps;
  SumShape shape;
  shape.groups = std::min(ceil_div(parts, tw::Sm90Params::kPartsAtOnce), kMostWarps);
  const auto is_wide = [&] {
    return spans / shape.spans < kEnoughBlocks || shape.groups * shape.spans > kMostWarps;
  };
  while (shape.spans > 1 && is_wide()) shape.spans /= 2;
  return shape;
}

class Sm90Kernel : public GemmKernel {
 public:
  Sm90Kernel(std::span<const std::string> cubins, const tw::Sm90Params& params)
      : params_(params), kernel_(cubins.front(), "gemm_sm90") {
    size_t next = 1;
    if (sums_parts(params_)) sum_.emplace(cubins[next++], "reduce_workspace");
    if (params_.device_lists()) lister_.emplace(cubins[next++], "list_problems");
    if (next < cubins.size()) repack_.emplace(cubins[next], "repack");
    kernel_.allow_smem(params_.smem_bytes());
    resident_clusters_ = kernel_.resident_clusters(launch_shape(params_, 1));
  }

  int64_t workspace_bytes(const Plan& plan) const override {
    constexpr int64_t kCounterBytes = 128;
    if (params_.grouping == tw::Grouping::Counter) return kCounterBytes;
    const PartialStore store = partial_store(plan);
    return turn_bytes(store) + (store.zeroed ? store.bytes : 0);
  }

  int64_t scratch_bytes(const Plan& plan) const override {
    const PartialStore store = partial_store(plan);
    // Groups copy no operands.
    return repacked_bytes(plan) + group_scratch_bytes(plan) + (store.zeroed ? 0 : store.bytes);
  }

  int64_t trace_record_count(const Plan& plan) const override {
    return most_turns(plan) * plan.launched_workers * plan.cluster_size;
  }

  void launch(const Plan& plan, const GemmLaunch& launch) const override;

  // As many clusters as the driver says.
  int64_t resident_ctas() const override {
    return int64_t{resident_clusters_} * params_.launch_cluster_size();
  }

 private:
  static int64_t repacked_bytes(const Plan& plan) {
    return (plan.copies.a ? padded_bytes(operand_a(plan.product, {})) : 0) +
           (plan.copies.b ? padded_bytes(operand_b(plan.product, {})) : 0);
  }

  // Partial tiles that begin as zeros lie behind the turns, in whole cache lines.
  static int64_t turn_bytes(const PartialStore& store) {
    constexpr int64_t kTurnsAlignment = 128;
    return round_up(store.turn_bytes(), kTurnsAlignment);
  }

  tw::GemmArgs arguments_of(const Problem& problem, const Plan& plan,
                            const GemmLaunch& launch) const;
  void sum_parts(const tw::GemmArgs& args, int64_t workers, cudaStream_t stream) const;
  void repack(const Plan& plan, const GemmLaunch& launch, Matrix& a, Matrix& b) const;

  tw::Sm90Params params_;
  LoadedKernel kernel_;
  std::optional<LoadedKernel> repack_;
  std::optional<LoadedKernel> sum_;
  std::optional<LoadedKernel> lister_;
  int resident_clusters_ = 0;
};

// Copies the operands that TMA cannot address into the scratch, and points `a` and `b` there.
void Sm90Kernel::repack(const Plan& plan, const GemmLaunch& launch, Matrix& a, Matrix& b) const {
  auto* to = static_cast<char*>(launch.scratch);
  tw::RepackArgs args;
  const auto move = [&to](Matrix& matrix, tw::RepackMatrix& copy) {
    copy = {.from = static_cast<const unsigned short*>(matrix.data),
            .to = reinterpret_cast<unsigned short*>(to),
            .rows = matrix.rows,
            .columns = matrix.columns,
            .from_pitch = matrix.pitch,
            .pitch = padded_columns(matrix)};
    to += padded_bytes(matrix);
    matrix.data = copy.to;
    matrix.pitch = copy.pitch;
  };
  if (plan.copies.a) move(a, args.matrices[0]);
  if (plan.copies.b) move(b, args.matrices[1]);
  void* arguments[] = {&args};
  constexpr LaunchShape kShape{.ctas = 2048, .threads = 256};
  repack_->launch(kShape, arguments, launch.stream);
}

// Of a triangle's unit the first phase, whose end no k-block of the first loads passes.
tw::FirstUnits first_units_of(const Plan& plan) {
  const int64_t ctas = plan.launched_workers * plan.cluster_size;
  tw::FirstUnits first;
  int cta = 0;
  for (const std::optional<WorkTile>& unit :
       first_units(plan, std::min<int64_t>(ctas, tw::kFirstUnits))) {
    if (unit) {
      const int end = std::min(unit->k_end, unit->k_begin + phase_steps(plan));
      first.of_cta[cta] = {{unit->m, unit->n}, {unit->k_begin, end}};
    }
    ++cta;
  }
  return first;
}

tw::GemmArgs Sm90Kernel::arguments_of(const Problem& problem, const Plan& plan,
                                      const GemmLaunch& launch) const {
  const PlannedProblem& planned = plan.problems.front();
  const GemmShape& s = planned.shape;
  const OperandSet& o = launch.operands;
  const PartialStore store = partial_store(plan);
  char* const partials = store.zeroed ? static_cast<char*>(launch.workspace) + turn_bytes(store)
                                      : static_cast<char*>(launch.scratch) + repacked_bytes(plan) +
                                            (store.bytes > 0 ? group_scratch_bytes(plan) : 0);
  return {.m = static_cast<int>(s.m),
          .n = static_cast<int>(s.n),
          .k = static_cast<int>(s.k),
          .epilogue = epilogue_args(plan, launch.operands),
          .d = o.d,
          .ldd = pitches_of(problem, plan.options.places).d,
          .raster = planned.map.raster,
          .clusters = planned.map.clusters,
          .work = launch_work(plan),
          .partials = reinterpret_cast<float*>(partials),
          .turns = static_cast<unsigned*>(launch.workspace),
          .trace = launch.trace,
          .phase_steps = phase_steps(plan)};
}

// Few loads a thread, all of them in flight at once, on as many multiprocessors as there are.
void Sm90Kernel::sum_parts(const tw::GemmArgs& args, int64_t workers, cudaStream_t stream) const {
  const int slots =
      params_.division == tw::Division::StreamK ? args.work.streamed : args.work.slots;
  constexpr int kWarp = 32;
  const int spans = slots * params_.cluster_size() * params_.warpgroups_per_tile() *
                    params_.partial_quads() / kWarp;
  if (spans == 0) return;
  const SumShape shape = sum_shape(spans, args.work.slices);
  tw::ReduceArgs reduce{.gemm = args,
                        .workers = static_cast<int>(workers),
                        .groups = shape.groups,
                        .spans = shape.spans};
  void* arguments[] = {&reduce};
  sum_->launch({.ctas = spans / shape.spans,
                .threads = shape.groups * shape.spans * kWarp,
                .programmatic = true},
               arguments, stream);
}

void Sm90Kernel::launch(const Plan& plan, const GemmLaunch& launch) const {
  const Problem problem = is_group(plan.workload) ? packed_product(plan.workload) : plan.product;
  const OperandSet& o = launch.operands;
  const OperandPlaces& places = plan.options.places;
  Matrix a_matrix = operand_a(problem, o, places);
  Matrix b_matrix = operand_b(problem, o, places);
  if (params_.packed_rows()) b_matrix.rows *= static_cast<int64_t>(plan.problems.size());
  if (repack_) repack(plan, launch, a_matrix, b_matrix);
  const Sm90Maps own(params_, plan.config.l2_promotion_bytes);
  ProductMaps maps{};
  if (!params_.own_sizes) {
    maps = own.product_maps(problem, a_matrix, b_matrix, o.d, pitches_of(problem, places).d);
  }
  const int64_t clusters = plan.launched_workers;
  tw::GemmArgs args = arguments_of(problem, plan, launch);
  tw::FirstUnits first = params_.grouped() ? tw::FirstUnits{} : first_units_of(plan);
  tw::GroupArgs group = write_group(plan, params_, launch, lister_ ? &*lister_ : nullptr);
  PhaseMaps phases{};
  if (!params_.own_sizes) phases = own.phase_maps(problem, o, places);
  void* arguments[] = {&maps.a, &maps.b, &maps.d, &maps.d_tail, &args, &first, &group, &phases};
  if (joins_together(params_) && args.work.slices > clusters) {
    throw environment_error(
        format("{}: {} slices of a tile wait for each other, and the device "
               "holds {} clusters",
               to_string(plan.config.decomposition), args.work.slices, clusters));
  }
  kernel_.launch(launch_shape(params_, static_cast<int>(clusters)), arguments, launch.stream);
  if (sum_) sum_parts(args, clusters, launch.stream);
}

}  // namespace

std::unique_ptr<GemmKernel> load_sm90_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras) {
  return std::make_unique<Sm90Kernel>(cubins, sm90_params(plan, extras));
}

}  // namespace tilewright
