#include "gate/gate.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/devices.hpp"

namespace tilewright {
namespace {

CaseVerdict case_of(Verdict verdict) {
  return {"case", verdict, {}, {}, ""};
}

ExitCode code_of(const std::vector<Verdict>& verdicts) {
  std::vector<CaseVerdict> all;
  for (const Verdict verdict : verdicts) all.push_back(case_of(verdict));
  return gate_exit_code(all);
}

bool comparable(const Baseline& baseline, GateMode mode, const DeviceFingerprint& device) {
  try {
    require_comparable(baseline, mode, device);
    return true;
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Environment);
    return false;
  }
}

Baseline made(GateMode mode, const DeviceFingerprint& device) {
  Baseline baseline;
  baseline.mode = mode;
  baseline.device = device;
  return baseline;
}

TEST_CASE("the worst verdict decides: wrong, slower, environment, noise, good") {
  using V = Verdict;
  CHECK(code_of({}) == ExitCode::Good);
  CHECK(code_of({V::Pass, V::Improved, V::New}) == ExitCode::Good);
  CHECK(code_of({V::Pass, V::Inconclusive}) == ExitCode::Inconclusive);
  CHECK(code_of({V::Inconclusive, V::Environment}) == ExitCode::Environment);
  CHECK(code_of({V::Environment, V::Regression, V::Inconclusive}) == ExitCode::No);
  CHECK(code_of({V::WrongResult, V::Regression}) == ExitCode::WrongResult);
}

TEST_CASE("failures come first, the others in their order, and all are counted") {
  const std::vector<CaseVerdict> all = {{"a", Verdict::Pass, {}, {}, ""},
                                        {"b", Verdict::New, {}, {}, ""},
                                        {"c", Verdict::Regression, {}, {}, ""},
                                        {"d", Verdict::Pass, {}, {}, ""},
                                        {"e", Verdict::Regression, {}, {}, ""}};
  std::string order;
  for (const CaseVerdict& verdict : worst_first(all)) order += verdict.name;
  CHECK(order == "cebad");
  CHECK(count_verdicts(all) == "2 regression, 1 new, 2 pass");
  CHECK(is_failure(Verdict::Inconclusive));
  CHECK_FALSE(is_failure(Verdict::New));
}

TEST_CASE("a baseline of another mode or device is no baseline") {
  const DeviceFingerprint preset = fingerprint(testing::h200(), true);
  DeviceFingerprint gpu = fingerprint(testing::h200(), false);
  gpu.name = "NVIDIA H200";
  DeviceFingerprint smaller = preset;
  smaller.l2_bytes = 50 << 20;
  DeviceFingerprint other_gpu = gpu;
  other_gpu.name = "NVIDIA H200 NVL";
  const Baseline exact = made(GateMode::Static, preset);
  CHECK(comparable(exact, GateMode::Static, preset));
  CHECK_FALSE(comparable(exact, GateMode::Baseline, gpu));
  CHECK_FALSE(comparable(exact, GateMode::Static, smaller));
  // A preset has the exact numbers of its GPU; times of two GPU products differ.
  CHECK(comparable(exact, GateMode::Static, gpu));
  const Baseline measured = made(GateMode::Baseline, gpu);
  CHECK(comparable(measured, GateMode::Baseline, gpu));
  CHECK_FALSE(comparable(measured, GateMode::Baseline, other_gpu));
  // An A/B needs only configs, from any mode, but for this architecture.
  CHECK(comparable(exact, GateMode::Ab, gpu));
  CHECK(comparable(measured, GateMode::Ab, other_gpu));
  CHECK_FALSE(comparable(measured, GateMode::Ab, smaller));
}

TEST_CASE("a case that left the suite fails by name") {
  Baseline baseline;
  baseline.cases = {{"kept", {}, {}, {}, {}}, {"lost", {}, {}, {}, {}}};
  const std::vector<GateCase> cases = {{"kept", {}, {}, ""}, {"fresh", {}, {}, ""}};
  const auto verdicts = judge_removed(baseline, cases);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].name == "lost");
  CHECK(verdicts[0].verdict == Verdict::Regression);
}

TEST_CASE("a refused config or another problem fails before any number is computed") {
  GateCase gate_case{"c", workload_of({{8, 8, 8}}), {}, ""};
  const CaseNumbers before{"c", workload_of({{8, 8, 16}}), {}, {}, {}};
  CHECK_FALSE(judge_case(gate_case, nullptr).has_value());
  REQUIRE(judge_case(gate_case, &before).has_value());
  CHECK(judge_case(gate_case, &before)->findings[0].find("8x8x16") != std::string::npos);
  // Any other part of the problem may differ, not only its sizes.
  const Workload same = gate_case.problem;
  std::vector<Workload> others(6, same);
  others[0].op = MatrixOp::Syrk;
  others[1].uplo = Uplo::Upper;
  others[2].kind.dtype = DataType::F16;
  others[3].kind.epilogue.out_dtype = DataType::F32;
  others[4].kind.layout = MatrixLayout::NT;
  others[5].kind.epilogue.bias = true;
  for (const Workload& other : others) {
    const CaseNumbers swapped{"c", other, {}, {}, {}};
    REQUIRE(judge_case(gate_case, &swapped).has_value());
    CHECK(judge_case(gate_case, &swapped)->verdict == Verdict::Regression);
  }
  const CaseNumbers kept{"c", same, {}, {}, {}};
  CHECK_FALSE(judge_case(gate_case, &kept).has_value());
  gate_case.why_illegal = "shared-memory: too much";
  REQUIRE(judge_case(gate_case, nullptr).has_value());
  CHECK(judge_case(gate_case, nullptr)->verdict == Verdict::Regression);
}

TEST_CASE("a changed config is reported by the keys that changed") {
  TileConfig before;
  before.stages = 4;
  TileConfig now = before;
  CHECK(describe_change(now, before).empty());
  now.raster = parse_raster("swizzle-merge:8");
  CHECK(describe_change(now, before) == "raster=swizzle-merge:8, baseline row");
  now.stages = 3;
  CHECK(describe_change(now, before) ==
        "stages=3, baseline 4, raster=swizzle-merge:8, baseline row");
  now = before;
  now.evict_first.b = true;
  now.swap_ab = true;
  CHECK(describe_change(now, before) ==
        "evict_first=b, baseline none, swap_ab=true, baseline false");
  now = before;
  now.family = Family::Skinny;
  CHECK(describe_change(now, before) ==
        "config=" + to_string(now) + ", baseline " + to_string(before));
}

}  // namespace
}  // namespace tilewright
