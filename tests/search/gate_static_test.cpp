#include "search/gate_static.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/devices.hpp"
#include "tile/legality.hpp"

namespace tilewright {
namespace {

/// Says what it is told; counts the configs it was given.
class FakeCompiler : public KernelCompiler {
 public:
  std::vector<BuildResult> build(const Problem&, std::span<const TileConfig> configs,
                                 const std::string& architecture) override {
    CHECK(architecture == "sm_90a");
    compiled += configs.size();
    return std::vector<BuildResult>(configs.size(), result);
  }
  BuildResult result{"", 168, 0, 200000, false};
  size_t compiled = 0;
};

GateCase make_case(const std::string& name, const std::string& shape, const std::string& config) {
  const ConfigRequest request = parse_config(config);
  TileConfig made;
  made.cta = *request.cta;
  made.cluster = request.cluster.value_or(ClusterShape{});
  made.stages = *request.stages;
  made.raster = *request.raster;
  GateCase gate_case{name, {parse_shape(shape), DataType::BF16}, made, ""};
  REQUIRE_FALSE(reject_config(gate_case.problem, made, testing::h200()).has_value());
  return gate_case;
}

std::vector<GateCase> cases_with(const std::string& raster) {
  return {make_case("ragged", "1664x2560x4096", "cta=128x256x64,stages=4,raster=" + raster),
          make_case("cube", "8192x8192x8192", "cta=128x256x64,stages=4,raster=swizzle-merge:8")};
}

GateRun run(const std::vector<GateCase>& cases, const StaticCompiler& compiler,
            const Baseline* baseline) {
  std::vector<CaseVerdict> shown;
  const GateRun result = run_static_gate(cases, testing::h200(), compiler, baseline,
                                         [&shown](const CaseVerdict& v) { shown.push_back(v); });
  CHECK(shown == result.verdicts);
  return result;
}

Baseline baseline_of(const std::vector<GateCase>& cases, const StaticCompiler& compiler) {
  const GateRun first = run(cases, compiler, nullptr);
  Baseline baseline;
  baseline.compiler = compiler.version;
  baseline.cases = first.numbers;
  CHECK(gate_exit_code(first.verdicts) == ExitCode::Good);
  CHECK(first.numbers.size() == cases.size());
  return baseline;
}

bool finds(const CaseVerdict& verdict, const std::string& part) {
  for (const std::string& finding : verdict.findings) {
    if (finding.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST_CASE("a suite passes against its own baseline, without a note") {
  FakeCompiler compiler;
  const StaticCompiler with{&compiler, "NVRTC 13.0", ""};
  const auto cases = cases_with("swizzle-merge:4");
  const Baseline baseline = baseline_of(cases, with);
  for (const CaseVerdict& verdict : run(cases, with, &baseline).verdicts) {
    CHECK(verdict.verdict == Verdict::Pass);
    CHECK(verdict.findings.empty());
  }
  CHECK(compiler.compiled == 4);
}

TEST_CASE("the numbers of 13 x 10 tiles split by 4 are the seed's") {
  const StaticNumbers split = exact_numbers(cases_with("split-merge:4")[0], testing::h200());
  CHECK(split.slots == 160);
  CHECK(split.overhang == 30);
  CHECK_FALSE(split.bijective);
  const StaticNumbers swizzled = exact_numbers(cases_with("swizzle-merge:4")[0], testing::h200());
  CHECK(swizzled.slots == 130);
  CHECK(swizzled.overhang == 0);
  CHECK(swizzled.bijective);
}

TEST_CASE("tiles that fill up a last cluster count as overhang") {
  const GateCase gate_case =
      make_case("odd", "1664x2560x4096", "cta=128x256x64,cluster=2x1,stages=4,raster=row");
  CHECK(exact_numbers(gate_case, testing::h200()).slots == 140);
  CHECK(exact_numbers(gate_case, testing::h200()).overhang == 10);
}

TEST_CASE("a worse raster fails with the case and the number, a better one passes with a note") {
  const Baseline good = baseline_of(cases_with("swizzle-merge:4"), {});
  const Baseline bad = baseline_of(cases_with("split-merge:4"), {});
  const GateRun worse = run(cases_with("split-merge:4"), {}, &good);
  CHECK(gate_exit_code(worse.verdicts) == ExitCode::No);
  CHECK(worse.verdicts[0].name == "ragged");
  CHECK(finds(worse.verdicts[0], "slots 160, baseline 130"));
  CHECK(finds(worse.verdicts[0], "bijective no, baseline yes"));
  CHECK(finds(worse.verdicts[0], "raster=split-merge:4"));
  CHECK(worse.verdicts[1].verdict == Verdict::Pass);
  const GateRun better = run(cases_with("swizzle-merge:4"), {}, &bad);
  CHECK(gate_exit_code(better.verdicts) == ExitCode::Good);
  CHECK(better.verdicts[0].verdict == Verdict::Improved);
  CHECK(finds(better.verdicts[0], "update the baseline"));
}

TEST_CASE("each number fails alone when it grows by one, and none when it shrinks") {
  FakeCompiler compiler;
  const StaticCompiler with{&compiler, "NVRTC 13.0", ""};
  const auto cases = cases_with("row");
  const CaseNumbers base = baseline_of(cases, with).cases[1];
  const std::vector<std::pair<std::string, std::function<void(CaseNumbers&, int)>>> numbers = {
      {"slots", [](CaseNumbers& n, int by) { n.exact->slots += by; }},
      {"overhang", [](CaseNumbers& n, int by) { n.exact->overhang += by; }},
      {"waves", [](CaseNumbers& n, int by) { n.exact->waves += by; }},
      {"dram_read_bytes",
       [](CaseNumbers& n, int by) { n.exact->dram_read_bytes *= 1 + 1e-6 * by; }},
      {"registers", [](CaseNumbers& n, int by) { n.exact->compiled->registers += by; }},
      {"spill_bytes", [](CaseNumbers& n, int by) { n.exact->compiled->spill_bytes += by; }},
      {"smem_bytes", [](CaseNumbers& n, int by) { n.exact->compiled->smem_bytes += by; }},
  };
  for (const auto& number : numbers) {
    CAPTURE(number.first);
    CaseNumbers grown = base;
    number.second(grown, 1);
    const CaseVerdict worse = judge_exact(grown, &base);
    CHECK(worse.verdict == Verdict::Regression);
    CHECK(worse.findings.size() == 1);
    CHECK(finds(worse, number.first));
    CHECK(judge_exact(base, &grown).verdict == Verdict::Improved);
  }
  // One number better does not pay for another that is worse.
  CaseNumbers mixed = base;
  mixed.exact->slots -= 1;
  mixed.exact->waves += 1;
  CHECK(judge_exact(mixed, &base).verdict == Verdict::Regression);
  CaseNumbers rounded = base;
  rounded.exact->dram_read_bytes *= 1 + 1e-12;
  CHECK(judge_exact(rounded, &base).verdict == Verdict::Pass);
}

TEST_CASE("compiler numbers that cannot be compared end in the environment, after regressions") {
  FakeCompiler compiler;
  const StaticCompiler with{&compiler, "NVRTC 13.0", ""};
  const auto cases = cases_with("swizzle-merge:4");
  const Baseline baseline = baseline_of(cases, with);
  const StaticCompiler none{nullptr, "", "this build has no CUDA"};
  const GateRun without = run(cases, none, &baseline);
  CHECK(gate_exit_code(without.verdicts) == ExitCode::Environment);
  CHECK(finds(without.verdicts.back(), "this build has no CUDA"));
  const StaticCompiler newer{&compiler, "NVRTC 13.1", ""};
  CHECK(gate_exit_code(run(cases, newer, &baseline).verdicts) == ExitCode::Environment);
  CHECK(gate_exit_code(run(cases_with("split-merge:4"), none, &baseline).verdicts) == ExitCode::No);
  // A baseline that never had them asks for nothing.
  const Baseline plain = baseline_of(cases, none);
  CHECK(gate_exit_code(run(cases, none, &plain).verdicts) == ExitCode::Good);
  CHECK(gate_exit_code(run(cases, newer, &plain).verdicts) == ExitCode::Good);
}

TEST_CASE("a kernel that the compiler refuses fails, and is not in the numbers") {
  FakeCompiler compiler;
  const auto cases = cases_with("row");
  const Baseline baseline = baseline_of(cases, {&compiler, "NVRTC 13.0", ""});
  compiler.result.reason = "spills 16 bytes";
  const GateRun refused = run(cases, {&compiler, "NVRTC 13.0", ""}, &baseline);
  CHECK(gate_exit_code(refused.verdicts) == ExitCode::No);
  CHECK(finds(refused.verdicts[0], "spills 16 bytes"));
  CHECK(refused.numbers.empty());
}

TEST_CASE("cases come and go by name: new ones pass, lost ones fail") {
  auto cases = cases_with("row");
  const Baseline baseline = baseline_of(cases, {});
  cases[1].name = "renamed";
  const GateRun renamed = run(cases, {}, &baseline);
  REQUIRE(renamed.verdicts.size() == 3);
  CHECK(renamed.verdicts[1].verdict == Verdict::New);
  CHECK(renamed.verdicts[2].name == "cube");
  CHECK(renamed.verdicts[2].verdict == Verdict::Regression);
}

}  // namespace
}  // namespace tilewright
