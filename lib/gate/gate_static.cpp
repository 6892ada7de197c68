#include "gate/gate_static.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "gate/case_rules.hpp"
#include "gate/gate.hpp"
#include "gate/gate_numbers.hpp"
#include "gate/walk_digest.hpp"
#include "model/estimate.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/schedule_proof.hpp"

namespace tilewright {
namespace {

constexpr double kRounding = 1e-9;

enum class Judgement {
  SmallerIsBetter,
  Shown,  // a resource: costs nothing while it fits
  Skipped,
};

Judgement judgement_of(const GateNumber& number, bool same_tiles) {
  const std::string& key = number.key;
  if (!number.before || number.is_bool) return Judgement::Skipped;
  if (key == "registers" || key == "smem_bytes") return Judgement::Shown;
  // Slots of different tiles are different amounts of work.
  const bool counts_tiles = key == "slots" || key == "overhang";
  return counts_tiles && !same_tiles ? Judgement::Skipped : Judgement::SmallerIsBetter;
}

// True for the model's numbers, which do not depend on a compiler.
bool is_priced(const GateNumber& number) {
  const std::string_view name = judged_as(number.key);
  return name == "time" || name == "dram" || name == "waves";
}

PredictedNumbers predicted_of(const Estimate& e) {
  return {believed_us(e), e.dram_read_bytes, e.dram_write_bytes};
}

// Nothing if planning fails with an internal error: only its case fails then, when judge_static()
// plans again.
std::optional<Plan> plan_of(const GateCase& gate_case, const DeviceSpec& device) {
  try {
    return make_plan(gate_case.problem, gate_case.config, device);
  } catch (const std::exception& error) {
    if (!is_internal(error)) throw;
    return std::nullopt;
  }
}

// Compiles all legal cases; returns results by index of the case.
std::map<size_t, BuildResult> build_all(std::span<const GateCase> cases, const DeviceSpec& device,
                                        KernelCompiler* compiler, ProgressListener& progress) {
  std::map<size_t, BuildResult> results;
  if (compiler == nullptr) return results;
  progress.begin("compile", static_cast<int64_t>(cases.size()));
  std::vector<size_t> indices;
  std::vector<Plan> plans;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].why_illegal.empty() || !cases[i].internal_failure.empty()) continue;
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

// Why the baseline's compiler numbers cannot be compared here; empty if they can or need not be.
std::string compiler_mismatch(const Baseline& baseline, const StaticCompiler& compiler) {
  if (baseline.compiler.empty()) return "";
  if (compiler.compiler == nullptr) {
    return format("the baseline has registers and spills by {}, and this run has no compiler: {}",
                  baseline.compiler, compiler.why_none);
  }
  if (baseline.compiler == compiler.version) return "";
  return format(
      "the baseline has registers and spills by {}, and this compiler is {}: compare with the same "
      "version, or update the baseline",
      baseline.compiler, compiler.version);
}

// Predictions of a config that differ from the recorded ones.
std::vector<std::string> model_changes(const StaticNumbers& today, const StaticNumbers& recorded) {
  std::vector<std::string> changes;
  for (const GateNumber& number : gate_numbers(today, &recorded)) {
    if (!is_priced(number) || !number.before) continue;
    if (std::abs(number.now - *number.before) <= kRounding * std::abs(*number.before)) continue;
    changes.push_back(to_string(number));
  }
  return changes;
}

// Three columns of a case: the `recorded` one of the baseline, and those that today's code gives
// the baseline's config and the suite's.
struct Columns {
  const CaseNumbers* recorded;
  CaseNumbers today;
  const CaseNumbers* now;
  std::vector<std::string> findings = {};  // why a column is incomplete
};

bool has_digests(const CaseNumbers& numbers) {
  return numbers.exact && !numbers.exact->walk.empty();
}

Columns columns_of(const CaseNumbers& now, const CaseNumbers& before, const DeviceSpec& device,
                   const StaticPricer& price) {
  Columns columns{&before, before, &now};
  if (!before.exact) return columns;
  if (before.config == now.config) {
    columns.today.exact = now.exact;
  } else if (const auto rejection = reject_workload(before.problem, before.config, device)) {
    columns.findings.push_back(format(
        "the baseline's config is refused today ({}: {}), so predictions {}", rejection->rule,
        rejection->reason,
        before.exact->predicted ? "are compared with the recorded ones" : "cannot be compared"));
  } else {
    columns.today.exact = price(before.problem, before.config, device);
  }
  // The gate compiles only the suite's config.
  columns.today.exact->compiled = before.exact->compiled;
  return columns;
}

void show_columns(CaseVerdict& verdict, const Columns& columns) {
  if (!columns.recorded->exact) return;
  const auto fill = [&verdict](const StaticNumbers& column, std::optional<double> GateNumber::*at) {
    for (const GateNumber& number : gate_numbers(column, nullptr)) {
      for (GateNumber& shown : verdict.numbers) {
        if (shown.key == number.key) shown.*at = number.now;
      }
    }
  };
  fill(*columns.recorded->exact, &GateNumber::recorded);
  fill(*columns.today.exact, &GateNumber::baseline_today);
}

void add_findings(CaseVerdict& verdict, std::span<const std::string> findings) {
  verdict.findings.insert(verdict.findings.end(), findings.begin(), findings.end());
}

// Reports a change of the model alone, if the walk is the recorded one: the case has no other
// verdict until the user accepts the model.
void report_model_change(CaseVerdict& verdict, const StaticNumbers& today,
                         const StaticNumbers& recorded) {
  const std::vector<std::string> changes = model_changes(today, recorded);
  if (changes.empty() || is_failure(verdict.verdict)) return;
  verdict.verdict = Verdict::ModelChanged;
  verdict.findings = changes;
  verdict.findings.push_back(today.prices == recorded.prices
                                 ? "the mapping is the recorded one, and so are the prices of the "
                                   "stored mappings: the model of such cases changed, or the "
                                   "baseline was edited; --accept-model records the numbers again"
                                 : "the mapping is the recorded one, and the model gives it "
                                   "another price: --accept-model records the numbers again");
}

// Judges the suite's config against the columns of the baseline's.
CaseVerdict judge_columns(const Columns& columns, double threshold, const CaseRules& rules) {
  const CaseNumbers& now = *columns.now;
  const CaseNumbers& recorded = *columns.recorded;
  const bool same_config = now.config == recorded.config;
  const bool same_walk = has_digests(recorded) && columns.today.exact->walk == recorded.exact->walk;
  if (same_config && !same_walk) {
    CaseVerdict verdict = judge_exact(now, &recorded, threshold, rules);
    if (has_digests(recorded)) {
      verdict.findings.push_back("the mapping is not the recorded one");
      if (columns.today.exact->prices != recorded.exact->prices) {
        verdict.findings.push_back("the model changed as well");
      }
    }
    return verdict;
  }
  CaseVerdict verdict = judge_exact(now, &columns.today, threshold, rules);
  if (same_walk) {
    report_model_change(verdict, *columns.today.exact, *recorded.exact);
  } else if (has_digests(recorded) && !is_failure(verdict.verdict)) {
    CaseVerdict against_recorded = judge_exact(now, &recorded, threshold, rules);
    against_recorded.findings.push_back(
        "the mapping of the baseline's config is not the recorded one");
    return against_recorded;
  }
  return verdict;
}

// Judges a case against the baseline, with all three columns.
CaseVerdict judge_priced(const CaseNumbers& now, const CaseNumbers* before,
                         const DeviceSpec& device, double threshold, const CaseRules& rules,
                         const StaticPricer& price) {
  if (before == nullptr || !before->exact) return judge_exact(now, before, threshold, rules);
  const Columns columns = columns_of(now, *before, device, price);
  CaseVerdict verdict = judge_columns(columns, threshold, rules);
  add_findings(verdict, columns.findings);
  show_columns(verdict, columns);
  return verdict;
}

// Judges a case; its numbers join `numbers` unless its kernel is refused. `build` is null if
// nothing was compiled.
CaseVerdict judge_static(const GateCase& gate_case, const CaseNumbers* before,
                         const DeviceSpec& device, const BuildResult* build, double threshold,
                         const StaticPricer& price, std::vector<CaseNumbers>& numbers) {
  if (const auto verdict = judge_case(gate_case, before)) return *verdict;
  if (build != nullptr && !build->ok()) {
    return early_verdict(gate_case.name, Verdict::Regression,
                         "the compiler's kernel is refused: " + build->reason);
  }
  CaseNumbers now{gate_case.name, gate_case.problem, gate_case.config, {}, {}};
  now.exact = price(now.problem, now.config, device);
  if (build != nullptr) {
    now.exact->compiled = CompilerNumbers{build->registers, build->spill_bytes, build->smem_bytes};
  }
  numbers.push_back(now);
  return judge_priced(now, before, device, gate_case.rules.threshold.value_or(threshold),
                      gate_case.rules, price);
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
        if (is_in_output(plan, static_cast<int>(i), {m, n})) ++count;
      }
    }
  }
  return count;
}

