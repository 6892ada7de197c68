#include "gate/gate_static.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "gate/gate.hpp"
#include "gate/gate_numbers.hpp"
#include "model/estimate.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/schedule_proof.hpp"

namespace tilewright {
namespace {

constexpr double kRounding = 1e-9;

enum class Judgement {
  Smaller,  // smaller is better
  Shown,    // a resource: costs nothing while it fits
  Skipped,
};

Judgement judgement_of(const GateNumber& number, bool same_tiles) {
  const std::string& key = number.key;
  if (!number.before || number.is_truth) return Judgement::Skipped;
  if (key == "registers" || key == "smem_bytes") return Judgement::Shown;
  // Slots of different tiles are different amounts of work.
  const bool counts_tiles = key == "slots" || key == "overhang";
  return counts_tiles && !same_tiles ? Judgement::Skipped : Judgement::Smaller;
}

PredictedNumbers predicted_of(const Estimate& e) {
  return {e.us, e.dram_read_bytes, e.dram_write_bytes};
}

// Nothing where planning meets an internal error, which costs its case alone: judge_static() plans
// again, where that error is the case's verdict.
std::optional<Plan> plan_of(const GateCase& gate_case, const DeviceSpec& device) {
  try {
    return make_plan(gate_case.problem, gate_case.config, device);
  } catch (const std::exception& error) {
    if (!is_internal(error)) throw;
    return std::nullopt;
  }
}

// Compiles all legal cases; by index of the case.
std::map<size_t, BuildResult> build_all(std::span<const GateCase> cases, const DeviceSpec& device,
                                        KernelCompiler* compiler, Progress& progress) {
  std::map<size_t, BuildResult> results;
  if (compiler == nullptr) return results;
  progress.begin("compile", static_cast<int64_t>(cases.size()));
  std::vector<size_t> indices;
  std::vector<Plan> plans;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].refused.empty() || !cases[i].broken.empty()) continue;
    std::optional<Plan> plan = plan_of(cases[i], device);
    if (!plan) continue;
    indices.push_back(i);
    plans.push_back(*std::move(plan));
  }
  const std::vector<BuildResult> built = compiler->build(plans, architecture(device));
  for (size_t i = 0; i < indices.size(); ++i) results[indices[i]] = built.at(i);
  progress.advance(static_cast<int64_t>(cases.size()), 0);
  return results;
}

// Why the baseline's compiler numbers cannot be compared here; empty when they can or need not.
std::string compiler_mismatch(const Baseline& baseline, const StaticCompiler& compiler) {
  if (baseline.compiler.empty()) return "";
  if (compiler.compiler == nullptr) {
    return format("the baseline has registers and spills by {}, and this run has no compiler: {}",
                  baseline.compiler, compiler.why_none);
  }
  if (baseline.compiler == compiler.version) return "";
  return format(
      "the baseline has registers and spills by {}, and this compiler is {}: compare "
      "with the same version, or update the baseline",
      baseline.compiler, compiler.version);
}

// The verdict against the baseline's config as today's model prices it.
CaseVerdict judge_priced(const CaseNumbers& now, const CaseNumbers* before,
                         const DeviceSpec& device, double threshold) {
  if (before == nullptr) return judge_exact(now, nullptr, threshold);
  std::vector<std::string> findings;
  const CaseNumbers priced = priced_today(*before, now, device, findings);
  CaseVerdict verdict = judge_exact(now, &priced, threshold);
  verdict.findings.insert(verdict.findings.end(), findings.begin(), findings.end());
  return verdict;
}

// The verdict on a case; its numbers join `numbers` unless its kernel is refused. `build` is null
// where nobody compiled.
CaseVerdict judge_static(const GateCase& gate_case, const CaseNumbers* before,
                         const DeviceSpec& device, const BuildResult* build, double threshold,
                         std::vector<CaseNumbers>& numbers) {
  if (const auto verdict = judge_case(gate_case, before)) return *verdict;
  if (build != nullptr && !build->ok()) {
    return stopped(gate_case.name, Verdict::Regression,
                   "the compiler's kernel is refused: " + build->reason);
  }
  CaseNumbers now{gate_case.name, gate_case.problem, gate_case.config, {}, {}};
  now.exact = exact_numbers(now.problem, now.config, device);
  if (build != nullptr) {
    now.exact->compiled = CompilerNumbers{build->registers, build->spill_bytes, build->smem_bytes};
  }
  numbers.push_back(now);
  return judge_priced(now, before, device, threshold);
}

// Tiles that are part of the output.
int64_t output_tiles(const Plan& plan) {
  int64_t count = 0;
  for (size_t i = 0; i < plan.problems.size(); ++i) {
    const TileCoord tiles = plan.problems[i].tiles;
    if (!is_triangular(plan.workload)) {
      count += static_cast<int64_t>(tiles.m) * tiles.n;
      continue;
    }
    for (int m = 0; m < tiles.m; ++m) {
      for (int n = 0; n < tiles.n; ++n) {
        if (is_wanted(plan, static_cast<int>(i), {m, n})) ++count;
      }
    }
  }
  return count;
}

}  // namespace

