#include "search/gate_static.hpp"

#include <cmath>
#include <map>

#include "base/text.hpp"
#include "model/estimate.hpp"
#include "tile/grid_proof.hpp"

namespace tilewright {
namespace {

constexpr double kRounding = 1e-9;

// One number of a case; smaller is better.
struct Comparison {
  std::string name;
  double now = 0;
  double before = 0;
  bool worse() const { return now > before + kRounding * std::abs(before); }
  bool better() const { return now < before - kRounding * std::abs(before); }
};

std::string describe(const Comparison& c) {
  const std::string change =
      c.before > 0 ? format(" ({:+.1f} %)", 100 * (c.now - c.before) / c.before) : "";
  return format("{} {:.0f}, baseline {:.0f}{}", c.name, c.now, c.before, change);
}

std::vector<Comparison> comparisons(const StaticNumbers& now, const StaticNumbers& before) {
  const auto whole = [](int64_t value) { return static_cast<double>(value); };
  std::vector<Comparison> all = {
      {"slots", whole(now.slots), whole(before.slots)},
      {"overhang", whole(now.overhang), whole(before.overhang)},
      {"waves", whole(now.waves), whole(before.waves)},
      {"dram_read_bytes", now.dram_read_bytes, before.dram_read_bytes},
  };
  if (now.compiled && before.compiled) {
    const CompilerNumbers& a = *now.compiled;
    const CompilerNumbers& b = *before.compiled;
    all.push_back({"registers", whole(a.registers), whole(b.registers)});
    all.push_back({"spill_bytes", whole(a.spill_bytes), whole(b.spill_bytes)});
    all.push_back({"smem_bytes", whole(a.smem_bytes), whole(b.smem_bytes)});
  }
  return all;
}

std::string in_words(const StaticNumbers& n) {
  std::string text =
      format("slots {}, overhang {}, waves {}, bijective {}, predicted DRAM reads {}", n.slots,
             n.overhang, n.waves, n.bijective ? "yes" : "no", human_bytes(n.dram_read_bytes));
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

}  // namespace

StaticNumbers exact_numbers(const GateCase& gate_case, const DeviceSpec& device) {
  const TileConfig& config = gate_case.config;
  const Estimate predicted = estimate(gate_case.problem, config, device);
  const TileCoord tiles = tile_grid(kernel_shape(gate_case.problem.shape, config), config.cta);
  const GridProof proof = prove_grid(config.raster, cluster_grid(gate_case.problem.shape, config));
  StaticNumbers numbers;
  numbers.slots = predicted.slots;
  // Beside the raster's overhang this counts the tiles that fill up a last cluster.
  numbers.overhang = predicted.slots - static_cast<int64_t>(tiles.m) * tiles.n;
  numbers.waves = predicted.waves;
  numbers.bijective = proof.bijective;
  numbers.dram_read_bytes = predicted.dram_read_bytes;
  return numbers;
}

CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before) {
  CaseVerdict verdict{now.name, Verdict::New, in_words(*now.exact), {}};
  if (before == nullptr || !before->exact) return verdict;
  verdict.verdict = Verdict::Pass;
  std::vector<std::string> better;
  if (before->exact->bijective && !now.exact->bijective) {
    verdict.findings.push_back("bijective no, baseline yes");
  } else if (!before->exact->bijective && now.exact->bijective) {
    better.push_back("bijective yes, baseline no");
  }
  for (const Comparison& number : comparisons(*now.exact, *before->exact)) {
    if (number.worse()) verdict.findings.push_back(describe(number));
    if (number.better()) better.push_back(describe(number));
  }
  if (!verdict.findings.empty()) {
    verdict.verdict = Verdict::Regression;
  } else if (!better.empty()) {
    verdict.verdict = Verdict::Improved;
    verdict.findings = better;
    verdict.findings.push_back("improved: update the baseline to keep it");
  }
  const std::string change = describe_change(now.config, before->config);
  if (!change.empty()) verdict.findings.push_back(change);
  return verdict;
}

GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline,
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
    now.exact = exact_numbers(cases[i], device);
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
    conclude(judge_exact(now, before));
  }
  if (baseline != nullptr) {
    for (const CaseVerdict& verdict : judge_removed(*baseline, cases)) conclude(verdict);
  }
  if (!mismatch.empty()) conclude({"compiler", Verdict::Environment, "", {mismatch}});
  return run;
}

}  // namespace tilewright