enum class Comparison { Worse, Better, Equal };

Comparison compared(const GateNumber& number, double threshold) {
  const double tolerance =
      (number.key == "predicted_us" ? threshold : kRounding) * std::abs(*number.before);
  if (number.now > *number.before + tolerance) return Comparison::Worse;
  return number.now < *number.before - tolerance ? Comparison::Better : Comparison::Equal;
}

// The numbers of a case, sorted by their comparison.
struct Sorted {
  std::vector<GateNumber> worse;
  std::vector<GateNumber> better;
  std::vector<GateNumber> shown;
  bool time_fell = false;
};

Sorted sort_numbers(const CaseVerdict& verdict, bool same_tiles, double threshold,
                    const CaseRules& rules) {
  Sorted sorted;
  for (const GateNumber& number : verdict.numbers) {
    const Judgement judgement = judgement_of(number, same_tiles);
    if (judgement == Judgement::Skipped) continue;
    if (judgement == Judgement::Shown || !is_judged(rules, number.key)) {
      if (number.now != *number.before) sorted.shown.push_back(number);
      continue;
    }
    const Comparison comparison = compared(number, threshold);
    if (comparison == Comparison::Worse) sorted.worse.push_back(number);
    if (comparison == Comparison::Better) sorted.better.push_back(number);
    sorted.time_fell |= comparison == Comparison::Better && number.key == "predicted_us";
  }
  return sorted;
}

