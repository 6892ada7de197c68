#include "verbs/build_comparison.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "verbs/commit_build.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualThreshold = 0.01;

// Only cases of this build's kind: the others are compared in processes of another kind.
CaseThresholds thresholds_of(const CaseThresholds& all, std::span<const GateCase> cases) {
  CaseThresholds own;
  for (const GateCase& gate_case : cases) {
    const auto at = all.find(gate_case.name);
    if (at != all.end()) own.insert(*at);
  }
  return own;
}

}  // namespace

BuildComparison::BuildComparison(const GateBisectOptions& options, fs::path repository,
                                 fs::path good_tree, const Baseline& good)
    : options_(options),
      repository_(std::move(repository)),
      good_tree_(std::move(good_tree)),
      device_(resolve_harness_device(options.device)) {
  if (device_.gpu_index < 0 && !is_host(device_)) {
    throw environment_error(format("--mode {} needs a GPU: '{}' is a preset",
                                   to_string(options.mode), device_.spec.name));
  }
  policy_.rounds = options.rounds;
  const Suite suite = load_suite(suite_in(good_tree_, repository_, options.suite), options.cases);
  for (const SuiteCase& one : suite.cases) {
    const double own = one.rules.threshold.value_or(kUsualThreshold);
    thresholds_[one.name] = options.threshold_pct ? *options.threshold_pct / 100 : own;
  }
  good_ = cases_in(good_tree_, good);
}

GateCase BuildComparison::foreign_case(const SuiteCase& suite_case, const fs::path& tree) const {
  GateCase made{.name = suite_case.name,
                .problem = suite_case.problem,
                .config = {},
                .why_illegal = {},
                .rules = suite_case.rules};
  HarnessRequest request = parse_harness_request(suite_case.harness);
  request.file = (tree / request.file).string();
  try {
    made.foreign = chosen_config(*open_harness_runner(device_), request, suite_case.problem);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    made.why_illegal = error.what();
  }
  return made;
}

BuildComparison::Cases BuildComparison::cases_in(const fs::path& tree,
                                                 const Baseline& numbers) const {
  Cases cases;
  const Suite suite = load_suite(suite_in(tree, repository_, options_.suite), options_.cases);
  for (const SuiteCase& one : suite.cases) {
    if (!one.harness.empty()) {
      cases.foreign.push_back(foreign_case(one, tree));
      continue;
    }
    if (is_host(device_)) {
      throw environment_error(format("{} names a config of ours, which needs a GPU", one.name));
    }
    const CaseNumbers* const own = find_case(&numbers, one.name);
    if (own == nullptr) continue;
    cases.own.push_back({.name = own->name,
                         .problem = own->problem,
                         .config = own->config,
                         .why_illegal = {},
                         .rules = one.rules});
  }
  return cases;
}

// Starts the worker of the build's own program, which embeds the build's kernels.
std::unique_ptr<Runner> BuildComparison::open_program(const fs::path& tree) const {
  std::vector<std::string> command = device_.backend->runner_command(device_.gpu_index, {});
  if (command.empty()) throw environment_error("this backend runs no kernels in another process");
  command.front() = (tree / options_.program).string();
  return make_worker_runner(std::move(command), device_.spec);
}

void BuildComparison::add_verdicts(const BuildUnderTest& now, const BuildUnderTest& good,
                                   BuildVerdict& sum) const {
  const CaseThresholds thresholds = thresholds_of(thresholds_, good.cases);
  if (thresholds.empty()) return;
  BuildVerdict verdict = judge_build(now, good, thresholds, policy_);
  sum.verdict = std::max(sum.verdict, verdict.verdict);
  sum.cases.insert(sum.cases.end(), verdict.cases.begin(), verdict.cases.end());
}

CommitAnswer BuildComparison::answer(const fs::path& tree, const Baseline& numbers) {
  const Cases cases = cases_in(tree, numbers);
  BuildVerdict sum;
  add_verdicts({cases.own, [&] { return open_program(tree); }},
               {good_.own, [this] { return open_program(good_tree_); }}, sum);
  add_verdicts({cases.foreign, [this] { return open_harness_runner(device_); }},
               {good_.foreign, nullptr}, sum);
  CommitAnswer answer{.word = kGood};
  if (sum.verdict == Verdict::Inconclusive) {
    answer = {.word = kSkip,
              .why = "the noise hides the difference: use more --rounds or a quieter machine"};
  } else if (sum.verdict == Verdict::Regression) {
    answer = {.word = kBad, .thresholds = thresholds_between(sum, thresholds_)};
    for (CaseVerdict& verdict : sum.cases) {
      if (verdict.verdict >= Verdict::Regression) answer.worse.push_back(std::move(verdict));
    }
  }
  return answer;
}

}  // namespace tilewright
