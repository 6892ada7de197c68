#include "search/gate_static.hpp"

#include <cmath>
#include <map>

#include "base/text.hpp"
#include "model/estimate.hpp"
#include "tile/legality.hpp"
#include "tile/schedule_proof.hpp"
#include "tile/work_plan.hpp"

namespace tilewright {
namespace {

constexpr double kRounding = 1e-9;

enum class Judgement {
  Smaller,  // smaller is better
  Shown,    // a resource: costs nothing while it fits
};

// One number of a case, beside the baseline's.
struct Comparison {
  std::string name;
  double now = 0;
  double before = 0;
  double tolerance = kRounding;  // of the baseline's
  Judgement judgement = Judgement::Smaller;
  bool worse() const { return now > before + tolerance * std::abs(before); }
  bool better() const { return now < before - tolerance * std::abs(before); }
};

std::string describe(const Comparison& c) {
  const std::string change =
      c.before > 0 ? format(" ({:+.1f} %)", 100 * (c.now - c.before) / c.before) : "";
  const int digits = c.name == "predicted_us" ? 2 : 0;
  return format("{} {:.{}f}, baseline {:.{}f}{}", c.name, c.now, digits, c.before, digits, change);
}

std::vector<Comparison> comparisons(const CaseNumbers& now_case, const CaseNumbers& before_case,
                                    double threshold) {
  const StaticNumbers& now = *now_case.exact;
  const StaticNumbers& before = *before_case.exact;
  const auto whole = [](int64_t value) { return static_cast<double>(value); };
  std::vector<Comparison> all;
  if (now.predicted && before.predicted) {
    const PredictedNumbers& a = *now.predicted;
    const PredictedNumbers& b = *before.predicted;
    all.push_back({"predicted_us", a.us, b.us, threshold});
    all.push_back({"dram_read_bytes", a.dram_read_bytes, b.dram_read_bytes});
    all.push_back({"dram_write_bytes", a.dram_write_bytes, b.dram_write_bytes});
  }
  all.push_back({"waves", whole(now.waves), whole(before.waves)});
  // Slots of different tiles are different amounts of work.
  if (now_case.config.cta == before_case.config.cta) {
    all.push_back({"slots", whole(now.slots), whole(before.slots)});
    all.push_back({"overhang", whole(now.overhang), whole(before.overhang)});
  }
  if (now.compiled && before.compiled) {
    const CompilerNumbers& a = *now.compiled;
    const CompilerNumbers& b = *before.compiled;
    all.push_back({"spill_bytes", whole(a.spill_bytes), whole(b.spill_bytes)});
    all.push_back({"registers", whole(a.registers), whole(b.registers), 0, Judgement::Shown});
    all.push_back({"smem_bytes", whole(a.smem_bytes), whole(b.smem_bytes), 0, Judgement::Shown});
  }
  return all;
}

PredictedNumbers predicted_of(const Estimate& e) {
  return {e.us, e.dram_read_bytes, e.dram_write_bytes};
}

std::string in_words(const StaticNumbers& n) {
  std::string text = n.predicted
                         ? format("predicted {:.2f} us, DRAM reads {}, writes {}, ",
                                  n.predicted->us, human_bytes(n.predicted->dram_read_bytes),
                                  human_bytes(n.predicted->dram_write_bytes))
                         : "";
  text += format("slots {}, overhang {}, waves {}, complete {}", n.slots, n.overhang, n.waves,
                 n.complete ? "yes" : "no");
  if (n.compiled) {
    text += format(", registers {}, spills {} B, shared {} B", n.compiled->registers,
                   n.compiled->spill_bytes, n.compiled->smem_bytes);
  }
  return text;
}

// Compiles all legal cases, one call a kind of problem; by index of the case.
std::map<size_t, BuildResult> build_all(std::span<const GateCase> cases, const DeviceSpec& device,
                                        KernelCompiler* compiler) {
  std::map<size_t, BuildResult> results;
  if (compiler == nullptr) return results;
  for (size_t first = 0; first < cases.size(); ++first) {
    if (results.contains(first) || !cases[first].refused.empty()) continue;
    const Problem kind = kind_of(cases[first].problem);
    std::vector<size_t> indices;
    std::vector<TileConfig> configs;
    for (size_t i = first; i < cases.size(); ++i) {
      if (kind_of(cases[i].problem) != kind || !cases[i].refused.empty()) continue;
      indices.push_back(i);
      configs.push_back(cases[i].config);
    }
    const std::vector<BuildResult> built = compiler->build(kind, configs, architecture(device));
    for (size_t i = 0; i < indices.size(); ++i) results[indices[i]] = built.at(i);
  }
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

}  // namespace

StaticNumbers exact_numbers(const Problem& problem, const TileConfig& config,
                            const DeviceSpec& device) {
  const Estimate predicted = estimate(problem, config, device);
  const TileCoord tiles = tile_grid(kernel_shape(problem.shape, config), config.cta);
  const int cluster = launch_cluster_size(config);
  const int64_t workers = worker_count(problem.shape, config, resident_clusters(device, cluster));
  const ScheduleProof proof =
      prove_schedule(make_schedule(schedule_request(problem.shape, config, workers * cluster)));
  StaticNumbers numbers;
  numbers.slots = predicted.slots;
  // Beside the raster's overhang this counts the tiles that fill up a last cluster.
  numbers.overhang = predicted.slots - static_cast<int64_t>(tiles.m) * tiles.n;
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
  if (const auto rejection = reject_config(before.problem, before.config, device)) {
    findings.push_back(
        format("the baseline's config is refused today ({}: {}), so predictions {}",
               rejection->rule, rejection->reason,
               before.exact->predicted ? "compare with the recorded ones" : "do not compare"));
    return priced;
  }
  priced.exact->predicted = predicted_of(estimate(before.problem, before.config, device));
  return priced;
}

CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before, double threshold) {
  CaseVerdict verdict{now.name, Verdict::New, in_words(*now.exact), {}};
  if (!now.exact->complete) {
    verdict.verdict = Verdict::Regression;
    verdict.findings.push_back("the proof fails: not every tile is computed exactly once");
  }
  if (before == nullptr || !before->exact) return verdict;
  std::vector<std::string> better;
  std::vector<std::string> shown;
  for (const Comparison& number : comparisons(now, *before, threshold)) {
    if (number.judgement == Judgement::Shown) {
      if (number.now != number.before) shown.push_back(describe(number));
      continue;
    }
    if (number.worse()) verdict.findings.push_back(describe(number));
    if (number.better()) better.push_back(describe(number));
  }
  if (!verdict.findings.empty()) {
    verdict.verdict = Verdict::Regression;
  } else if (!better.empty()) {
    verdict.verdict = Verdict::Improved;
    better.push_back("improved: update the baseline to keep it");
  } else {
    verdict.verdict = Verdict::Pass;
  }
  const auto add = [&verdict](const std::vector<std::string>& more) {
    verdict.findings.insert(verdict.findings.end(), more.begin(), more.end());
  };
  if (verdict.verdict == Verdict::Improved) add(better);
  add(shown);
  const std::string change = describe_change(now.config, before->config);
  if (!change.empty()) verdict.findings.push_back(change);
  return verdict;
}

GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline, double threshold,
                        const OnVerdict& on_verdict) {
  GateRun run;
  const auto conclude = [&](const CaseVerdict& verdict) {
    run.verdicts.push_back(verdict);
    on_verdict(verdict);
  };
  const std::string mismatch = baseline == nullptr ? "" : compiler_mismatch(*baseline, compiler);
  const bool compile = compiler.compiler != nullptr && mismatch.empty();
  const auto built = build_all(cases, device, compile ? compiler.compiler : nullptr);
  for (size_t i = 0; i < cases.size(); ++i) {
    const CaseNumbers* const before = find_case(baseline, cases[i].name);
    if (const auto verdict = judge_case(cases[i], before)) {
      conclude(*verdict);
      continue;
    }
    CaseNumbers now{cases[i].name, cases[i].problem, cases[i].config, {}, {}};
    now.exact = exact_numbers(now.problem, now.config, device);
    if (const auto found = built.find(i); found != built.end()) {
      const BuildResult& build = found->second;
      if (!build.ok()) {
        conclude({cases[i].name,
                  Verdict::Regression,
                  in_words(*now.exact),
                  {"the compiler's kernel is refused: " + build.reason}});
        continue;
      }
      now.exact->compiled = CompilerNumbers{build.registers, build.spill_bytes, build.smem_bytes};
    }
    run.numbers.push_back(now);
    conclude(judge_priced(now, before, device, threshold));
  }
  if (baseline != nullptr) {
    for (const CaseVerdict& verdict : judge_removed(*baseline, cases)) conclude(verdict);
  }
  if (!mismatch.empty()) conclude({"compiler", Verdict::Environment, "", {mismatch}});
  return run;
}

}  // namespace tilewright
