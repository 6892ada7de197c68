// A search over a library that is faulty in most of its configs, in a worker process.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/host_runner.hpp"
#include "search/foreign_search.hpp"
#include "store/harness_json.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

TEST_CASE("a search leaves out faulty configs, and chooses a correct config that is not slow") {
  const std::string file = std::string(TILEWRIGHT_HARNESS_FIXTURES) + "/harness_fixture_none.so";
  const std::unique_ptr<Runner> runner =
      make_worker_runner({TILEWRIGHT_PROGRAM, "worker", "--device", "host", "--seed", "1"},
                         host_device(), {.launch_s = 1, .other_s = 20});
  const HarnessDescription harness = read_harness(runner->describe(file), file);
  const Workload workload = workload_of(Problem{.shape = {32, 24, 40}});
  ProgressListener silent;
  const ForeignResult result =
      tune_foreign(workload, *runner, harness,
                   {.given = {{"rows", 16}}, .rounds = 25, .counters = false}, silent);
  const ForeignEntry& entry = result.entry;
  CHECK(to_string(entry.choice.values) == "fault=0,rows=16");
  CHECK(entry.verified.ok);
  CHECK(entry.considered.enumerated == 13);
  // A crash and a refusal while a plan is prepared.
  CHECK(entry.considered.rejected == std::map<std::string, int64_t>{{"prepare", 2}});
  CHECK(entry.considered.measured == 2);
  std::set<int64_t> left_out;
  for (const ForeignFault& fault : entry.wrong) left_out.insert(fault.values.front().value);
  CHECK(left_out == std::set<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const ForeignRow& row : result.rows) CHECK(row.timing.median_us > 0);
}

}  // namespace
}  // namespace tilewright
