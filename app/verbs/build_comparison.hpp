// Times the kernels of a commit's build beside those of GOOD's build.
//
// Kernels of a config run in a worker of each build's own program; harnesses of both builds run in
// one worker of this program.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gate/two_builds.hpp"
#include "host/harness_files.hpp"
#include "store/suite.hpp"
#include "verbs/bisect_log.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

class BuildComparison {
 public:
  /// `good_tree` holds GOOD's build until the end. Throws an environment error without a GPU,
  /// except for harnesses on the host.
  BuildComparison(const GateBisectOptions& options, std::filesystem::path repository,
                  std::filesystem::path good_tree, const Baseline& good);

  /// Compares the build in `tree` with the good one; `numbers` has the configs of its cases.
  CommitAnswer answer(const std::filesystem::path& tree, const Baseline& numbers);

  /// From now on compares only these cases, with these thresholds.
  void aim(const CaseThresholds& thresholds) { thresholds_ = thresholds; }

 private:
  struct Cases {
    std::vector<GateCase> own;
    std::vector<GateCase> foreign;
  };

  Cases cases_in(const std::filesystem::path& tree, const Baseline& numbers) const;
  GateCase foreign_case(const SuiteCase& suite_case, const std::filesystem::path& tree) const;
  std::unique_ptr<Runner> open_program(const std::filesystem::path& tree) const;
  void add_verdicts(const BuildUnderTest& now, const BuildUnderTest& good, BuildVerdict& sum) const;

  const GateBisectOptions& options_;
  std::filesystem::path repository_;
  std::filesystem::path good_tree_;
  ResolvedDevice device_;
  MeasurePolicy policy_;
  CaseThresholds thresholds_;
  Cases good_;
};

}  // namespace tilewright
