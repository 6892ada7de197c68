#include "gpu/launch/sm90_group.hpp"

#include <algorithm>
#include <cstring>

#include "base/math.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

// Where the sections of the host's schedule table begin, in words: first_entry of every worker and
// one more, then the slots divided before each problem, then all entries.
struct TableSections {
  int64_t divided_before = 0;
  int64_t entries = 0;
};

TableSections table_sections(const Plan& plan, const tw::Sm90Params& params) {
  const int64_t divided_before = plan.workers + 1;
  const int64_t end =
      divided_before + (params.lists_divided_slots() ? std::ssize(plan.problems) : 0);
  return {divided_before, round_up<int64_t>(end, 2)};  // entries are read as 8 bytes
}

// The table as the device reads it. Packed problems have the user's numbers, others their place in
// scheduling order.
std::vector<int> table_words(const Plan& plan, const tw::Sm90Params& params) {
  const ScheduleTable table = schedule_table(plan);
  std::vector<int> words = {0};
  for (const auto& entries : table.of_worker) {
    words.push_back(words.back() + static_cast<int>(entries.size()));
  }
  if (params.lists_divided_slots()) {
    const std::vector<int> before = divided_slots_before(plan);
    words.insert(words.end(), before.begin(), before.end());
  }
  words.resize(static_cast<size_t>(table_sections(plan, params).entries));
  for (const auto& entries : table.of_worker) {
    for (const tw::TableEntry& entry : entries) {
      words.push_back(params.per_problem_shapes ? entry.problem
                                                : plan.order[static_cast<size_t>(entry.problem)]);
      words.push_back(entry.unit);
    }
  }
  return words;
}

// The list of a group's problems with shapes of their own, in scheduling order.
std::vector<tw::GroupedProblem> grouped_problems(const Plan& plan, const OperandSet& operands) {
  std::vector<tw::GroupedProblem> list;
  const std::vector<int> before = divided_slots_before(plan);
  for (const int number : plan.order) {
    const PlannedProblem& planned = plan.problem(number);
    const auto i = static_cast<size_t>(number);
    const OperandSet own = operands_of(operands, plan.workload, i);
    list.push_back({.number = number,
                    .m = static_cast<int>(planned.shape.m),
                    .n = static_cast<int>(planned.shape.n),
                    .slots = static_cast<int>(planned.work.slots),
                    .k_steps = planned.work.k_steps,
                    .slices = planned.work.slices,
                    .divided_before = before[i],
                    .clusters = planned.map.clusters,
                    .ldd = output_columns(plan.workload.kind, plan.workload.shapes[i].n),
                    .d = own.d,
                    .c = static_cast<const unsigned short*>(own.c)});
  }
  return list;
}

// Writes the maps of one problem to `to` in the order in which the device reads them.
void put_maps(const Sm90Maps& maps, const Problem& problem, const OperandSet& own, bool triangular,
              CUtensorMap* to) {
  const ProductMaps product =
      maps.product_maps(problem, operand_a(problem, own), operand_b(problem, own), own.d,
                        output_columns(problem.kind, problem.shape.n));
  std::memcpy(to, &product, sizeof(product));
  if (!triangular) return;
  const PhaseMaps phases = maps.phase_maps(problem, own);
  std::memcpy(to + sizeof(product) / sizeof(*to), &phases, sizeof(phases));
}

// The maps of all problems, in scheduling order; those of empty products stay zero.
std::vector<CUtensorMap> maps_per_problem(const Plan& plan, const tw::Sm90Params& params,
                                          const OperandSet& operands) {
  const Sm90Maps maps(params, plan.config.l2_promotion_bytes);
  const auto of_one = static_cast<size_t>(params.maps_per_problem());
  std::vector<CUtensorMap> all(plan.problems.size() * of_one);
  for (size_t place = 0; place < plan.order.size(); ++place) {
    const auto i = static_cast<size_t>(plan.order[place]);
    if (plan.problems[i].work.slots == 0) continue;
    put_maps(maps, problem_of(plan.workload, i), operands_of(operands, plan.workload, i),
             params.triangular(), &all[place * of_one]);
  }
  return all;
}

// Writes values to the device, one after the other.
class Writer {
 public:
  Writer(void* to, cudaStream_t stream) : to_(static_cast<char*>(to)), stream_(stream) {}
  template <class T>
  T* write(const std::vector<T>& values) {
    T* const at = pass<T>(static_cast<int64_t>(values.size() * sizeof(T)));
    TW_CHECK(cudaMemcpyAsync(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice,
                             stream_));
    return at;
  }
  template <class T>
  T* pass(int64_t bytes) {
    T* const at = reinterpret_cast<T*>(to_);
    to_ += bytes;
    return at;
  }

 private:
  char* to_;
  cudaStream_t stream_;
};

int64_t map_bytes(const tw::Sm90Params& params, int64_t problems) {
  return problems * params.maps_per_problem() * int64_t{sizeof(CUtensorMap)};
}

