// Runs many problems, each with its own configs, and compares with float64.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "support/gpu_bench.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright::testing {

struct Trial {
  Problem problem;
  std::vector<TileConfig> configs;
};

/// The results of trials.
struct TrialCounts {
  size_t right = 0;
  size_t refused = 0;  // the kernel does not compile without spills
};

/// Compiles all configs at once (which uses all cores), then runs and checks each config that
/// compiled.
inline TrialCounts check_trials(const std::vector<Trial>& trials) {
  std::vector<KernelSource> sources;
  for (const Trial& trial : trials) {
    const ProductKind& kind = trial.problem.kind;
    sources.push_back(verification_source(kind.dtype, output_type(kind)));
    for (const TileConfig& config : trial.configs) {
      for (const KernelSource& source : kernel_sources(make_plan(trial.problem, config, h200()))) {
        sources.push_back(source);
      }
    }
  }
  build_kernels(sources, architecture(h200()), test_cache());
  TrialCounts counts;
  for (const Trial& trial : trials) {
    GpuBench bench(trial.problem);
    const std::vector<BuildResult> builds = build_all(bench, trial.configs);
    for (size_t i = 0; i < trial.configs.size(); ++i) {
      CAPTURE(to_string(trial.problem));
      CAPTURE(to_string(trial.configs[i]));
      if (!builds[i].ok()) {
        MESSAGE(to_string(trial.configs[i]), ": ", builds[i].reason);
        ++counts.refused;
        continue;
      }
      const Verification verification = bench.run(trial.configs[i]);
      CHECK_MESSAGE(verification.ok, verification.detail);
      if (verification.ok) ++counts.right;
    }
  }
  return counts;
}

}  // namespace tilewright::testing
