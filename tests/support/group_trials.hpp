// Runs many groups and rank-k updates, each with its own configs, and compares with float64 or with
// the plan.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/group_bench.hpp"
#include "support/kernel_builds.hpp"
#include "support/sm90_configs.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright::testing {

/// A launch of a workload.
struct GroupLaunch {
  TileConfig config;
  Scaling scaling;
};

struct GroupTrial {
  Workload group;
  std::vector<GroupLaunch> launches;
};

/// The configs of these keys that the group allows, with `stages` stages unless the keys name them.
inline std::vector<TileConfig> legal_configs(const Workload& group,
                                             const std::vector<std::string>& keys, int stages) {
  std::vector<TileConfig> configs;
  for (const std::string& text : keys) {
    configs.push_back(sm90_config(text, stages));
    if (reject_workload(group, configs.back(), h200())) configs.pop_back();
  }
  return configs;
}

/// Every config with every scaling.
inline std::vector<GroupLaunch> launches_of(const std::vector<TileConfig>& configs,
                                            const std::vector<Scaling>& scalings = {Scaling{}}) {
  std::vector<GroupLaunch> launches;
  for (const TileConfig& config : configs) {
    for (const Scaling scaling : scalings) {
      // Ping-pong kernels that read C run out of registers.
      if (scaling != Scaling{} && config.schedule == KernelSchedule::PingPong) continue;
      launches.push_back({config, scaling});
    }
  }
  return launches;
}

/// Compiles the kernels of all launches at once, then calls each(bench, launch). Returns their
/// number.
template <class Each>
int for_each_launch(const std::vector<GroupTrial>& trials, KernelExtras extras, const Each& each) {
  KernelBuilds builds;
  for (const GroupTrial& trial : trials) {
    for (const GroupLaunch& launch : trial.launches) {
      builds.add(make_plan(scaled(trial.group, launch.scaling), launch.config, h200()), extras);
    }
  }
  builds.build();
  std::map<std::pair<DataType, DataType>, std::shared_ptr<GroupKernels>> kernels;
  int count = 0;
  for (const GroupTrial& trial : trials) {
    if (trial.launches.empty()) continue;
    const ProductKind& kind = trial.group.kind;
    auto& shared = kernels[{kind.dtype, output_type(kind)}];
    if (!shared) shared = std::make_shared<GroupKernels>(trial.group);
    CAPTURE(to_string(trial.group));
    GroupBench bench(trial.group, shared);
    for (const GroupLaunch& launch : trial.launches) {
      CAPTURE(to_string(launch.config));
      CAPTURE(launch.scaling.beta);
      each(bench, launch);
      ++count;
    }
  }
  return count;
}

/// Compares every launch with float64. Returns their number.
inline int check_group_trials(const std::vector<GroupTrial>& trials) {
  return for_each_launch(trials, {}, [](GroupBench& bench, const GroupLaunch& launch) {
    const Verification verification = bench.run(launch.config, launch.scaling);
    CHECK_MESSAGE(verification.ok, verification.detail);
  });
}

/// Compares the kernel's trace of every launch with the plan. Returns their number.
inline int check_group_traces(const std::vector<GroupTrial>& trials) {
  return for_each_launch(trials, {.trace = true}, [](GroupBench& bench, const GroupLaunch& launch) {
    CHECK(bench.trace_is_the_plan(launch.config));
  });
}

}  // namespace tilewright::testing
