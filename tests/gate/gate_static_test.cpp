#include "gate/gate_static.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "gate/gate_numbers.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::contains;

/// Returns a fixed result, and counts the configs.
class FakeCompiler : public KernelCompiler {
 public:
  std::vector<BuildResult> build(std::span<const Plan> plans,
                                 const std::string& architecture) override {
    CHECK(architecture == "sm_90a");
    compiled += plans.size();
    return std::vector<BuildResult>(plans.size(), result);
  }
  BuildResult result{"", 168, 0, 200000, false};
  size_t compiled = 0;
};

constexpr double kThreshold = 0.01;

GateCase make_case(const std::string& name, const std::string& shape, const std::string& config) {
  const ConfigRequest request = parse_config(config);
  TileConfig made;
  made.cta = request.values.cta;
  made.cluster = request.values.cluster;
  made.stages = request.values.stages;
  made.raster = request.values.raster;
  GateCase gate_case{name, workload_of({parse_shape(shape)}), made, ""};
  REQUIRE_FALSE(reject_workload(gate_case.problem, made, testing::h200()).has_value());
  return gate_case;
}

std::vector<GateCase> cases_with(const std::string& raster) {
  return {make_case("ragged", "1664x2560x4096", "cta=128x256x64,stages=4,raster=" + raster),
          make_case("cube", "8192x8192x8192", "cta=128x256x64,stages=4,raster=swizzle-merge:8")};
}

