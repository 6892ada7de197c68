#include "search/shipped_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/math.hpp"
#include "model/coarse_price.hpp"
#include "search/among.hpp"
#include "search/complete.hpp"
#include "search/kernel_shelf.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// One way to be asked: what D, alpha and beta are, and how the matrices lie.
struct Asked {
  bool scaled = false;
  OperandPlaces places = {};
};

Workload asked_of(Workload workload, const Asked& asked) {
  workload.kind.epilogue.alpha = 1;
  workload.kind.epilogue.beta = asked.scaled ? 1 : 0;
  return workload;
}

// Those that differ most come first: where D lies so that TMA stores it, and where not.
std::vector<Asked> ways_to_ask() {
  constexpr int kAlignments[] = {16, 8, 4, 2};
  std::vector<Asked> ways;
  for (const int a : kAlignments) {
    for (const int b : kAlignments) {
      for (const int d : {16, 2}) {
        for (const bool scaled : {false, true}) {
          ways.push_back(
              {scaled, {.a = {.alignment = a}, .b = {.alignment = b}, .d = {.alignment = d}}});
        }
      }
    }
  }
  return ways;
}

// The configs of a kind and the problems that they are looked at for.
struct Kind {
  std::vector<TileConfig> configs;  // of the rows, in their order
  std::vector<Workload> problems;   // of the rows
};

std::vector<Kind> kinds_of_rows(std::span<const AnswerRow> rows) {
  std::vector<Kind> kinds;
  for (const AnswerRow& row : rows) {
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&row](const Kind& known) {
      return answers_alike(known.problems.front(), row.problem);
    });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Kind{});
    kind->problems.push_back(row.problem);
    if (std::find(kind->configs.begin(), kind->configs.end(), row.choice) == kind->configs.end()) {
      kind->configs.push_back(row.choice);
    }
  }
  return kinds;
}

// Some of the rows' problems, evenly picked: what general kernels are to be good at. Where their
// operands lie is for the one who asks.
std::vector<Workload> usual_problems(const Kind& kind) {
  constexpr size_t kMost = 12;
  constexpr int64_t kEven = 16;
  std::vector<Workload> picked;
  const size_t count = std::min(kMost, kind.problems.size());
  for (size_t i = 0; i < count; ++i) {
    Workload problem = kind.problems[i * kind.problems.size() / count];
    for (GemmShape& shape : problem.shapes) {
      if (is_triangular(problem) || !k_contiguous_a(problem.kind.layout)) {
        shape.m = round_up(shape.m, kEven);
      }
      shape.n = round_up(shape.n, kEven);
      shape.k = round_up(shape.k, kEven);
    }
    picked.push_back(problem);
  }
  return picked;
}

// The smallest products of the kind that every rule of alignment allows, of little depth and of
// some: whoever runs those runs every size.
std::vector<Workload> least_problems(const Kind& kind) {
  constexpr int64_t kLeast = 16;
  constexpr int64_t kDeep = 1024;
  std::vector<Workload> least;
  for (const int64_t depth : {kLeast, kDeep}) {
    Workload problem = kind.problems.front();
    const bool is_packed = is_group(problem);
    const Packing packing = packing_of(problem);
    problem.shapes = {{kLeast, kLeast, depth}};
    if (is_packed) {
      GemmShape other = problem.shapes.front();
      if (packing != Packing::Depth) other.m *= 2;
      if (packing == Packing::Depth) other.k *= 2;
      if (packing == Packing::None) other.n *= 2;
      problem.shapes.push_back(other);
    }
    least.push_back(problem);
  }
  return least;
}

// The configs of the kind, and what they are without whatever asks for more than one tile.
std::vector<TileConfig> general_configs(const Kind& kind) {
  std::vector<TileConfig> configs = kind.configs;
  for (TileConfig config : kind.configs) {
    config.cluster = {};
    config.decomposition = DataParallel{};
    if (std::find(configs.begin(), configs.end(), config) == configs.end()) {
      configs.push_back(config);
    }
  }
  return configs;
}

// Takes general kernels of a kind until every way to ask has an answer.
class Generalist {
 public:
  Generalist(const Kind& kind, KernelShelf& shelf)
      : shelf_(shelf),
        usual_(usual_problems(kind)),
        least_(least_problems(kind)),
        configs_(general_configs(kind)),
        most_(1 + kind.configs.size() / kRowsOfOne) {}

  void take() {
    for (const Asked& asked : ways_to_ask()) {
      constexpr int kAnyFamily = 16;
      const bool copies_nothing =
          asked.places.a.alignment == kAnyFamily && asked.places.b.alignment == kAnyFamily;
      if (copies_nothing) improve(asked);
      cover(asked);
    }
  }

 private:
  static constexpr size_t kRowsOfOne = 12;
  static constexpr double kWorthAKernel = 0.03;  // of the mean time

  // What a config makes of the usual problems.
  struct Column {
    const TileConfig* config = nullptr;
    std::vector<double> times;  // logarithms; kNever where it does not run
    std::vector<Plan> missing;  // that want kernels which are not there
    size_t new_programs = 0;
    bool runs_all_sizes = false;
  };

