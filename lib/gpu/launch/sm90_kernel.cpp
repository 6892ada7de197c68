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

// True if the CTAs that share a tile wait for each other.
bool is_cooperative(const tw::Sm90Params& p) {
  return p.division != tw::Division::None && tw::waits_for_all_in_memory(p.reduction);
}

constexpr const char* kSm90Product = "gemm_sm90";
constexpr const char* kReduceWorkspace = "reduce_workspace";
constexpr const char* kPrepareGroup = "prepare_group";
constexpr const char* kRepack = "repack";

LaunchShape repack_shape(const Plan& plan) {
  constexpr int kEnough = 2048;
  return {.ctas = usable_sms(plan.workload.kind, kEnough), .threads = 256};
}

LaunchShape launch_shape(const tw::Sm90Params& p, int clusters) {
  return {.ctas = clusters * p.launch_cluster_size(),
          .threads = p.threads(),
          .cluster_size = p.launch_cluster_size(),
          .smem_bytes = p.smem_bytes(),
          .cooperative = is_cooperative(p)};
}

// Operands are copied in 16-bit elements: for other types, legality rejects rows that TMA cannot
// address.
constexpr int64_t kCopiedBytes = 2;

int64_t padded_columns(const Matrix& matrix) {
  // TMA requires multiples of 16 bytes; with 128 a row of a box is one line of L2 and not two.
  constexpr int64_t kUnit = 128 / kCopiedBytes;
  return round_up(matrix.columns, kUnit);
}

int64_t padded_bytes(const Matrix& matrix) {
  constexpr int64_t kCopyAlignment = 256;
  return round_up(matrix.rows * padded_columns(matrix) * kCopiedBytes, kCopyAlignment);
}

// A block of the kernel that reduces parts: `groups` of warps split the parts among them, and a
// block covers `spans` of 32 vec4s.
struct ReductionShape {
  int groups = 1;
  int spans = 4;
};

// A thread loads all its parts at once, so it gets no more than can be in flight. A warpgroup has a
// multiple of 4 spans, so that the spans of a block belong to one tile.
ReductionShape reduction_shape(int spans, int parts) {
  constexpr int kEnoughBlocks = 200;  // 256 took less than 128 and 512 at 256x256x65536 on an H200
  constexpr int kMaxWarps = tw::Sm90Params::kReduceWarps;
  ReductionShape shape;
  shape.groups = std::min(ceil_div(parts, tw::Sm90Params::kPartsAtOnce), kMaxWarps);
  const auto is_wide = [&] {
    return spans / shape.spans < kEnoughBlocks || shape.groups * shape.spans > kMaxWarps;
  };
  while (shape.spans > 1 && is_wide()) shape.spans /= 2;
  return shape;
}

// The launch of the kernel that reduces parts. Its CTAs split the spans: few loads per thread, all
// in flight at once, on as many multiprocessors as possible.
struct ReductionLaunch {
  ReductionShape blocks;
  LaunchShape shape;
};

// Empty if there are no parts.
std::optional<ReductionLaunch> reduction_launch(const tw::Sm90Params& params,
                                                const tw::LaunchWork<int>& work) {
  const int slots = params.division == tw::Division::StreamK ? work.stream_k_tiles : work.slots;
  constexpr int kWarp = 32;
  const int spans =
      slots * params.cluster_size() * params.warpgroups_per_tile() * params.partial_vec4s() / kWarp;
  if (spans == 0) return std::nullopt;
  const ReductionShape blocks = reduction_shape(spans, work.slices);
  return ReductionLaunch{blocks,
                         {.ctas = spans / blocks.spans,
                          .threads = blocks.groups * blocks.spans * kWarp,
                          .programmatic = true}};
}

// The kernels that a launch may run.
struct Sm90Programs {
  tw::Sm90Params params;
  LoadedKernel product;
  std::optional<LoadedKernel> repack = {};
  std::optional<LoadedKernel> reduction = {};
  std::optional<LoadedKernel> prepare_kernel = {};
  int resident_clusters = 0;
};

// Parts of a launch's scratch in this order, bytes: copies of operands, the data of groups, sums of
// parts.
struct ScratchLayout {
  int64_t copies = 0;
  int64_t group = 0;
  int64_t sums = 0;
  int64_t bytes() const { return copies + group + sums; }
};

int64_t copied_bytes(const Plan& plan) {
  return (plan.copies.a ? padded_bytes(operand_a(plan.product, {})) : 0) +
         (plan.copies.b ? padded_bytes(operand_b(plan.product, {})) : 0);
}

// Bytes of `tickets` in whole cache lines; partial tiles that must start as zeros follow them.
int64_t ticket_bytes(const PartialStore& store) {
  constexpr int64_t kTicketAlignment = 128;
  return round_up(store.ticket_bytes(), kTicketAlignment);
}

