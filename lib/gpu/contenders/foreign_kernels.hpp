// Foreign kernels on the device: launches them on the operands of one workload, and checks the
// rules of presets/harness/tilewright_harness.h.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/launch/operand_set.hpp"
#include "harness/harness_plans.hpp"
#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

class ForeignKernels {
 public:
  explicit ForeignKernels(OpenHarnessFile open_manifest = {}) : plans_(std::move(open_manifest)) {}
  HarnessText describe(const std::string& file) { return plans_.describe(file); }
  /// Begins a workload; drops the plans and workspaces of the previous one.
  void begin(const Workload& workload);
  std::vector<BuildResult> build(std::span<const Contender> contenders) {
    return plans_.build(contenders, [this](const Contender& one) { workspace_of(one); });
  }
  /// True where no foreign kernel of this workload has been launched.
  bool is_idle() const { return !has_launched_; }
  ForeignMapping mapping_of(const Contender& contender) { return plans_.mapping_of(contender); }

  /// Clears the workspace where the plan requests it, and launches. Throws WrongResult with the
  /// library's reason where the library fails.
  void launch(const Contender& contender, const OperandSet& operands, cudaStream_t stream);

  /// Fills a workspace without required contents with NaN bytes, and lays red zones on both sides
  /// of it.
  void fill_red_zones(const Contender& contender);
  /// Describes a write outside the workspace; empty where there was none.
  std::string find_stray_write(const Contender& contender);

 private:
  // The workspace between its two red zones.
  struct Workspace {
    DeviceBuffer buffer = {};
    unsigned char* begin = nullptr;
    int64_t bytes = 0;
  };
  Workspace& workspace_of(const Contender& contender);

  Workload workload_;
  HarnessPlans plans_;
  bool has_launched_ = false;                    // a kernel of this workload
  std::map<std::string, Workspace> workspaces_;  // by contender
};

}  // namespace tilewright
