// The foreign kernels of one process, and their plans for one workload.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "harness/harness_file.hpp"
#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A plan and the file that made it; the file outlives the plan.
struct HarnessPlan {
  const HarnessFile* file = nullptr;
  TilewrightHarnessPlan plan = {};
};

/// The environment error of a workspace that cannot be allocated: how much the plan asks for, and
/// `why` there is none.
Error no_workspace(const TilewrightHarnessPlan& plan, const std::string& why);

/// Loads each file once, and prepares each contender once per workload.
class HarnessPlans {
 public:
  /// `open_manifest` opens manifests; without it there is no plan of one.
  explicit HarnessPlans(OpenHarnessFile open_manifest = {})
      : open_manifest_(std::move(open_manifest)) {}
  /// The file's description, or in `why_not` the reason why there is none.
  HarnessText describe(const std::string& file);
  /// Begins a workload; releases the plans of the previous one.
  void begin(const Workload& workload);
  /// Prepares a plan when it is first needed. Throws a usage error with the file's reason.
  const HarnessPlan& plan_of(const Contender& contender);
  /// plan_of() and `reserve`, which allocates the workspace, for each; a failure becomes the reason
  /// in its build result.
  std::vector<BuildResult> build(std::span<const Contender> contenders,
                                 const std::function<void(const Contender&)>& reserve);
  ForeignMapping mapping_of(const Contender& contender);

 private:
  const HarnessFile& opened(const std::string& file);

  OpenHarnessFile open_manifest_;
  Workload workload_;
  std::map<std::string, std::unique_ptr<HarnessFile>> files_;  // by path
  std::map<std::string, HarnessPlan> plans_;                   // by contender
};

}  // namespace tilewright