// Sums that must start as zeros follow the tickets, others are scratch.
int64_t zeroed_bytes(const PartialStore& store) {
  return ticket_bytes(store) + (store.zeroed ? store.bytes : 0);
}

int64_t scratch_sum_bytes(const PartialStore& store) {
  return store.zeroed ? 0 : store.bytes;
}

// The first unit of each CTA. For a triangle only its first phase: the k-blocks of the first loads
// do not pass the end of a phase.
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

// The product's arguments without addresses.
tw::GemmArgs sizes_of(const Plan& plan, const Problem& problem) {
  const PlannedProblem& planned = plan.problems.front();
  const GemmShape& s = planned.shape;
  tw::GemmArgs args;
  args.m = static_cast<int>(s.m);
  args.n = static_cast<int>(s.n);
  args.k = static_cast<int>(s.k);
  args.ldd = pitches_of(problem, plan.options.places).d;
  args.raster = planned.map.raster;
  args.clusters = planned.map.clusters;
  args.work = launch_work(plan);
  args.phase_steps = phase_steps(plan);
  args.blocks = planned.map.peers;
  if (is_across_gpus(plan.workload)) {
    args.m = static_cast<int>(stored_rows(s, plan.workload.parallel));
    args.block_slots = args.work.slots / args.blocks.count();
  }
  return args;
}

class Sm90Launch : public PlannedLaunch {
 public:
  Sm90Launch(const Sm90Programs& programs, const Plan& plan)
      : programs_(programs),
        plan_(plan),
        problem_(is_group(plan.workload) ? packed_product(plan.workload) : plan.product),
        group_(plan_, programs.params),
        store_(partial_store(plan_)),
        scratch_{.copies = copied_bytes(plan_),
                 .group = group_.scratch_bytes(),
                 .sums = scratch_sum_bytes(store_)},
        sizes_(sizes_of(plan_, problem_)),
        first_(programs.params.grouped() ? tw::FirstUnits{} : first_units_of(plan_)) {}

  int64_t workspace_bytes() const override {
    constexpr int64_t kCounterBytes = 128;
    if (programs_.params.grouping == tw::Grouping::Counter) return kCounterBytes;
    return zeroed_bytes(store_);
  }
  // Groups copy no operands.
  int64_t scratch_bytes() const override { return scratch_.bytes(); }
  int64_t device_bytes() const override { return group_.table_bytes(); }
  int64_t trace_record_count() const override {
    return product_records() + 1;  // the second kernel's
  }
  void launch(const GemmLaunch& launch) const override;

 private:
  tw::GemmArgs arguments_of(const GemmLaunch& launch) const;
  void repack(const GemmLaunch& launch, Matrix& a, Matrix& b) const;
  PeerTrailing peer_arguments(const tw::PeerArgs& peers, const Sm90Maps& maps, Matrix& a) const;
  void reduce_partials(const tw::GemmArgs& args, cudaStream_t stream) const;
  int64_t product_records() const {
    return group_.max_units_per_worker() * plan_.launched_workers * plan_.cluster_size;
  }

  const Sm90Programs& programs_;
  Plan plan_;
  Problem problem_;  // for a group: the product that its packed rows form
  GroupWriter group_;
  PartialStore store_;
  ScratchLayout scratch_;
  tw::GemmArgs sizes_;
  tw::FirstUnits first_;
};

// Copies the operands that TMA cannot address into the scratch, and points `a` and `b` there.
void Sm90Launch::repack(const GemmLaunch& launch, Matrix& a, Matrix& b) const {
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
  if (plan_.copies.a) move(a, args.matrices[0]);
  if (plan_.copies.b) move(b, args.matrices[1]);
  void* arguments[] = {&args};
  programs_.repack->launch(repack_shape(plan_), arguments, launch.stream);
}

tw::GemmArgs Sm90Launch::arguments_of(const GemmLaunch& launch) const {
  char* const partials =
      store_.zeroed ? static_cast<char*>(launch.workspace) + ticket_bytes(store_)
                    : static_cast<char*>(launch.scratch) + scratch_.copies + scratch_.group;
  tw::GemmArgs args = sizes_;
  args.epilogue = epilogue_args(plan_, launch.operands, launch.scalars);
  args.d = launch.operands.d;
  args.partials = reinterpret_cast<float*>(partials);
  args.tickets = static_cast<unsigned*>(launch.workspace);
  args.trace = launch.trace;
  return args;
}

void Sm90Launch::reduce_partials(const tw::GemmArgs& args, cudaStream_t stream) const {
  const std::optional<ReductionLaunch> reduction = reduction_launch(programs_.params, args.work);
  if (!reduction) return;
  tw::ReduceArgs reduce{.gemm = args,
                        .workers = static_cast<int>(plan_.launched_workers),
                        .groups = reduction->blocks.groups,
                        .spans = reduction->blocks.spans,
                        .trace = args.trace == nullptr ? nullptr : args.trace + product_records()};
  void* arguments[] = {&reduce};
  programs_.reduction->launch(reduction->shape, arguments, stream);
}