  // Of the first form that runs.
  std::optional<Plan> plan_at(const Workload& problem, const TileConfig& config,
                              const Asked& asked) const {
    for (const TileConfig& form : forms_of(config)) {
      auto plan = shelf_.plan_of(asked_of(problem, asked), form, asked.places);
      if (plan) return plan;
    }
    return std::nullopt;
  }

  Column column_of(const TileConfig& config, const Asked& asked) const {
    Column column;
    column.config = &config;
    column.runs_all_sizes = true;
    std::set<uint64_t> programs;
    const auto want = [&](const Plan& plan) {
      if (shelf_.has(plan)) return;
      for (const uint64_t program : program_ids(plan)) programs.insert(program);
      column.missing.push_back(plan);
    };
    for (const Workload& problem : least_) {
      const auto plan = plan_at(problem, config, asked);
      column.runs_all_sizes = column.runs_all_sizes && plan.has_value();
      if (plan) want(*plan);
    }
    for (const Workload& problem : usual_) {
      const auto plan = plan_at(problem, config, asked);
      column.times.push_back(plan ? std::log(rough_us(*plan)) : kNever);
      if (plan) want(*plan);
    }
    column.new_programs = programs.size();
    return column;
  }

  // Good enough to choose by, and quick also where a config is out of place.
  double rough_us(const Plan& plan) const {
    const bool is_tma = record_of(plan.config.family).loads_by_tma;
    return is_tma ? coarse_us(plan, shelf_.device()) : among_us(plan, shelf_.device());
  }

  // Takes what saves the most time over what is there, while that is worth its kernels: first one
  // that runs every size.
  void improve(const Asked& asked) {
    std::vector<Column> columns;
    std::vector<double> now(usual_.size(), kNever);
    bool has_general = false;
    for (const TileConfig& config : configs_) {
      Column column = column_of(config, asked);
      if (column.new_programs > 0) {
        columns.push_back(std::move(column));
        continue;
      }
      lower(now, column.times);
      has_general = has_general || column.runs_all_sizes;
    }
    for (size_t taken = 0; taken < most_; ++taken) {
      const Column* best = nullptr;
      double best_gain = has_general ? 0 : -kNever;
      for (const Column& column : columns) {
        if (!has_general && !column.runs_all_sizes) continue;
        std::vector<double> then = now;
        lower(then, column.times);
        const double gain =
            mean_of(now) - mean_of(then) - kWorthAKernel * static_cast<double>(column.new_programs);
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = &column;
      }
      if (best == nullptr) return;
      for (const Plan& plan : best->missing) shelf_.add(plan);
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

  // Least problems that nothing runs want another kernel: one of the kind's configs or, where none
  // of those runs them, of any.
  void cover(const Asked& asked) {
    for (const Workload& problem : least_) {
      std::optional<Plan> first;
      bool is_covered = false;
      for (const TileConfig& config : configs_) {
        auto plan = plan_at(problem, config, asked);
        is_covered = plan && shelf_.has(*plan);
        if (is_covered) break;
        if (plan && !first) first = std::move(plan);
      }
      if (is_covered) continue;
      if (!first) first = plan_of_another_family(problem, asked);
      if (first) shelf_.add(*first);
    }
  }

  // Where no config of the kind is there, none of its families is.
  std::optional<Plan> plan_of_another_family(const Workload& problem, const Asked& asked) {
    for (const Family family : all_families()) {
      const std::optional<TileConfig>& other = config_of_family(family);
      if (!other) continue;
      if (auto plan = plan_at(problem, *other, asked)) {
        if (std::find(configs_.begin(), configs_.end(), *other) == configs_.end()) {
          configs_.push_back(*other);
        }
        return plan;
      }
    }
    return std::nullopt;
  }

  // The model's own best of a family that the kind has no config of; found once.
  const std::optional<TileConfig>& config_of_family(Family family) {
    const auto known = of_family_.find(family);
    if (known != of_family_.end()) return known->second;
    std::optional<TileConfig>& found = of_family_[family];
    const Workload& problem = least_.back();
    const FamilyRecord& record = record_of(family);
    const bool is_known = std::any_of(configs_.begin(), configs_.end(),
                                      [&](const TileConfig& c) { return c.family == family; });
    if (is_known || (is_group(problem) && record.reject_group == nullptr) ||
        (is_triangular(problem) && record.reject_update == nullptr)) {
      return found;
    }
    ConfigRequest request;
    name_key(request, "family", record.name);
    found = complete(request, problem, shelf_.device()).config;
    return found;
  }

  KernelShelf& shelf_;
  std::vector<Workload> usual_;
  std::vector<Workload> least_;
  std::vector<TileConfig> configs_;
  std::map<Family, std::optional<TileConfig>> of_family_;
  size_t most_;  // general ones that one way to ask takes
};

}  // namespace

std::vector<ShippedKernel> shipped_kernels(std::span<const AnswerRow> rows,
                                           const DeviceSpec& device) {
  KernelShelf shelf(device);
  for (const AnswerRow& row : rows) {
    if (const auto plan = shelf.plan_of(row.problem, row.choice, {})) shelf.add(*plan);
  }
  for (const Kind& kind : kinds_of_rows(rows)) Generalist(kind, shelf).take();
  return shelf.kernels();
}

}  // namespace tilewright
