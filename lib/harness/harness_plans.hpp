// The foreign libraries of one process, and their plans for one workload.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/harness_library.hpp"
#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A plan and the library that made it; the library outlives the plan.
struct HarnessPlan {
  const HarnessLibrary* library = nullptr;
  TilewrightHarnessPlan plan = {};
};

/// Loads each file once, and prepares each contender once per workload.
class HarnessPlans {
 public:
  /// The library's description, or in `why_not` the reason why there is none.
  HarnessText describe(const std::string& file);
  /// Begins a workload; releases the plans of the previous one.
  void begin(const Workload& workload);
  /// Prepares a plan when it is first needed. Throws a usage error with the library's reason.
  const HarnessPlan& plan_of(const Contender& contender);
  /// plan_of() for each; a failure becomes the reason in its build result.
  std::vector<BuildResult> build(std::span<const Contender> contenders);
  ForeignMapping mapping_of(const Contender& contender);

 private:
  const HarnessLibrary& library(const std::string& file);

  Workload workload_;
  std::map<std::string, HarnessLibrary> libraries_;  // by file
  std::map<std::string, HarnessPlan> plans_;         // by contender
};

}  // namespace tilewright
