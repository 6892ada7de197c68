// The foreign libraries of one process, and what they planned of one workload.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/harness_library.hpp"
#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A plan and the library that made it, which outlives it.
struct HarnessPlan {
  const HarnessLibrary* library = nullptr;
  TilewrightHarnessPlan plan = {};
};

/// Loads each file once; plans each contender once a workload.
class HarnessPlans {
 public:
  /// Why a library says nothing stands in the answer.
  HarnessText describe(const std::string& file);
  /// Releases the plans of the workload before.
  void begin(const Workload& workload);
  /// Throws a usage error with the library's reason.
  const HarnessPlan& plan_of(const Contender& contender);
  /// plan_of() each, its reasons as those of a compiler.
  std::vector<BuildResult> build(std::span<const Contender> contenders);
  ForeignMapping mapping_of(const Contender& contender);

 private:
  const HarnessLibrary& library(const std::string& file);

  Workload workload_;
  std::map<std::string, HarnessLibrary> libraries_;  // by file
  std::map<std::string, HarnessPlan> plans_;         // by contender
};

}  // namespace tilewright
