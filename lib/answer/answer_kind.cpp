#include "answer/answer_kind.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "stats/random.hpp"

namespace tilewright {

std::vector<AnswerKind> kinds_of_rows(std::span<const AnswerRow> rows) {
  std::vector<AnswerKind> kinds;
  for (const AnswerRow& row : rows) {
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

namespace {

// All sorts of shapes: few rows, few columns, little depth, much depth.
constexpr GemmShape kSorts[] = {
    {16, 4096, 4096},  {64, 64, 4096},    {64, 1024, 1024},  {64, 4096, 1024}, {256, 256, 1024},
    {128, 128, 16384}, {256, 4096, 4096}, {512, 512, 512},   {1024, 64, 1024}, {1024, 1024, 1024},
    {4096, 64, 512},   {4096, 512, 1024}, {4096, 4096, 256},
};

}  // namespace

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

std::vector<Workload> drawn_problems(const AnswerKind& kind) {
  constexpr int kDraws = 192;
  constexpr double kMin = 16;
  constexpr double kMax = 8192;
  constexpr int64_t kMultiple = 8;
  std::vector<Workload> drawn;
  if (!is_product(kind.problems.front())) return drawn;
  Random random(kDraws);
  const auto size = [&random] {
    const double drawn_size = kMin * std::pow(kMax / kMin, random.uniform());
    return static_cast<int64_t>(drawn_size) / kMultiple * kMultiple;
  };
  for (int i = 0; i < kDraws; ++i) {
    drawn.push_back(kind.problems.front());
    GemmShape& shape = drawn.back().shapes.front();
    shape.m = size();
    shape.n = size();
    shape.k = size();
  }
  return drawn;
}

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

}  // namespace tilewright