// Starts the kernel that lists the problems, because only the device has their sizes.
void prepare_group(const Plan& plan, const tw::Sm90Params& params, const GemmLaunch& launch,
                   const LoadedKernel& prepare_kernel, tw::GroupArgs& group, Writer& writer) {
  const auto count = std::ssize(plan.problems);
  const OperandSet& o = launch.operands;
  tw::PrepareGroupArgs args;
  args.entries = o.entries;
  args.k_offsets = o.offsets;
  args.problems = static_cast<int>(plan.problems.size());
  args.raster = plan.problems.front().map.raster;
  args.maps = writer.pass<CUtensorMap>(map_bytes(params, count));
  args.list = writer.pass<tw::GroupedProblem>(count * int64_t{sizeof(tw::GroupedProblem)});
  if (o.offsets != nullptr) {
    const GemmShape& any = plan.workload.shapes.front();
    args.all = {.m = static_cast<int>(any.m),
                .n = static_cast<int>(any.n),
                .k = 0,
                .a = o.a,
                .b = o.b,
                .c = static_cast<const unsigned short*>(o.c),
                .d = o.d};
  }
  if (plan.config.problem_order != ProblemOrder::Given) args.order = writer.write(plan.order);
  // Any sizes that every box fits: the device replaces them.
  Problem sample = problem_of(plan.workload, 0);
  sample.shape = {4096, 4096, 4096};
  std::vector<CUtensorMap> samples(static_cast<size_t>(params.maps_per_problem()));
  put_maps(Sm90Maps(params, plan.config.l2_promotion_bytes), sample, o, params.triangular(),
           samples.data());
  void* arguments[] = {&args, samples.data()};
  prepare_kernel.launch(prepare_kernel_shape(plan), arguments, launch.stream);
  group.maps = args.maps;
  group.own = args.list;
}

}  // namespace

LaunchShape prepare_kernel_shape(const Plan& plan) {
  constexpr int kWarps = tw::PrepareGroupArgs::kThreads / 32;
  const int wanted = ceil_div(static_cast<int>(plan.problems.size()), kWarps);
  return {.ctas = usable_sms(plan.workload.kind, wanted),
          .threads = tw::PrepareGroupArgs::kThreads};
}

GroupWriter::GroupWriter(const Plan& plan, const tw::Sm90Params& params)
    : plan_(plan), params_(params) {
  if (params_.grouping == tw::Grouping::Table) table_ = DeviceWords(table_words(plan_, params_));
}

GroupWriter::SectionBytes GroupWriter::section_bytes() const {
  const int64_t count = std::ssize(plan_.problems);
  SectionBytes bytes;
  if (params_.per_problem_shapes) {
    bytes.maps = map_bytes(params_, count);
    bytes.list = count * int64_t{sizeof(tw::GroupedProblem)};
  }
  if (params_.has_preparing_kernel()) bytes.order = count * int64_t{sizeof(int)};
  return bytes;
}

int64_t GroupWriter::scratch_bytes() const {
  const SectionBytes needed = section_bytes();
  constexpr int64_t kAlignment = 256;  // of the data that follows
  return round_up(needed.maps + needed.list + needed.order, kAlignment);
}

int64_t GroupWriter::max_units_per_worker() const {
  if (params_.grouping == tw::Grouping::Counter) return plan_.units;
  if (params_.grouping != tw::Grouping::Table) return plan_.most_units;
  size_t most = 0;
  for (const auto& entries : schedule_table(plan_).of_worker) {
    most = std::max(most, entries.size());
  }
  return static_cast<int64_t>(most);
}

tw::GroupArgs GroupWriter::write(const GemmLaunch& launch,
                                 const LoadedKernel* prepare_kernel) const {
  if (!params_.grouped()) return {};
  const TileConfig& c = plan_.config;
  const PlannedProblem& any = plan_.problems.front();
  tw::GroupArgs group{
      .offsets = launch.operands.offsets,
      .problems = static_cast<int>(plan_.problems.size()),
      .shape = {.clusters = any.map.clusters,
                .cluster_rows = c.swap_ab ? c.cta.n * c.cluster.n : c.cta.m * c.cluster.m,
                .swap_ab = c.swap_ab,
                .k_steps = any.work.k_steps,
                .slices = any.work.slices},
      .counter = static_cast<unsigned*>(launch.workspace)};
  Writer writer(launch.scratch, launch.stream);
  if (prepare_kernel != nullptr) {
    prepare_group(plan_, params_, launch, *prepare_kernel, group, writer);
  } else if (params_.per_problem_shapes) {
    group.maps = writer.write(maps_per_problem(plan_, params_, launch.operands));
    group.own = writer.write(grouped_problems(plan_, launch.operands));
  }
  if (params_.grouping != tw::Grouping::Table) return group;
  const int* const first = table_.data();
  const TableSections sections = table_sections(plan_, params_);
  group.first_entry = first;
  group.divided_before = first + sections.divided_before;
  group.entries = reinterpret_cast<const tw::TableEntry*>(first + sections.entries);
  return group;
}

}  // namespace tilewright