StaticNumbers exact_numbers(const Workload& workload, const TileConfig& config,
                            const DeviceSpec& device) {
  const Plan plan = make_plan(workload, config, device);
  const Estimate predicted = estimate(plan, device);
  const ScheduleProof proof = prove_schedule(plan);
  StaticNumbers numbers;
  numbers.slots = predicted.slots;
  // Beside the raster's overhang this counts the tiles that fill up a last cluster.
  numbers.overhang = predicted.slots - output_tiles(plan);
  numbers.waves = predicted.waves;
  numbers.complete = proof.complete;
  numbers.predicted = predicted_of(predicted);
  return numbers;
}

CaseNumbers priced_today(const CaseNumbers& before, const CaseNumbers& now,
                         const DeviceSpec& device, std::vector<std::string>& findings) {
  CaseNumbers priced = before;
  if (!before.exact) return priced;
  if (before.config == now.config) {
    priced.exact->predicted = now.exact->predicted;
    return priced;
  }
  if (const auto rejection = reject_workload(before.problem, before.config, device)) {
    findings.push_back(
        format("the baseline's config is refused today ({}: {}), so predictions {}",
               rejection->rule, rejection->reason,
               before.exact->predicted ? "compare with the recorded ones" : "do not compare"));
    return priced;
  }
  priced.exact->predicted =
      predicted_of(estimate(make_plan(before.problem, before.config, device), device));
  return priced;
}

CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before, double threshold) {
  const StaticNumbers* const old = before != nullptr && before->exact ? &*before->exact : nullptr;
  CaseVerdict verdict{now.name, Verdict::New, gate_numbers(*now.exact, old), {}, ""};
  if (!now.exact->complete.value_or(false)) {
    verdict.verdict = Verdict::Regression;
    verdict.findings.push_back("the proof fails: not every tile is computed exactly once");
  }
  if (old == nullptr) return verdict;
  std::vector<std::string> better;
  std::vector<std::string> shown;
  for (const GateNumber& number : verdict.numbers) {
    const Judgement judgement = judgement_of(number, now.config.cta == before->config.cta);
    if (judgement == Judgement::Skipped) continue;
    const double tolerance =
        (number.key == "predicted_us" ? threshold : kRounding) * std::abs(*number.before);
    if (judgement == Judgement::Shown) {
      if (number.now != *number.before) shown.push_back(to_string(number));
    } else if (number.now > *number.before + tolerance) {
      verdict.findings.push_back(to_string(number));
    } else if (number.now < *number.before - tolerance) {
      better.push_back(to_string(number));
    }
  }
  if (!verdict.findings.empty()) {
    verdict.verdict = Verdict::Regression;
  } else if (!better.empty()) {
    verdict.verdict = Verdict::Improved;
    better.push_back("improved: update the baseline to keep it");
    verdict.findings = better;
  } else {
    verdict.verdict = Verdict::Pass;
  }
  verdict.findings.insert(verdict.findings.end(), shown.begin(), shown.end());
  const std::string change = describe_change(now.config, before->config);
  if (!change.empty()) verdict.findings.push_back(change);
  return verdict;
}

GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline, double threshold,
                        Progress& progress) {
  GateRun run;
  const std::string mismatch = baseline == nullptr ? "" : compiler_mismatch(*baseline, compiler);
  const bool compile = compiler.compiler != nullptr && mismatch.empty();
  const auto built = build_all(cases, device, compile ? compiler.compiler : nullptr, progress);
  progress.begin("price", static_cast<int64_t>(cases.size()));
  for (size_t i = 0; i < cases.size(); ++i) {
    const CaseNumbers* const before = find_case(baseline, cases[i].name);
    const auto found = built.find(i);
    const BuildResult* const build = found == built.end() ? nullptr : &found->second;
    run.verdicts.push_back(judged(cases[i], [&] {
      return judge_static(cases[i], before, device, build, threshold, run.numbers);
    }));
    tell_new(run.verdicts.back(), baseline);
    progress.advance(static_cast<int64_t>(i) + 1, 0);
  }
  if (baseline != nullptr) {
    for (const CaseVerdict& verdict : judge_removed(*baseline, cases)) {
      run.verdicts.push_back(verdict);
    }
  }
  if (!mismatch.empty()) {
    run.verdicts.push_back(stopped("compiler", Verdict::Environment, mismatch));
  } else if (compiler.compiler == nullptr) {
    run.notes.push_back("registers and spills were not looked at: " + compiler.why_none);
  } else if (baseline != nullptr && baseline->compiler.empty()) {
    run.notes.push_back("the baseline has no registers and spills: --update records them");
  }
  return run;
}

}  // namespace tilewright
