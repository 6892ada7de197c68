#include "answer/shipped_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "answer/answer_table.hpp"
#include "answer/cover_configs.hpp"
#include "answer/shipped_choice.hpp"
#include "answer/shipped_set.hpp"
#include "base/math.hpp"
#include "search/complete.hpp"
#include "stats/random.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// The distinct configs of a kind's rows, and the rows' problems.
struct AnswerKind {
  std::vector<TileConfig> configs;
  std::vector<Workload> problems;
};

// How many of the least problems have even sizes.
constexpr size_t kEvenLeast = 2;

// Returns kinds in the order of the rows. Of products that GPUs share only the rows have kernels.
std::vector<AnswerKind> kinds_of_rows(std::span<const AnswerRow> rows) {
  std::vector<AnswerKind> kinds;
  for (const AnswerRow& row : rows) {
    if (is_across_gpus(row.problem)) continue;
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&row](const AnswerKind& known) {
      return answers_alike(known.problems.front(), row.problem);
    });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), AnswerKind{});
    kind->problems.push_back(row.problem);
    if (std::find(kind->configs.begin(), kind->configs.end(), row.choice) == kind->configs.end()) {
      kind->configs.push_back(row.choice);
    }
  }
  return kinds;
}

// All sorts of shapes: few rows, few columns, little depth, much depth.
constexpr GemmShape kSorts[] = {
    {16, 4096, 4096},  {64, 64, 4096},    {64, 1024, 1024},  {64, 4096, 1024}, {256, 256, 1024},
    {128, 128, 16384}, {256, 4096, 4096}, {512, 512, 512},   {1024, 64, 1024}, {1024, 1024, 1024},
    {4096, 64, 512},   {4096, 512, 1024}, {4096, 4096, 256},
};

// Problems that general kernels should run fast: an even selection of the rows', in even sizes.
// The caller decides how operands lie.
std::vector<Workload> usual_problems(const AnswerKind& kind) {
  constexpr size_t kMax = 12;
  constexpr int64_t kEven = 16;
  std::vector<Workload> picked;
  const size_t count = std::min(kMax, kind.problems.size());
  for (size_t i = 0; i < count; ++i) {
    Workload problem = kind.problems[i * kind.problems.size() / count];
    for (GemmShape& shape : problem.shapes) {
      if (is_triangular(problem) || !is_k_major_a(problem.kind.layout)) {
        shape.m = round_up(shape.m, kEven);
      }
      shape.n = round_up(shape.n, kEven);
      shape.k = round_up(shape.k, kEven);
    }
    picked.push_back(problem);
  }
  if (!is_product(picked.front())) return picked;
  Workload product = picked.front();
  for (const GemmShape& shape : kSorts) {
    product.shapes = {shape};
    picked.push_back(product);
  }
  return picked;
}

// Products without a pattern: sizes are multiples of 8, drawn evenly in their logarithm from 16 to
// 16384 and for rows from 4, where 8 stands for fewer; the same on every call. Empty for a kind
// that is no product.
std::vector<Workload> drawn_problems(const AnswerKind& kind) {
  constexpr int kDraws = 192;
  constexpr double kMax = 16384;
  constexpr int64_t kMultiple = 8;
  std::vector<Workload> drawn;
  if (!is_product(kind.problems.front())) return drawn;
  Random random(kDraws);
  const auto size = [&random](double low) {
    const double drawn_size = low * std::pow(kMax / low, random.uniform());
    const auto steps = static_cast<int64_t>(drawn_size) / kMultiple;
    return std::max<int64_t>(1, steps) * kMultiple;
  };
  for (int i = 0; i < kDraws; ++i) {
    drawn.push_back(kind.problems.front());
    GemmShape& shape = drawn.back().shapes.front();
    shape.m = size(4);
    shape.n = size(16);
    shape.k = size(16);
  }
  return drawn;
}

