#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/compile/check.hpp"
#include "gpu/compile/kernel_text.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/tensor_map.hpp"
#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

tw::Sm90Params sm90_params_of(const Plan& plan, const KernelExtras& extras) {
  tw::Sm90Params params = std::get<tw::Sm90Params>(plan.kernel);
  params.scaled = extras.scaled;
  params.trace = extras.trace;
  params.delays = extras.delays;
  return params;
}

// Programs that are specialised on the same constants.
KernelSource source_of(const char* file, const tw::Sm90Params& p) {
  return {.file = file,
          .config_header = definition_text("sm90/params.cuh", "tw::Sm90Params", "kParams", p)};
}

bool sums_later(const tw::Sm90Params& p) {
  return p.division != tw::Division::None && tw::sums_later(p.reduction);
}

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

// An operand as it lies in memory: its lines (rows of A, columns of B) along k or the other way
// round.
struct Matrix {
  const void* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;  // contiguous
  int64_t pitch = 0;    // elements between rows
};

Matrix operand(const void* data, int64_t lines, int64_t k, bool mn_major) {
  return mn_major ? Matrix{data, k, lines, lines} : Matrix{data, lines, k, k};
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

// A table of the host as the device reads it: first_entry of every worker and one more, then the
// entries of all. Its problems are the user's.
std::vector<int> packed_table(const Plan& plan) {
  const ScheduleTable table = schedule_table(plan);
  std::vector<int> words = {0};
  for (const auto& entries : table.of_worker) {
    words.push_back(words.back() + static_cast<int>(entries.size()));
  }
  if (words.size() % 2 != 0) words.push_back(0);  // entries are read as 8 bytes
  for (const auto& entries : table.of_worker) {
    for (const tw::TableEntry& entry : entries) {
      words.push_back(plan.order[static_cast<size_t>(entry.problem)]);
      words.push_back(entry.unit);
    }
  }
  return words;
}

// PhaseMaps of kernels/sm90/triangle_tile.cuh as the host fills it.
struct PhaseMaps {
  CUtensorMap left[tw::kMostPhases];
  CUtensorMap right[tw::kMostPhases];
  CUtensorMap d;
  CUtensorMap d_tail;
};

class Sm90Kernel : public GemmKernel {
 public:
  Sm90Kernel(std::span<const std::string> cubins, const tw::Sm90Params& params)
      : params_(params), kernel_(cubins.front(), "gemm_sm90") {
    size_t next = 1;
    if (sums_later(params_)) sum_.emplace(cubins[next++], "reduce_workspace");
    if (next < cubins.size()) repack_.emplace(cubins[next], "repack");
    kernel_.allow_smem(params_.smem_bytes());
    resident_clusters_ = kernel_.resident_clusters(launch_shape(params_, 1));
  }

  int64_t workspace_bytes(const Plan& plan) const override {
    const PartialStore store = partial_store(plan);
    return turn_bytes(store) + (store.zeroed ? store.bytes : 0);
  }

  int64_t scratch_bytes(const Plan& plan) const override {
    const PartialStore store = partial_store(plan);
    return repacked_bytes(plan) + table_bytes(plan) + (store.zeroed ? 0 : store.bytes);
  }

  int64_t trace_record_count(const Plan& plan) const override {
    return plan.most_units * plan.launched_workers * plan.cluster_size;
  }

  void launch(const Plan& plan, const GemmLaunch& launch) const override;

  // As many clusters as the driver says.
  int64_t resident_ctas() const override {
    return int64_t{resident_clusters_} * params_.launch_cluster_size();
  }

 private:
  static Matrix operand_a(const Problem& p, const OperandSet& o) {
    return operand(o.a, p.shape.m, p.shape.k, !k_contiguous_a(p.layout));
  }
  static Matrix operand_b(const Problem& p, const OperandSet& o) {
    return operand(o.b, p.shape.n, p.shape.k, !k_contiguous_b(p.layout));
  }
  static int64_t repacked_bytes(const Plan& plan) {
    return (plan.copies.a ? padded_bytes(operand_a(plan.product, {})) : 0) +
           (plan.copies.b ? padded_bytes(operand_b(plan.product, {})) : 0);
  }

  // Of a table in the scratch; such launches divide nothing and copy no operands.
  static int64_t table_bytes(const Plan& plan) {
    if (std::get<tw::Sm90Params>(plan.kernel).grouping != tw::Grouping::Table) return 0;
    return static_cast<int64_t>(packed_table(plan).size() * sizeof(int));
  }

  // Partial tiles that begin as zeros lie behind the turns, in whole cache lines.
  static int64_t turn_bytes(const PartialStore& store) {
    constexpr int64_t kTurnsAlignment = 128;
    return round_up<int64_t>(store.turns * int64_t{sizeof(unsigned)}, kTurnsAlignment);
  }

  tw::GemmArgs arguments_of(const Problem& problem, const Plan& plan,
                            const GemmLaunch& launch) const;
  tw::GroupArgs group_of(const Plan& plan, const GemmLaunch& launch) const;
  void sum_parts(const tw::GemmArgs& args, int64_t workers, cudaStream_t stream) const;
  void repack(const Plan& plan, const GemmLaunch& launch, Matrix& a, Matrix& b) const;
  CUtensorMap output_map(const Problem& problem, void* d, int columns) const;
  PhaseMaps phase_maps(const Plan& plan, const OperandSet& operands) const;

  tw::Sm90Params params_;
  LoadedKernel kernel_;
  std::optional<LoadedKernel> repack_;
  std::optional<LoadedKernel> sum_;
  int resident_clusters_ = 0;
};

// How an operand's lines (rows of A, columns of B) are loaded: `lines` a stage by `sharers` CTAs.
struct OperandLoad {
  bool mn_major = false;
  int lines = 0;
  int sharers = 1;
  int stage_k = 0;  // depth of a stage, elements
};

// A CTA of a cluster loads its share of the operand that the cluster has in common: lines of a
// K-major one, a range of k of an MN-major one's slabs.
CUtensorMap operand_map(const Matrix& matrix, DataType dtype, const OperandLoad& load,
                        int l2_promotion_bytes) {
  TensorBox box{.l2_promotion_bytes = l2_promotion_bytes};
  if (load.mn_major) {
    box.rows = load.stage_k / load.sharers;
    box.columns = tw::Sm90Params::kSlabLines;
  } else {
    const int lines_of_one = load.lines / load.sharers;
    box.rows = lines_of_one / tw::Sm90Params::boxes(lines_of_one);
    box.columns = load.stage_k;
  }
  return make_tensor_map(matrix.data, dtype, matrix.rows, matrix.columns, matrix.pitch, box);
}

// Copies the operands that TMA cannot address into the scratch, and points `a` and `b` there.
void Sm90Kernel::repack(const Plan& plan, const GemmLaunch& launch, Matrix& a, Matrix& b) const {
  auto* to = static_cast<char*>(launch.scratch);
  tw::RepackArgs args;
  const auto move = [&to](Matrix& matrix, tw::RepackMatrix& copy) {
    copy = {.from = static_cast<const unsigned short*>(matrix.data),
            .to = reinterpret_cast<unsigned short*>(to),
            .rows = matrix.rows,
            .columns = matrix.columns,
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

// One store moves 64 tile rows x `columns`: rows of D, or columns of D in a swapped kernel.
CUtensorMap Sm90Kernel::output_map(const Problem& problem, void* d, int columns) const {
  const TensorBox box = params_.swapped
                            ? TensorBox{.rows = columns, .columns = tw::Sm90Params::kMmaM}
                            : TensorBox{.rows = tw::Sm90Params::kMmaM, .columns = columns};
  return make_tensor_map(d, output_type(problem), problem.shape.m, problem.shape.n, problem.shape.n,
                         box);
}

// Matrices A, B and their second planes, each as rows of a tile and as its columns.
PhaseMaps Sm90Kernel::phase_maps(const Plan& plan, const OperandSet& operands) const {
  PhaseMaps maps{};
  if (!params_.triangular()) return maps;
  const Problem& p = plan.product;
  const int l2_bytes = plan.config.l2_promotion_bytes;
  const auto matrix = [&](int number) {
    return operand(plane_of(number % 2 == 0 ? operands.a : operands.b, number / 2,
                            p.shape.n * p.shape.k, p.dtype),
                   p.shape.n, p.shape.k, params_.a_mn_major);
  };
  for (int phase = 0; phase < params_.phases(); ++phase) {
    const tw::PhaseFactors factors = tw::phase_factors(params_.op, 0, phase);
    maps.left[phase] = operand_map(
        matrix(factors.left), p.dtype,
        {params_.a_mn_major, params_.cta_m, params_.cluster_n, params_.cta_k}, l2_bytes);
    maps.right[phase] = operand_map(
        matrix(factors.right), p.dtype,
        {params_.b_mn_major, params_.cta_n, params_.cluster_m, params_.cta_k}, l2_bytes);
  }
  if (params_.planes() == 1 || params_.direct_store) return maps;
  void* const second =
      const_cast<void*>(plane_of(operands.d, 1, p.shape.n * p.shape.n, output_type(p)));
  maps.d = output_map(p, second, params_.store_columns);
  if (params_.tail_columns() > 0) maps.d_tail = output_map(p, second, params_.tail_columns());
  return maps;
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
                                      : static_cast<char*>(launch.scratch) + repacked_bytes(plan);
  return {.m = static_cast<int>(s.m),
          .n = static_cast<int>(s.n),
          .k = static_cast<int>(s.k),
          .alpha = launch.scaling.alpha,
          .beta = launch.scaling.beta,
          .c = static_cast<const unsigned short*>(o.c),
          .bias = static_cast<const unsigned short*>(o.bias),
          .d = o.d,
          .ldd = problem.shape.n,
          .raster = planned.map.raster,
          .clusters = planned.map.clusters,
          .work = launch_work(plan),
          .partials = reinterpret_cast<float*>(partials),
          .turns = static_cast<unsigned*>(launch.workspace),
          .trace = launch.trace,
          .phase_steps = phase_steps(plan)};
}

// A table is written anew for every launch: other launches use the scratch too.
tw::GroupArgs Sm90Kernel::group_of(const Plan& plan, const GemmLaunch& launch) const {
  if (!params_.grouped()) return {};
  const TileConfig& c = plan.config;
  const PlannedProblem& any = plan.problems.front();
  tw::GroupArgs group{
      .offsets = launch.operands.offsets,
      .problems = static_cast<int>(plan.problems.size()),
      .shape = {.clusters = any.map.clusters,
                .cluster_rows = c.swap_ab ? c.cta.n * c.cluster.n : c.cta.m * c.cluster.m,
                .rows_are_n = c.swap_ab,
                .k_steps = any.work.k_steps}};
  if (params_.grouping != tw::Grouping::Table) return group;
  const std::vector<int> words = packed_table(plan);
  TW_CHECK(cudaMemcpyAsync(launch.scratch, words.data(), words.size() * sizeof(int),
                           cudaMemcpyHostToDevice, launch.stream));
  const auto* const first = static_cast<const int*>(launch.scratch);
  const int64_t ends = round_up<int64_t>(plan.workers + 1, 2);
  group.first_entry = first;
  group.entries = reinterpret_cast<const tw::TableEntry*>(first + ends);
  return group;
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
  const TileConfig& config = plan.config;
  const OperandSet& o = launch.operands;
  Matrix a_matrix = operand_a(problem, o);
  Matrix b_matrix = operand_b(problem, o);
  if (params_.grouped()) b_matrix.rows *= static_cast<int64_t>(plan.problems.size());
  if (repack_) repack(plan, launch, a_matrix, b_matrix);
  if (config.swap_ab) std::swap(a_matrix, b_matrix);
  CUtensorMap a = operand_map(a_matrix, problem.dtype,
                              {params_.a_mn_major, params_.cta_m, params_.cluster_n, params_.cta_k},
                              config.l2_promotion_bytes);
  CUtensorMap b = operand_map(b_matrix, problem.dtype,
                              {params_.b_mn_major, params_.cta_n, params_.cluster_m, params_.cta_k},
                              config.l2_promotion_bytes);
  CUtensorMap d{};
  CUtensorMap d_tail{};
  if (!params_.direct_store) {
    const int tail = params_.share().tail_columns();
    d = output_map(problem, o.d, params_.store_columns);
    if (tail > 0) d_tail = output_map(problem, o.d, tail);
  }
  const int64_t clusters = plan.launched_workers;
  tw::GemmArgs args = arguments_of(problem, plan, launch);
  tw::FirstUnits first = params_.grouped() ? tw::FirstUnits{} : first_units_of(plan);
  tw::GroupArgs group = group_of(plan, launch);
  PhaseMaps phases = phase_maps(plan, o);
  void* arguments[] = {&a, &b, &d, &d_tail, &args, &first, &group, &phases};
  if (joins_together(params_) && args.work.slices > clusters) {
    throw environment_error(
        format("{}: {} slices of a tile wait for each other, and the device "
               "holds {} clusters",
               to_string(config.decomposition), args.work.slices, clusters));
  }
  kernel_.launch(launch_shape(params_, static_cast<int>(clusters)), arguments, launch.stream);
  if (sum_) sum_parts(args, clusters, launch.stream);
}

}  // namespace

std::vector<KernelSource> sm90_sources(const Plan& plan, KernelExtras extras) {
  const tw::Sm90Params params = sm90_params_of(plan, extras);
  std::vector<KernelSource> sources = {source_of("sm90/gemm_sm90.cu", params)};
  if (sums_later(params)) sources.push_back(source_of("sm90/reduce_workspace.cu", params));
  if (plan.copies != Repacked{}) {
    sources.push_back({.file = "sm90/repack.cu", .config_header = ""});
  }
  return sources;
}

std::unique_ptr<GemmKernel> load_sm90_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras) {
  return std::make_unique<Sm90Kernel>(cubins, sm90_params_of(plan, extras));
}

}  // namespace tilewright
