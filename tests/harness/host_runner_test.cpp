// Faulty libraries in the worker process that a bench starts: each fault fails only its own config,
// with the reason.
#include "harness/host_runner.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "search/admission.hpp"
#include "search/bench.hpp"
#include "search/foreign_search.hpp"
#include "store/harness_json.hpp"
#include "support/error_message.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

using testing::contains;

const std::string kFolder = TILEWRIGHT_HARNESS_FIXTURES;
const Workload kWorkload = workload_of(Problem{.shape = {32, 24, 40}});

std::unique_ptr<Runner> worker() {
  return make_worker_runner({TILEWRIGHT_PROGRAM, "worker", "--device", "host", "--seed", "1"},
                            host_device(), {.launch_s = 1, .other_s = 20});
}

std::string fixture(const std::string& fault = "none") {
  return kFolder + "/harness_fixture_" + fault + ".so";
}

HarnessDescription described(Runner& runner) {
  return read_harness(runner.describe(fixture()), fixture());
}

BenchConfig config_of(const HarnessDescription& harness, int64_t fault) {
  return {.requested = "fixture",
          .foreign = first_legal(harness, kWorkload, {{.axis = "fault", .value = fault}})};
}

TEST_CASE("a harness describes its axes and constraints, which give the legal configs") {
  const std::unique_ptr<Runner> runner = worker();
  const HarnessDescription harness = described(*runner);
  CHECK(harness.name == "fixture");
  CHECK(harness.on_host);
  CHECK(harness.maps);
  const HarnessSpace space = legal_configs(harness, kWorkload);
  CHECK(space.enumerated == 48);
  CHECK(space.rejected == std::map<std::string, int64_t>{{"m % rows == 0", 16}});
  CHECK(space.legal.size() == 32);
}

TEST_CASE("every fault fails only its own row with its own message; the other rows are timed") {
  const std::map<int64_t, std::string> sentences = {
      {1, "1 compared elements are wrong, first at row 3, column 5"},
      {2, "wrote a byte 1 behind D"},
      {3, "gave no answer for 1 s"},
      {4, "signal 11"},
      {5, "run failed: the grid has no CTAs"},
      {6, "wrote a byte 1 behind the workspace of 64 bytes that it requested"},
      {7, "it reused that result"},
      {8, "it wrote to A"},
      {9, "never wrote 768 elements, first at row 0, column 0"},
      {10, "signal 11"},
      {11, "prepare failed: rows need 230 KiB of shared memory"},
      {13, "out of memory: its plan asks for a workspace of 70368744177664 bytes (70.37 TB)"},
      {14, "out of memory: its plan asks for a workspace of 64 bytes (64 B), aligned to 4611686"},
      {15, "out of memory: its plan asks for a workspace of 9223372036854775807 bytes"}};
  const std::unique_ptr<Runner> runner = worker();
  const HarnessDescription harness = described(*runner);
  std::vector<BenchConfig> configs;
  for (const auto& fault : sentences) configs.push_back(config_of(harness, fault.first));
  configs.push_back(config_of(harness, 0));
  ProgressListener silent;
  const BenchResult result = bench(kWorkload, *runner, configs, {.rounds = 5}, silent);
  REQUIRE(result.rows.size() == configs.size());
  size_t row = 0;
  for (const auto& fault : sentences) {
    CHECK_MESSAGE(contains(result.rows[row].why_not, fault.second), fault.first, ": ",
                  result.rows[row].why_not);
    CHECK(!result.rows[row].timing);
    ++row;
  }
  CHECK(result.rows.back().why_not.empty());
  REQUIRE(result.rows.back().timing);
  CHECK(result.rows.back().timing->median_us > 0);
}

TEST_CASE("a config returns the tile of each of its slots") {
  const std::unique_ptr<Runner> runner = worker();
  const HarnessDescription harness = described(*runner);
  runner->prepare(kWorkload);
  const Contender contender =
      contender_of(first_legal(harness, kWorkload, {{.axis = "rows", .value = 16}}));
  const ForeignMapping mapping = runner->mapping_of(contender);
  CHECK(mapping.why_not.empty());
  CHECK(mapping.tile_m == 16);
  CHECK(mapping.tile_n == 24);
  CHECK(mapping.tiles == std::vector<TileCoord>{{0, 0}, {1, 0}});
}

TEST_CASE("a search leaves out faulty configs, and chooses a correct config that is not slow") {
  const std::unique_ptr<Runner> runner = worker();
  const HarnessDescription harness = described(*runner);
  ProgressListener silent;
  const ForeignResult result =
      tune_foreign(kWorkload, *runner, harness,
                   {.given = {{"rows", 16}}, .rounds = 25, .counters = false}, silent);
  const ForeignEntry& entry = result.entry;
  CHECK(to_string(entry.choice.values) == "fault=0,rows=16");
  CHECK(entry.verified.ok);
  CHECK(entry.considered.enumerated == 16);
  // A crash, a refusal and three workspaces without room while a plan is prepared.
  CHECK(entry.considered.rejected == std::map<std::string, int64_t>{{"prepare", 5}});
  CHECK(entry.considered.measured == 2);
  std::set<int64_t> left_out;
  for (const ForeignFault& fault : entry.wrong) left_out.insert(fault.values.front().value);
  CHECK(left_out == std::set<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const ForeignRow& row : result.rows) CHECK(row.timing.median_us > 0);
}

TEST_CASE("a harness that cannot describe itself gives an error, and the worker continues") {
  const std::map<std::string, std::string> sentences = {
      {"json", "is not JSON"},
      {"crash", "signal 11"},
      {"failure", "describe failed: no licence was found"},
      {"version", "was compiled for version 99 of the interface"}};
  const std::unique_ptr<Runner> runner = worker();
  for (const auto& fault : sentences) {
    const std::string file = fixture(fault.first);
    const std::string complaint =
        testing::error_message_of([&] { read_harness(runner->describe(file), file); });
    CHECK_MESSAGE(contains(complaint, fault.second), fault.first, ": ", complaint);
  }
  CHECK(contains(runner->describe("/nowhere.so").why_not, "cannot read"));
  CHECK(described(*runner).name == "fixture");
}

}  // namespace
}  // namespace tilewright
