// Two builds of the same kernels in the same rounds, each build in a process of its own.
//
//   good build   |- launch -|                         |- launch -|
//   other build              |- launch -|  |- launch -|
//                |------- round 1 ------|  |------- round 2 -----|  ...
//
// A process has its own placement of operands in memory, which shifts a ratio by some tenths of a
// percent in all of its rounds. So one pair of processes decides nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gate/gate_measured.hpp"

namespace tilewright {

/// The cases of one build. `open` starts a process that runs its kernels; empty for a good build
/// whose kernels run in the other build's process.
struct BuildUnderTest {
  std::span<const GateCase> cases;
  std::function<std::unique_ptr<Runner>()> open;
};

/// The verdict on a build is the worst one of its cases: Regression if any is slower than in the
/// good build, Inconclusive if any is too noisy to say.
struct BuildVerdict {
  Verdict verdict = Verdict::Pass;
  std::vector<CaseVerdict> cases;
};

/// Thresholds of the cases to compare, as fractions, by name.
using CaseThresholds = std::map<std::string, double>;

/// Compares a build with a good one by the statistic of `gate --mode ab`, case by case. Two pairs
/// of processes must agree; where noise prevents a verdict or they disagree, up to five are
/// started. A case that the build lost, or whose kernel fails, is a regression at once. Throws an
/// environment error if the good build's own kernel cannot run.
BuildVerdict judge_build(const BuildUnderTest& now, const BuildUnderTest& good,
                         const CaseThresholds& thresholds, const MeasurePolicy& policy);

/// The thresholds for builds between a good one and a bad one with this verdict: its worse cases,
/// each with its own threshold or half of the bad build's slowdown, whichever is less, so that
/// noise is as far from one decision as from the other.
CaseThresholds thresholds_between(const BuildVerdict& bad, const CaseThresholds& own);

}  // namespace tilewright
