// Foreign kernels on the device: their launches on the operands of one workload, and whether they
// keep to the rules of presets/harness/tilewright_harness.h.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/launch/operand_set.hpp"
#include "harness/harness_plans.hpp"
#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

class ForeignKernels {
 public:
  HarnessText describe(const std::string& file) { return plans_.describe(file); }
  /// Forgets the plans and workspaces of the workload before.
  void begin(const Workload& workload);
  std::vector<BuildResult> build(std::span<const Contender> contenders) {
    return plans_.build(contenders);
  }
  /// True where none of this workload has been launched.
  bool is_idle() const { return workspaces_.empty(); }
  ForeignMapping mapping_of(const Contender& contender) { return plans_.mapping_of(contender); }

  /// Clears the workspace where the plan asks for that, and runs. Throws an Error of code
  /// WrongResult with the library's reason where it does not run.
  void launch(const Contender& contender, const OperandSet& operands, cudaStream_t stream);

  /// Fills a workspace that may hold anything with bytes that are no number, and lays red zones
  /// before and behind it.
  void fill_red_zones(const Contender& contender);
  /// What was written beside the workspace; empty where nothing was.
  std::string find_stray_write(const Contender& contender);

 private:
  // Between two red zones.
  struct Workspace {
    DeviceBuffer buffer = {};
    unsigned char* begin = nullptr;
    int64_t bytes = 0;
  };
  Workspace& workspace_of(const Contender& contender);

  Workload workload_;
  HarnessPlans plans_;
  std::map<std::string, Workspace> workspaces_;  // by contender
};

}  // namespace tilewright