// True for a baseline of a device that had no times yet, or of an edited file.
bool lacks_time(const StaticNumbers& now, const StaticNumbers& before) {
  return now.predicted && now.predicted->us && before.predicted && !before.predicted->us;
}

std::vector<std::string> texts_of(std::span<const GateNumber> numbers) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const GateNumber& number : numbers) texts.push_back(to_string(number));
  return texts;
}

// Throws a usage error for a case that asks for the time of a device without one.
void require_judgeable(std::span<const GateCase> cases, const DeviceSpec& device) {
  if (predicts_time(device)) return;
  for (const GateCase& one : cases) {
    const std::vector<std::string>& judge = one.rules.judge;
    if (std::find(judge.begin(), judge.end(), "time") == judge.end()) continue;
    throw usage_error(format("case {} is judged by its time, and device {} has none: {}", one.name,
                             device.name, kWhyNoTime));
  }
}

}  // namespace

StaticNumbers exact_numbers(const Workload& workload, const TileConfig& config,
                            const DeviceSpec& device) {
  return exact_numbers(make_plan(workload, config, device), device);
}

StaticNumbers exact_numbers(const Plan& plan, const DeviceSpec& device) {
  const Estimate predicted = estimate(plan, device);
  const ScheduleProof proof = prove_schedule(plan);
  StaticNumbers numbers;
  numbers.slots = predicted.slots;
  // Besides the raster's overhang this counts the tiles that fill up the last clusters.
  numbers.overhang = predicted.slots - output_tiles(plan);
  numbers.waves = predicted.waves;
  numbers.complete = proof.complete;
  numbers.predicted = predicted_of(predicted);
  numbers.walk = walk_digest(plan);
  return numbers;
}

CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before, double threshold,
                        const CaseRules& rules) {
  const StaticNumbers* const old = before != nullptr && before->exact ? &*before->exact : nullptr;
  CaseVerdict verdict{now.name, Verdict::New, gate_numbers(*now.exact, old), {}, ""};
  if (!now.exact->complete.value_or(false)) {
    verdict.verdict = Verdict::Regression;
    verdict.worse = {"complete"};
    verdict.findings.push_back("the proof fails: not every tile is computed exactly once");
  }
  if (old == nullptr) return verdict;
  if (lacks_time(*now.exact, *old)) {
    verdict.worse.push_back("predicted_us");
    verdict.findings.push_back(
        "the baseline has no predicted_us, and the device has times now: --update records them");
  }
  Sorted sorted = sort_numbers(verdict, now.config.cta == before->config.cta, threshold, rules);
  std::vector<std::string> traded;
  if (rules.time_decides && sorted.time_fell) {
    const auto first_traded =
        std::stable_partition(sorted.worse.begin(), sorted.worse.end(),
                              [](const GateNumber& number) { return number.key == "spill_bytes"; });
    const std::span<const GateNumber> excused(first_traded, sorted.worse.end());
    for (const std::string& text : texts_of(excused)) {
      traded.push_back("accepted because the time is shorter: " + text);
    }
    sorted.worse.erase(first_traded, sorted.worse.end());
  }
  add_findings(verdict, texts_of(sorted.worse));
  for (const GateNumber& number : sorted.worse) verdict.worse.push_back(number.key);
  if (!verdict.findings.empty()) {
    verdict.verdict = Verdict::Regression;
  } else if (!sorted.better.empty()) {
    verdict.verdict = Verdict::Improved;
    verdict.findings = texts_of(sorted.better);
    verdict.findings.push_back("improved: --promote records it in the baseline");
  } else {
    verdict.verdict = Verdict::Pass;
  }
  add_findings(verdict, traded);
  add_findings(verdict, texts_of(sorted.shown));
  const std::string change = describe_change(now.config, before->config);
  if (!change.empty()) verdict.findings.push_back(change);
  return verdict;
}

GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline, double threshold,
                        ProgressListener& progress, const StaticPricer& price) {
  require_judgeable(cases, device);
  GateRun run;
  const std::string mismatch = baseline == nullptr ? "" : compiler_mismatch(*baseline, compiler);
  const bool compile = compiler.compiler != nullptr && mismatch.empty();
  const auto built = build_all(cases, device, compile ? compiler.compiler : nullptr, progress);
  const std::string prices = price_digest(device);
  const StaticPricer dated = [&](const Workload& workload, const TileConfig& config,
                                 const DeviceSpec& of) {
    StaticNumbers numbers = price(workload, config, of);
    if (numbers.prices.empty()) numbers.prices = prices;
    return numbers;
  };
  progress.begin("price", static_cast<int64_t>(cases.size()));
  for (size_t i = 0; i < cases.size(); ++i) {
    const CaseNumbers* const before = find_case(baseline, cases[i].name);
    const auto found = built.find(i);
    const BuildResult* const build = found == built.end() ? nullptr : &found->second;
    run.verdicts.push_back(judge_guarded(cases[i], [&] {
      return judge_static(cases[i], before, device, build, threshold, dated, run.numbers);
    }));
    add_new_finding(run.verdicts.back(), baseline);
    progress.advance(static_cast<int64_t>(i) + 1, 0);
  }
  if (baseline != nullptr) {
    for (const CaseVerdict& verdict : judge_removed(*baseline, cases)) {
      run.verdicts.push_back(verdict);
    }
  }
  const auto lacks_digests = [](const CaseNumbers& numbers) { return !has_digests(numbers); };
  if (baseline != nullptr &&
      std::any_of(baseline->cases.begin(), baseline->cases.end(), lacks_digests)) {
    run.notes.push_back(
        "the baseline has no digests of mappings and prices, so a changed model looks like a "
        "changed mapping: --update records them");
  }
  if (!mismatch.empty()) {
    run.verdicts.push_back(early_verdict("compiler", Verdict::Environment, mismatch));
  } else if (compiler.compiler == nullptr) {
    run.notes.push_back("registers and spills were not compared: " + compiler.why_none);
  } else if (baseline != nullptr && baseline->compiler.empty()) {
    run.notes.push_back("the baseline has no registers and spills: --update records them");
  }
  return run;
}

}  // namespace tilewright
