// Runs many problems, each with its own configs, and compares with float64.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/gpu_bench.hpp"
#include "support/kernel_builds.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright::testing {

struct Trial {
  Problem problem;
  std::vector<TileConfig> configs;
  std::vector<Scaling> scalings = {};  // instead of the problem's own
};

/// The results of trials.
struct TrialCounts {
  size_t right = 0;
  size_t refused = 0;  // the kernel does not compile without spills
};

/// The trial's problem by each of its scalings.
inline std::vector<Problem> scaled_problems(const Trial& trial) {
  if (trial.scalings.empty()) return {trial.problem};
  std::vector<Problem> problems;
  for (const Scaling scaling : trial.scalings) problems.push_back(scaled(trial.problem, scaling));
  return problems;
}

/// Runs and checks a trial's configs that compile.
inline void check_trial(const Trial& trial, TrialCounts& counts) {
  if (trial.configs.empty()) return;
  GpuBench bench(trial.problem);
  for (const Problem& problem : scaled_problems(trial)) {
    const Scaling scaling{problem.kind.epilogue.alpha, problem.kind.epilogue.beta};
    for (const TileConfig& config : trial.configs) {
      CAPTURE(to_string(problem));
      CAPTURE(to_string(config));
      const std::vector<Plan> plan = {make_plan(problem, config, h200())};
      const BuildResult build = bench.kernels().build(plan).front();
      if (!build.ok()) {
        MESSAGE(to_string(config), ": ", build.reason);
        ++counts.refused;
        continue;
      }
      const Verification verification = bench.run(config, scaling);
      CHECK_MESSAGE(verification.ok, verification.detail);
      if (verification.ok) ++counts.right;
    }
  }
}

/// Compiles all configs at once (which uses all cores), then runs and checks each config that
/// compiled.
inline TrialCounts check_trials(const std::vector<Trial>& trials) {
  KernelBuilds builds;
  for (const Trial& trial : trials) {
    for (const Problem& problem : scaled_problems(trial)) {
      for (const TileConfig& config : trial.configs) {
        builds.add(make_plan(problem, config, h200()));
      }
    }
  }
  builds.build();
  TrialCounts counts;
  for (const Trial& trial : trials) check_trial(trial, counts);
  return counts;
}

}  // namespace tilewright::testing