// `a` is all rows of A, of which it leaves the own ones where they are gathered.
PeerTrailing Sm90Launch::peer_arguments(const tw::PeerArgs& peers, const Sm90Maps& maps,
                                        Matrix& a) const {
  PeerTrailing trailing{};
  trailing.peers = peers;
  if (!programs_.params.gathers()) return trailing;
  Matrix all = a;
  for (const unsigned turn : {0U, 1U}) {
    all.data = peers.data(sizes_.blocks.rank, turn);
    trailing.gathered[turn] = maps.left_map(all, plan_.workload.kind.dtype);
  }
  a.rows /= plan_.workload.parallel.gpus;
  return trailing;
}

void Sm90Launch::launch(const GemmLaunch& launch) const {
  const tw::Sm90Params& params = programs_.params;
  const OperandSet& o = launch.operands;
  const OperandPlaces& places = plan_.options.places;
  Matrix a = operand_a(problem_, o, places);
  Matrix b = operand_b(problem_, o, places);
  if (params.packed_rows()) b.rows *= std::ssize(plan_.problems);
  if (plan_.copies != Repacked{}) repack(launch, a, b);
  ProductMaps maps{};
  PhaseMaps phases{};
  PeerTrailing peers{};
  if (!params.per_problem_shapes) {
    const Sm90Maps own(params, plan_.config.l2_promotion_bytes);
    Problem stored = problem_;
    stored.shape.m = stored_rows(stored.shape, plan_.workload.parallel);
    if (launch.peers != nullptr) peers = peer_arguments(*launch.peers, own, a);
    maps = own.product_maps(stored, a, b, o.d, sizes_.ldd);
    phases = own.phase_maps(problem_, o, places);
  }
  tw::GemmArgs args = arguments_of(launch);
  tw::GroupArgs group =
      group_.write(launch, programs_.prepare_kernel ? &*programs_.prepare_kernel : nullptr);
  tw::FirstUnits first = first_;
  tw::OperandScales scales = operand_scales(plan_, o);
  void* const trailing = params.scales_k_blocks() ? static_cast<void*>(&scales)
                         : params.across_gpus()   ? static_cast<void*>(&peers)
                                                  : static_cast<void*>(&phases);
  void* arguments[] = {&maps.a, &maps.b, &maps.d, &maps.d_tail, &args, &first, &group, trailing};
  const LaunchShape shape = launch_shape(params, static_cast<int>(plan_.launched_workers));
  programs_.product.launch(waiting_shape(shape, launch), arguments, launch.stream);
  if (programs_.reduction) reduce_partials(args, launch.stream);
}

class Sm90Kernel : public GemmKernel {
 public:
  Sm90Kernel(std::span<const std::string> cubins, const tw::Sm90Params& params)
      : programs_{.params = params, .product = {cubins.front(), kSm90Product}} {
    size_t next = 1;
    if (params.has_second_kernel()) programs_.reduction.emplace(cubins[next++], kReduceWorkspace);
    if (params.has_preparing_kernel())
      programs_.prepare_kernel.emplace(cubins[next++], kPrepareGroup);
    if (next < cubins.size()) programs_.repack.emplace(cubins[next], kRepack);
    programs_.product.allow_smem(params.smem_bytes());
    programs_.resident_clusters = programs_.product.resident_clusters(launch_shape(params, 1));
  }

  std::unique_ptr<PlannedLaunch> make_launch(const Plan& plan) const override {
    return std::make_unique<Sm90Launch>(programs_, plan);
  }

  // From the number of clusters that the driver reports.
  std::optional<int64_t> resident_ctas() const override {
    return int64_t{programs_.resident_clusters} * programs_.params.launch_cluster_size();
  }

 private:
  Sm90Programs programs_;
};

}  // namespace

LaunchMemory sm90_memory(const Plan& plan) {
  const PartialStore store = partial_store(plan);
  return {.zeroed = zeroed_bytes(store), .scratch = copied_bytes(plan) + scratch_sum_bytes(store)};
}

std::vector<LaunchStep> sm90_steps(const Plan& plan) {
  const tw::Sm90Params params = sm90_params(plan, {});
  std::vector<LaunchStep> steps;
  if (plan.copies != Repacked{}) steps.push_back({kRepack, repack_shape(plan)});
  if (params.has_preparing_kernel()) steps.push_back({kPrepareGroup, prepare_kernel_shape(plan)});
  steps.push_back({kSm90Product, launch_shape(params, static_cast<int>(plan.launched_workers))});
  if (!params.has_second_kernel()) return steps;
  if (const auto reduction = reduction_launch(params, launch_work(plan)))
    steps.push_back({kReduceWorkspace, reduction->shape});
  return steps;
}

std::unique_ptr<GemmKernel> load_sm90_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras) {
  return std::make_unique<Sm90Kernel>(cubins, sm90_params(plan, extras));
}

}  // namespace tilewright