// Some of the smallest problems of the kind, first of even sizes and then of odd ones, each with
// little and with more depth: a kernel that runs these runs every size.
std::vector<Workload> least_problems(const AnswerKind& kind) {
  constexpr int64_t kEven = 16;
  constexpr int64_t kOdd = 15;
  constexpr int64_t kTimesDeeper = 65;
  std::vector<Workload> least;
  for (const int64_t size : {kEven, kOdd}) {
    for (const int64_t depth : {size, size * kTimesDeeper}) {
      Workload problem = kind.problems.front();
      const bool is_several = is_group(problem);
      const Packing packing = packing_of(problem);
      problem.shapes = {{size, size, depth}};
      if (is_several) {
        GemmShape other = problem.shapes.front();
        if (packing != Packing::Depth) other.m *= 2;
        if (packing == Packing::Depth) other.k *= 2;
        if (packing == Packing::None) other.n *= 2;
        problem.shapes.push_back(other);
      }
      least.push_back(problem);
    }
  }
  return least;
}

// The configs of the kind; for a product also those of other products of its type; and all of
// these without clusters and divided tiles, for a group also without a table from the host. `rows`
// are the rows of all kinds.
std::vector<TileConfig> general_configs(const AnswerKind& kind, std::span<const AnswerRow> rows) {
  std::vector<TileConfig> configs = kind.configs;
  const Workload& own = kind.problems.front();
  for (const AnswerRow& row : rows) {
    const bool is_related =
        is_product(own) && is_product(row.problem) && row.problem.kind.dtype == own.kind.dtype;
    if (is_related) add_config(configs, row.choice);
  }
  const std::vector<TileConfig> winners = configs;
  for (TileConfig config : winners) {
    config.cluster = {};
    config.decomposition = DataParallel{};
    add_config(configs, config);
    if (!is_group(own)) continue;
    config.group_schedule = GroupSchedule::DeviceOnly;
    config.problem_order = ProblemOrder::Given;
    add_config(configs, config);
  }
  return configs;
}

constexpr double kNever = std::numeric_limits<double>::infinity();

// One kind of call: whether beta adds C, and how the matrices lie.
struct CallVariant {
  bool scaled = false;
  OperandPlaces places = {};
};

Workload workload_of(Workload workload, const CallVariant& call) {
  workload.kind.epilogue.alpha = 1;
  workload.kind.epilogue.beta = call.scaled ? 1 : 0;
  return workload;
}

// The most different ones come first: D lies so that TMA stores it, and so that it does not.
std::vector<CallVariant> call_variants() {
  constexpr int kAlignments[] = {16, 8, 4, 2};
  std::vector<CallVariant> variants;
  for (const int a : kAlignments) {
    for (const int b : kAlignments) {
      for (const int d : {16, 2}) {
        for (const bool scaled : {false, true}) {
          variants.push_back(
              {scaled, {.a = {.alignment = a}, .b = {.alignment = b}, .d = {.alignment = d}}});
        }
      }
    }
  }
  return variants;
}

// Problems that general kernels should run fast, and how many kernels that is worth.
struct Goal {
  std::vector<Workload> problems;
  size_t most = 0;            // kernels for one kind of call
  double worth_a_kernel = 0;  // least share of the mean time that one more kernel saves
};

// Chooses general kernels of a kind until every kind of call has an answer.
class GeneralKernelChooser {
 public:
  GeneralKernelChooser(const AnswerKind& kind, std::span<const AnswerRow> rows, ShippedSet& set)
      : set_(set),
        usual_{usual_problems(kind), 1 + kind.configs.size() / kRowsOfOne, kWorthOfUsual},
        any_{drawn_problems(kind), kind.configs.size() * 2 / 3, kWorthOfAny},
        least_(least_problems(kind)),
        configs_(general_configs(kind, rows)) {}

