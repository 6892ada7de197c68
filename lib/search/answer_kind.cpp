#include "search/answer_kind.hpp"

#include <algorithm>

#include "base/math.hpp"

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

std::vector<Workload> usual_problems(const AnswerKind& kind) {
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

std::vector<TileConfig> general_configs(const AnswerKind& kind) {
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

}  // namespace tilewright
