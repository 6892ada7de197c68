#include "answer/shipped_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "answer/answer_kind.hpp"
#include "answer/portable_configs.hpp"
#include "answer/shipped_choice.hpp"
#include "answer/shipped_set.hpp"
#include "search/complete.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

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
      for (const TileConfig& config : portable_configs(any_.problems, set_)) {
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
  static constexpr double kWorthOfAny = 0.0005;  // 17 kernels of the four published files

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
      const auto plan = plan_at(problem, config, call);
      column.times.push_back(plan ? std::log(screening_us(*plan, set_.device())) : kNever);
      if (plan) want(*plan);
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

}  // namespace

std::vector<ShippedKernel> shipped_kernels(std::span<const AnswerRow> rows,
                                           const DeviceSpec& device) {
  ShippedSet set(device);
  for (const AnswerRow& row : rows) {
    if (const auto plan = set.plan_of(row.problem, row.choice, {})) set.add(*plan);
  }
  for (const AnswerKind& kind : kinds_of_rows(rows)) GeneralKernelChooser(kind, rows, set).choose();
  return set.kernels();
}

}  // namespace tilewright