GateRun run(const std::vector<GateCase>& cases, const StaticCompiler& compiler,
            const Baseline* baseline) {
  ProgressListener silent;
  return run_static_gate(cases, testing::h200(), compiler, baseline, kThreshold, silent);
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

StaticNumbers numbers_of(const GateCase& gate_case) {
  return exact_numbers(gate_case.problem, gate_case.config, testing::h200());
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

TEST_CASE("13 x 10 tiles split by 4 have the published numbers") {
  const StaticNumbers split = numbers_of(cases_with("split-merge:4")[0]);
  CHECK(split.slots == 160);
  CHECK(split.overhang == 30);
  CHECK(split.complete == true);
  const StaticNumbers swizzled = numbers_of(cases_with("swizzle-merge:4")[0]);
  CHECK(swizzled.slots == 130);
  CHECK(swizzled.overhang == 0);
  CHECK(swizzled.complete == true);
}

TEST_CASE("tiles that fill up a last cluster count as overhang") {
  const GateCase gate_case =
      make_case("odd", "1664x2560x4096", "cta=128x256x64,cluster=2x1,stages=4,raster=row");
  CHECK(numbers_of(gate_case).slots == 140);
  CHECK(numbers_of(gate_case).overhang == 10);
}

TEST_CASE("a case whose problem changed names what differs, also within a group") {
  const auto judged = [](const std::string& was, const std::string& is) {
    Workload now;
    now.shapes = parse_shapes(is, MatrixOp::Gemm);
    CaseNumbers before;
    before.problem.shapes = parse_shapes(was, MatrixOp::Gemm);
    const auto verdict = judge_case({"moved", now, {}, ""}, &before);
    return verdict ? join(verdict->findings, "\n") : "";
  };
  CHECK(judged("512x512x64", "512x512x128") ==
        "was 512x512x64 bf16 tn in the baseline and is 512x512x128 bf16 tn: update the baseline");
  const std::string group = "700x512x64,0x512x64,9x512x64";
  CHECK(judged(group, group).empty());
  CHECK(contains(
      judged(group, "9x512x64,0x512x64,700x512x64"),
      "in the baseline, in another order: product 1 is 9x512x64 and was 700x512x64: update"));
  CHECK(contains(judged(group, "700x512x64,9x512x64,0x512x64"),
                 "in another order: product 2 is 9x512x64 and was 0x512x64"));
  // The total, the fewest and the most rows stay the same.
  const std::string other =
      judged("700x512x64,0x512x64,9x512x64,8x512x64", "700x512x64,0x512x64,10x512x64,7x512x64");
  CHECK(contains(other, ", product 3 is 10x512x64 and was 9x512x64"));
  CHECK(!contains(other, "another order"));
}

TEST_CASE("a worse raster fails with the case and the number, a better one passes with a note") {
  const Baseline good = baseline_of(cases_with("swizzle-merge:4"), {});
  const Baseline bad = baseline_of(cases_with("split-merge:4"), {});
  const GateRun worse = run(cases_with("split-merge:4"), {}, &good);
  CHECK(gate_exit_code(worse.verdicts) == ExitCode::No);
  CHECK(worse.verdicts[0].name == "ragged");
  CHECK(finds(worse.verdicts[0], "slots 160, baseline 130"));
  CHECK(finds(worse.verdicts[0], "overhang 30, baseline 0"));
  CHECK(finds(worse.verdicts[0], "raster=split-merge:4"));
  CHECK(worse.verdicts[1].verdict == Verdict::Pass);
  const GateRun better = run(cases_with("swizzle-merge:4"), {}, &bad);
  CHECK(gate_exit_code(better.verdicts) == ExitCode::Good);
  CHECK(better.verdicts[0].verdict == Verdict::Improved);
  CHECK(finds(better.verdicts[0], "--promote"));
}

struct NamedChange {
  std::string name;
  std::function<void(CaseNumbers&, int)> grow;
};

const std::vector<NamedChange> kJudged = {
    {"predicted_us",
     [](CaseNumbers& n, int by) { *n.exact->predicted->us *= 1 + 1.1 * kThreshold * by; }},
    {"slots", [](CaseNumbers& n, int by) { n.exact->slots += by; }},
    {"overhang", [](CaseNumbers& n, int by) { n.exact->overhang += by; }},
    {"waves", [](CaseNumbers& n, int by) { n.exact->waves += by; }},
    {"dram_read_bytes",
     [](CaseNumbers& n, int by) { n.exact->predicted->dram_read_bytes *= 1 + 1e-6 * by; }},
    {"dram_write_bytes",
     [](CaseNumbers& n, int by) { n.exact->predicted->dram_write_bytes *= 1 + 1e-6 * by; }},
    {"spill_bytes", [](CaseNumbers& n, int by) { n.exact->compiled->spill_bytes += by; }},
};

const std::vector<NamedChange> kShown = {
    {"registers", [](CaseNumbers& n, int by) { n.exact->compiled->registers += by; }},
    {"smem_bytes", [](CaseNumbers& n, int by) { n.exact->compiled->smem_bytes += by; }},
};

CaseNumbers base_numbers() {
  FakeCompiler compiler;
  return baseline_of(cases_with("row"), {&compiler, "NVRTC 13.0", ""}).cases[1];
}

CaseVerdict judged(const CaseNumbers& now, const CaseNumbers& before) {
  return judge_exact(now, &before, kThreshold);
}

TEST_CASE("each number fails alone when it grows by one, and none when it shrinks") {
  const CaseNumbers base = base_numbers();
  for (const NamedChange& number : kJudged) {
    CAPTURE(number.name);
    CaseNumbers grown = base;
    number.grow(grown, 1);
    const CaseVerdict worse = judged(grown, base);
    CHECK(worse.verdict == Verdict::Regression);
    CHECK(worse.findings.size() == 1);
    CHECK(finds(worse, number.name));
    CHECK(judged(base, grown).verdict == Verdict::Improved);
  }
  // One better number does not excuse another that is worse.
  CaseNumbers mixed = base;
  mixed.exact->slots -= 1;
  mixed.exact->waves += 1;
  CHECK(judged(mixed, base).verdict == Verdict::Regression);
  CaseNumbers rounded = base;
  rounded.exact->predicted->dram_read_bytes *= 1 + 1e-12;
  CHECK(judged(rounded, base).verdict == Verdict::Pass);
  CaseNumbers within = base;
  *within.exact->predicted->us *= 1 + 0.9 * kThreshold;
  CHECK(judged(within, base).verdict == Verdict::Pass);
}

TEST_CASE("a change of a resource is shown, but is neither worse nor better") {
  const CaseNumbers base = base_numbers();
  for (const NamedChange& number : kShown) {
    for (const int by : {1, -1}) {
      CAPTURE(number.name);
      CaseNumbers other = base;
      number.grow(other, by);
      const CaseVerdict verdict = judged(other, base);
      CHECK(verdict.verdict == Verdict::Pass);
      CHECK(finds(verdict, number.name));
    }
  }
}

TEST_CASE("a tile that is not computed exactly once fails, with a baseline and without") {
  CaseNumbers broken = base_numbers();
  broken.exact->complete = false;
  CHECK(judge_exact(broken, nullptr, kThreshold).verdict == Verdict::Regression);
  CHECK(judged(broken, broken).verdict == Verdict::Regression);
  CHECK(finds(judged(broken, base_numbers()), "exactly once"));
}

// The smoke suite's first case: half the stages, twice the time, and less shared memory.
std::vector<GateCase> cube_with(const std::string& stages) {
  GateCase gate_case =
      make_case("cube", "8192x8192x8192",
                "cta=128x192x64,cluster=2x1,stages=" + stages + ",raster=swizzle-merge:8");
  gate_case.config.schedule = KernelSchedule::PingPong;
  return {gate_case};
}

TEST_CASE("half the stages for twice the predicted time is a regression") {
  FakeCompiler compiler;
  const StaticCompiler with{&compiler, "NVRTC 13.0", ""};
  const Baseline four = baseline_of(cube_with("4"), with);
  compiler.result.smem_bytes = 115744;
  const CaseVerdict two = run(cube_with("2"), with, &four).verdicts.at(0);
  CHECK(two.verdict == Verdict::Regression);
  CHECK(two.findings.at(0).find("predicted_us") == 0);
  CHECK(finds(two, "smem_bytes 115744, baseline 200000"));
  CHECK(finds(two, "stages=2, baseline 4"));
}

TEST_CASE("another predicted time of the recorded walk is a changed model, better or worse") {
  const auto cases = cube_with("4");
  const Baseline whole = baseline_of(cases, {});
  for (const double factor : {0.5, 1.001, 2.0}) {
    Baseline baseline = whole;
    *baseline.cases[0].exact->predicted->us *= factor;
    const GateRun changed = run(cases, {}, &baseline);
    CHECK(gate_exit_code(changed.verdicts) == ExitCode::NoBaseline);
    CHECK(changed.verdicts.at(0).verdict == Verdict::ModelChanged);
    CHECK(finds(changed.verdicts.at(0), "--accept-model"));
    // A worse config is still a regression.
    CHECK(run(cube_with("2"), {}, &baseline).verdicts.at(0).verdict == Verdict::Regression);
  }
}

TEST_CASE("another walk is compared with the recorded walk by its numbers") {
  const auto cases = cube_with("4");
  Baseline baseline = baseline_of(cases, {});
  StaticNumbers& recorded = *baseline.cases[0].exact;
  recorded.walk = "another";
  CHECK(run(cases, {}, &baseline).verdicts.at(0).verdict == Verdict::Pass);
  const double dram = recorded.predicted->dram_read_bytes;
  recorded.predicted->dram_read_bytes = dram / 3;
  const CaseVerdict worse = run(cases, {}, &baseline).verdicts.at(0);
  CHECK(worse.verdict == Verdict::Regression);
  CHECK(worse.worse == std::vector<std::string>{"dram_read_bytes"});
  CHECK(finds(worse, "the mapping is not the recorded one"));
  recorded.predicted->dram_read_bytes = dram * 3;
  const CaseVerdict better = run(cases, {}, &baseline).verdicts.at(0);
  CHECK(better.verdict == Verdict::Improved);
  CHECK(finds(better, "--promote"));
}

TEST_CASE("a report has three columns: recorded, the baseline's config today, and now") {
  Baseline baseline = baseline_of(cube_with("4"), {});
  const double today = baseline.cases[0].exact->predicted->us.value();
  *baseline.cases[0].exact->predicted->us = 2 * today;
  const auto two = cube_with("2");
  const GateNumber us = run(two, {}, &baseline).verdicts.at(0).numbers.at(0);
  CHECK(us.key == "predicted_us");
  CHECK(us.recorded == 2 * today);
  CHECK(us.baseline_today == today);
  CHECK(us.now == numbers_of(two[0]).predicted->us);
}

TEST_CASE("a baseline without digests is compared by its numbers, with a note") {
  const auto cases = cube_with("4");
  Baseline baseline = baseline_of(cases, {});
  StaticNumbers& recorded = *baseline.cases[0].exact;
  recorded.walk.clear();
  recorded.prices.clear();
  const GateRun same = run(cases, {}, &baseline);
  CHECK(same.verdicts.at(0).verdict == Verdict::Pass);
  CHECK(contains(join(same.notes, "\n"), "no digests"));
  *recorded.predicted->us /= 2;
  CHECK(run(cases, {}, &baseline).verdicts.at(0).verdict == Verdict::Regression);
}

TEST_CASE(
    "a shorter time excuses more bytes unless the suite forbids it; only judged numbers fail") {
  const CaseNumbers base = base_numbers();
  CaseNumbers traded = base;
  *traded.exact->predicted->us *= 0.9;
  traded.exact->predicted->dram_read_bytes *= 1.5;
  CHECK(judge_exact(traded, &base, kThreshold).verdict == Verdict::Improved);
  CHECK(judge_exact(traded, &base, kThreshold, {{}, {}, false}).verdict == Verdict::Regression);
  CaseNumbers more = base;
  more.exact->predicted->dram_read_bytes *= 1.5;
  CHECK(judge_exact(more, &base, kThreshold).worse == std::vector<std::string>{"dram_read_bytes"});
  const CaseRules time_alone{{}, {"time"}, true};
  CHECK(judge_exact(more, &base, kThreshold, time_alone).verdict == Verdict::Pass);
  more.exact->complete = false;
  CHECK(judge_exact(more, &base, kThreshold, time_alone).verdict == Verdict::Regression);
}

TEST_CASE("a baseline's config that is refused today keeps its recorded price, with a note") {
  Baseline baseline = baseline_of(cube_with("4"), {});
  CaseNumbers& before = baseline.cases[0];
  before.config.stages = 40;
  const CaseVerdict verdict = run(cube_with("4"), {}, &baseline).verdicts.at(0);
  CHECK(verdict.verdict == Verdict::Pass);
  CHECK(finds(verdict, "shared-memory"));
  CHECK(finds(verdict, "are compared with the recorded ones"));
  before.exact->predicted.reset();
  CHECK(finds(run(cube_with("4"), {}, &baseline).verdicts.at(0), "cannot be compared"));
}

TEST_CASE("slots are compared between equal tile sizes only") {
  const CaseNumbers base = base_numbers();
  CaseNumbers smaller = base;
  smaller.config.cta.m /= 2;
  smaller.exact->slots *= 2;
  CHECK(judged(smaller, base).verdict == Verdict::Pass);
}

TEST_CASE("compiler numbers that cannot be compared are an environment error, after regressions") {
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
  // A baseline that never had them requires nothing.
  const Baseline plain = baseline_of(cases, none);
  CHECK(gate_exit_code(run(cases, none, &plain).verdicts) == ExitCode::Good);
  CHECK(gate_exit_code(run(cases, newer, &plain).verdicts) == ExitCode::Good);
}

TEST_CASE("missing compiler numbers are absent, not 0, and the run notes why") {
  const auto cases = cases_with("row");
  const StaticCompiler none{nullptr, "", "this build has no CUDA"};
  const GateRun without = run(cases, none, nullptr);
  REQUIRE(without.notes.size() == 1);
  CHECK(without.notes[0].find("this build has no CUDA") != std::string::npos);
  for (const GateNumber& number : without.verdicts.at(0).numbers) {
    CHECK(number.key != "spill_bytes");
    CHECK(number.key != "registers");
    CHECK((value_text(number, number.now) == "yes") == (number.key == "complete"));
  }
  FakeCompiler compiler;
  const Baseline plain = baseline_of(cases, none);
  const GateRun with = run(cases, {&compiler, "NVRTC 13.0", ""}, &plain);
  REQUIRE(with.notes.size() == 1);
  CHECK(with.notes[0].find("--update records them") != std::string::npos);
}

/// Records the phases.
class Listener : public ProgressListener {
 public:
  void begin(const std::string& phase, int64_t) override { phases.push_back(phase); }
  void advance(int64_t done, double) override { last = done; }
  std::vector<std::string> phases;
  int64_t last = 0;
};

TEST_CASE("compiling and pricing report progress") {
  FakeCompiler compiler;
  Listener listener;
  const auto cases = cases_with("row");
  run_static_gate(cases, testing::h200(), {&compiler, "NVRTC 13.0", ""}, nullptr, kThreshold,
                  listener);
  CHECK(listener.phases == std::vector<std::string>{"compile", "price"});
  CHECK(listener.last == 2);
}

TEST_CASE("a kernel that the compiler refuses fails and has no numbers") {
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
  CHECK(finds(renamed.verdicts[1], "not in the baseline"));
  CHECK(renamed.verdicts[2].name == "cube");
  CHECK(renamed.verdicts[2].verdict == Verdict::Regression);
}

TEST_CASE("an internal error in planning fails only its own case, compiled or not") {
  std::vector<GateCase> cases = cases_with("row");
  cases.insert(cases.begin() + 1, cases.front());
  cases[1].name = "broken";
  cases[1].config.family = static_cast<Family>(99);  // in no table
  FakeCompiler compiler;
  const StaticCompiler with{&compiler, "NVRTC 13.0", ""};
  const StaticCompiler none{nullptr, "", "this build has no CUDA"};
  for (const StaticCompiler& one : {with, none}) {
    const GateRun outcome = run(cases, one, nullptr);
    REQUIRE(outcome.verdicts.size() == 3);
    for (const CaseVerdict& verdict : outcome.verdicts) {
      CHECK((verdict.verdict == Verdict::Internal) == (verdict.name == "broken"));
    }
    CHECK(gate_exit_code(outcome.verdicts) == ExitCode::Internal);
    CHECK(outcome.numbers.size() == 2);
  }
  CHECK(compiler.compiled == 2);
}

}  // namespace
}  // namespace tilewright