  void choose() {
    const std::vector<CallVariant> variants = call_variants();
    // Users of a library of many tuned products call others, too, most of them aligned.
    if (!any_.problems.empty() && any_.most >= kMinOfAny) {
      for (const TileConfig& config : cover_configs(any_.problems.front().kind.dtype)) {
        add_config(configs_, config);
      }
      improve(variants.front(), any_);
    }
    for (const CallVariant& call : variants) {
      constexpr int kWidest = 16;
      const bool copies_nothing =
          call.places.a.alignment == kWidest && call.places.b.alignment == kWidest;
      if (copies_nothing) improve(call, usual_);
    }
    for (const CallVariant& call : variants) cover(call);
  }

 private:
  static constexpr size_t kRowsOfOne = 12;
  static constexpr size_t kMinOfAny = 8;  // kernels: a file of few rows ships no others
  static constexpr double kWorthOfUsual = 0.03;
  static constexpr double kWorthOfAny = 0.00004;

  // The times of a config at a goal's problems.
  struct Column {
    const TileConfig* config = nullptr;
    std::vector<double> times;  // logarithms; kNever where it does not run
    std::vector<Plan> missing;  // with kernels that are not taken yet
    size_t new_programs = 0;
    bool runs_all_sizes = false;
  };

  // The plan of the first form that runs.
  std::optional<Plan> plan_at(const Workload& problem, const TileConfig& config,
                              const CallVariant& call) const {
    for (const TileConfig& form : forms_of(config)) {
      auto plan = set_.plan_of(workload_of(problem, call), form, call.places);
      if (plan) return plan;
    }
    return std::nullopt;
  }

  Column column_of(const TileConfig& config, const CallVariant& call,
                   std::span<const Workload> problems) const {
    Column column;
    column.config = &config;
    // For a group, also sizes that only the device has.
    column.runs_all_sizes = grouping_of(least_.front(), config) != tw::Grouping::Table;
    std::set<uint64_t> programs;
    const auto want = [&](const Plan& plan) {
      if (set_.has(plan)) return;
      for (const uint64_t program : program_ids(plan)) programs.insert(program);
      column.missing.push_back(plan);
    };
    for (size_t i = 0; i < kEvenLeast; ++i) {
      const auto plan = plan_at(least_[i], config, call);
      column.runs_all_sizes = column.runs_all_sizes && plan.has_value();
      if (plan) want(*plan);
    }
    for (const Workload& problem : problems) {
      double least = kNever;
      std::vector<TileConfig> forms = other_parts(config, problem, set_.device());
      forms.push_back(config);
      for (const TileConfig& form : forms) {
        const auto plan = plan_at(problem, form, call);
        if (!plan) continue;
        least = std::min(least, std::log(screening_us(*plan, set_.device())));
        want(*plan);
      }
      column.times.push_back(least);
    }
    column.new_programs = programs.size();
    return column;
  }

  // Adds the kernel that saves the most time, as long as that is worth it; the first kernel must
  // run every size.
  void improve(const CallVariant& call, const Goal& goal) {
    std::vector<Column> columns;
    std::vector<double> now(goal.problems.size(), kNever);
    bool has_general = false;
    for (const TileConfig& config : configs_) {
      Column column = column_of(config, call, goal.problems);
      if (column.new_programs > 0) {
        columns.push_back(std::move(column));
        continue;
      }
      lower(now, column.times);
      has_general = has_general || column.runs_all_sizes;
    }
    for (size_t taken = 0; taken < goal.most; ++taken) {
      const Column* best = nullptr;
      double best_gain = has_general ? 0 : -kNever;
      for (const Column& column : columns) {
        if (!has_general && !column.runs_all_sizes) continue;
        std::vector<double> then = now;
        lower(then, column.times);
        const double gain = mean_of(now) - mean_of(then) -
                            goal.worth_a_kernel * static_cast<double>(column.new_programs);
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = &column;
      }
      if (best == nullptr) return;
      for (const Plan& plan : best->missing) set_.add(plan);
      lower(now, best->times);
      has_general = true;
    }
  }

  static void lower(std::vector<double>& times, const std::vector<double>& by) {
    for (size_t i = 0; i < times.size(); ++i) times[i] = std::min(times[i], by[i]);
  }

