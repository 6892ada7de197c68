// Foreign kernels on a GPU, in the worker process that runs them: the presets' example computes
// correct results with every value of its parameters, and a config that breaks a rule of the
// interface fails alone, with the reason.
#include "gpu/measure/foreign_check.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "search/admission.hpp"
#include "search/foreign_search.hpp"
#include "store/harness_json.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/plan/grid_proof.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

using testing::contains;

std::unique_ptr<Runner> device_worker() {
  return make_worker_runner(
      {(program_folder() / "tilewright").string(), "worker", "--device", "cuda:0", "--seed", "1"},
      testing::h200(), {.launch_s = 10, .other_s = 300});
}

// The library's path; empty if the build had no nvcc.
std::string library(const std::string& name) {
  const auto file = program_folder() / ("harness_" + name + ".so");
  return std::filesystem::exists(file) ? file.string() : std::string();
}

TEST_CASE("the example in plain CUDA is correct with every value of its parameters") {
  const std::string file = library("cuda_gemm");
  if (file.empty()) return;
  const std::unique_ptr<Runner> runner = device_worker();
  const HarnessDescription harness = read_harness(runner->describe(file), file);
  CHECK(!harness.on_host);
  for (const GemmShape& shape :
       {GemmShape{256, 256, 128}, GemmShape{1000, 520, 264}, GemmShape{70, 8, 8}}) {
    const Workload workload = workload_of(Problem{.shape = shape});
    runner->prepare(workload);
    std::vector<Contender> field;
    for (const ForeignConfig& config : legal_configs(harness, workload).legal) {
      field.push_back(contender_of(config));
    }
    REQUIRE(field.size() == 16);
    for (const Contender& contender : field) {
      REQUIRE(runner->build_foreign({&contender, 1}).front().ok());
      const Verification verification = runner->verify(contender);
      CHECK_MESSAGE(verification.ok, to_string(shape), " ", contender.name, ": ",
                    verification.detail);
      const ForeignMapping mapping = runner->mapping_of(contender);
      const TileCoord grid{static_cast<int>((shape.m + mapping.tile_m - 1) / mapping.tile_m),
                           static_cast<int>((shape.n + mapping.tile_n - 1) / mapping.tile_n)};
      CHECK(prove_order(mapping.tiles, grid).bijective);
    }
    for (const LaunchTime& time : runner->time_round(field)) {
      CHECK(time.failure.empty());
      CHECK(time.us > 0);
    }
    CHECK(runner->verify_in_round(field).ok);
  }
}

TEST_CASE(
    "a search over the example's parameters is timed beside the library and a tilewright config") {
  const std::string file = library("cuda_gemm");
  if (file.empty()) return;
  const std::unique_ptr<Runner> runner = device_worker();
  const HarnessDescription harness = read_harness(runner->describe(file), file);
  const Workload workload = workload_of(Problem{.shape = {1024, 1024, 512}});
  ForeignPolicy policy{.rounds = 25, .counters = false};
  policy.ours = TileConfig{.cta = {128, 128, 64}, .cluster = {}, .stages = 4, .raster = {}};
  policy.is_spent = [](int64_t measured) { return measured >= 6; };
  ProgressListener silent;
  const ForeignResult result = tune_foreign(workload, *runner, harness, policy, silent);
  CHECK(result.entry.considered.enumerated == 16);
  CHECK(result.entry.considered.measured == 6);
  CHECK(result.entry.verified.ok);
  CHECK(result.entry.timing.median_us > 0);
  CHECK(result.entry.reference);
  REQUIRE(result.entry.ours);
  CHECK(result.entry.ours->config == *policy.ours);
}

TEST_CASE("every fault on the device fails only its own config, with its own message") {
  const std::string file = library("device_fixture");
  if (file.empty()) return;
  const std::map<int64_t, std::string> sentences = {
      {1, "compared elements are wrong, first at row 3, column 5"},
      {2, "behind D"},
      {3, "wrote a byte 1 behind the workspace of 64 bytes that it requested"},
      {4, "it may reuse an earlier result"},
      {5, "it works on another stream than the one that it receives"},
      {6, "run waits for the device"},
      {7, "of device memory"},
      {8, "it reset the device"},
      {9, "illegal memory access"},
      {10, "gave no answer"},
      {11, "run failed: the grid has no CTAs"},
      {12, "the kernel wrote to an operand"},
      {13, "the kernel never wrote"}};
  const std::unique_ptr<Runner> runner = device_worker();
  const HarnessDescription harness = read_harness(runner->describe(file), file);
  const Workload workload = workload_of(Problem{.shape = {128, 64, 72}});
  runner->prepare(workload);
  const auto verified = [&](int64_t fault) {
    const Contender contender =
        contender_of(first_legal(harness, workload, {{.axis = "fault", .value = fault}}));
    REQUIRE(runner->build_foreign({&contender, 1}).front().ok());
    return runner->verify(contender);
  };
  for (const auto& fault : sentences) {
    const Verification verification = verified(fault.first);
    CHECK(!verification.ok);
    CHECK_MESSAGE(contains(verification.detail, fault.second), fault.first, ": ",
                  verification.detail);
    // The next config is not affected.
    const Verification sound = verified(0);
    CHECK_MESSAGE(sound.ok, "behind ", fault.first, ": ", sound.detail);
  }
}

}  // namespace
}  // namespace tilewright