  static double mean_of(const std::vector<double>& times) {
    constexpr double kNoAnswer = 30;  // the logarithm of more microseconds than anything takes
    double sum = 0;
    for (const double time : times) sum += std::min(time, kNoAnswer);
    return sum / static_cast<double>(times.size());
  }

  // Adds another kernel for each least problem that no kernel runs: one of the kind's configs or,
  // if none of those runs it, of any family.
  void cover(const CallVariant& call) {
    for (const Workload& problem : least_) {
      std::optional<Plan> first;
      bool is_covered = false;
      for (const TileConfig& config : configs_) {
        auto plan = plan_at(problem, config, call);
        is_covered = plan && set_.has(*plan);
        if (is_covered) break;
        if (plan && !first) first = std::move(plan);
      }
      if (is_covered) continue;
      if (!first) first = plan_of_another(problem, call);
      if (first) set_.add(*first);
    }
  }

  std::optional<Plan> plan_of_another(const Workload& problem, const CallVariant& call) {
    for (const Family family : all_families()) {
      const std::optional<TileConfig>& other = other_of(family);
      auto plan = other ? plan_at(problem, *other, call) : std::nullopt;
      if (!plan) continue;
      if (std::find(configs_.begin(), configs_.end(), *other) == configs_.end()) {
        configs_.push_back(*other);
      }
      return plan;
    }
    return std::nullopt;
  }

  // The model's best config of a family, found once: for odd sizes if no config of the kind takes
  // those, else, if the kind has none of that family, for even ones.
  const std::optional<TileConfig>& other_of(Family family) {
    const auto known = others_.find(family);
    if (known != others_.end()) return known->second;
    std::optional<TileConfig>& other = others_[family];
    bool is_of_kind = false;
    bool takes_odd = false;
    for (const TileConfig& config : configs_) {
      if (config.family != family) continue;
      is_of_kind = true;
      takes_odd = takes_odd || plan_at(least_.back(), config, {}).has_value();
    }
    if (takes_odd) return other;
    ConfigRequest request;
    name_key(request, "family", record_of(family).name);
    name_key(request, "decomposition", "data-parallel");  // parts need a least depth
    other = complete(request, least_.back(), set_.device()).config;
    if (!other && !is_of_kind)
      other = complete(request, least_[kEvenLeast - 1], set_.device()).config;
    return other;
  }

  ShippedSet& set_;
  Goal usual_;
  Goal any_;
  std::vector<Workload> least_;
  std::vector<TileConfig> configs_;
  std::map<Family, std::optional<TileConfig>> others_;
};

// Adds the kernel of the trial's fastest config if those that are there lose too much.
void add_tried(ShippedSet& set, const Trial& trial) {
  constexpr double kMaxLoss = 1.03;
  double shipped_us = kNever;
  double least_us = kNever;
  std::optional<Plan> fastest;
  for (const Trial::Time& time : trial.times) {
    std::optional<Plan> plan = set.plan_of(trial.problem, time.config, {});
    if (!plan) continue;
    if (set.has(*plan)) shipped_us = std::min(shipped_us, time.us);
    if (time.us >= least_us) continue;
    least_us = time.us;
    fastest = std::move(plan);
  }
  if (fastest && shipped_us > kMaxLoss * least_us) set.add(*fastest);
}

}  // namespace

std::vector<ShippedKernel> shipped_kernels(std::span<const AnswerRow> rows,
                                           std::span<const Trial> trials,
                                           const DeviceSpec& device) {
  ShippedSet set(device);
  for (const AnswerRow& row : rows) {
    if (const auto plan = set.plan_of(row.problem, row.choice, {})) set.add(*plan);
  }
  for (const AnswerKind& kind : kinds_of_rows(rows)) GeneralKernelChooser(kind, rows, set).choose();
  for (const Trial& trial : trials) add_tried(set, trial);
  return set.kernels();
}

}  // namespace tilewright
