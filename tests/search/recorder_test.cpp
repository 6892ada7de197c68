#include "search/recorder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "search/space.hpp"
#include "search/tuner.hpp"
#include "support/error_message.hpp"
#include "support/fake_runner.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

const Problem kRecordedProblem{{1024, 1024, 1024}};

struct Session {
  TuneResult result;
  bool interrupted = false;
  int64_t measured = 0;
  int64_t replayed = 0;
};

// A machine with times of its own, like a later run on a device.
void arrange(testing::FakeRunner& runner, double temper) {
  runner.time_us = [temper](const TileConfig& c) {
    return temper * (100.0 + c.stages + c.cta.m / 64.0);
  };
  for (double& us : runner.reference_us) us *= temper;
}

Session tune_over(testing::FakeRunner& runner, const RunLog& earlier,
                  std::vector<Record>& records) {
  Recorder recorder(runner, earlier,
                    [&records](const Record& record) { records.push_back(record); });
  TunePolicy policy;
  policy.spaces = requested_spaces(parse_config("family=sm90,schedule=cooperative,cta=128x128x64"));
  policy.rounds = 30;
  policy.between_races = [&recorder] { recorder.between_races(); };
  Session session;
  ProgressListener silent;
  try {
    session.result = tune(workload_of(kRecordedProblem), recorder, policy, silent);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Interrupted);
    session.interrupted = true;
  }
  clear_interruption();
  session.measured = recorder.measured();
  session.replayed = recorder.replayed();
  return session;
}

TEST_CASE("over its own records a search gives the same answer without the machine") {
  testing::FakeRunner runner;
  arrange(runner, 1);
  std::vector<Record> records;
  const Session first = tune_over(runner, {}, records);
  RunLog log;
  add_to(log, records);
  testing::FakeRunner idle;
  std::vector<Record> nothing;
  const Session again = tune_over(idle, log, nothing);
  CHECK(again.result == first.result);
  CHECK(idle.calls.empty());
  CHECK(nothing.empty());
  CHECK(again.measured == 0);
  CHECK(again.replayed == first.measured);
}

TEST_CASE("an interrupted search continues after its last complete race") {
  for (const int64_t rounds : {1, 20, 60, 200, 700, 1500}) {
    CAPTURE(rounds);
    testing::FakeRunner runner;
    arrange(runner, 1);
    runner.rounds_before_interrupt = rounds;
    std::vector<Record> records;
    const Session first = tune_over(runner, {}, records);
    if (!first.interrupted) continue;
    RunLog log;
    add_to(log, records);
    // The next run finds the device in another state: no ratio of the answer mixes the two.
    testing::FakeRunner later(7);
    arrange(later, 3);
    std::vector<Record> more;
    const Session second = tune_over(later, log, more);
    REQUIRE(!second.interrupted);
    CHECK(second.result.entry.timing->median_us > 250);
    CHECK(second.result.entry.reference->ratio.ratio == doctest::Approx(1.0).epsilon(0.03));
    CHECK(second.replayed <= first.measured);
    // Configs that the first run built and verified are built again only to run.
    add_to(log, more);
    testing::FakeRunner idle;
    std::vector<Record> nothing;
    CHECK(tune_over(idle, log, nothing).result == second.result);
    CHECK(nothing.empty());
  }
}

TEST_CASE("records alone keep wrong and failing kernels out") {
  testing::FakeRunner runner;
  arrange(runner, 1);
  runner.is_wrong = [](const TileConfig& c) { return c.cluster.m == 2; };
  runner.launches = [](const TileConfig& c) { return c.stages != 4; };
  std::vector<Record> records;
  const Session first = tune_over(runner, {}, records);
  RunLog log;
  add_to(log, records);
  testing::FakeRunner right;
  std::vector<Record> nothing;
  const Session again = tune_over(right, log, nothing);
  CHECK(!again.result.entry.wrong.empty());
  CHECK(again.result == first.result);
}

TEST_CASE("a library that offers other algorithms than the records is refused") {
  testing::FakeRunner runner;
  arrange(runner, 1);
  runner.rounds_before_interrupt = 400;
  runner.reference_us = {100, 101};
  std::vector<Record> records;
  tune_over(runner, {}, records);
  RunLog log;
  add_to(log, records);
  // The confirmation had begun, so its algorithms are recorded; the machine now has others.
  log[to_string(kRecordedProblem)].references = {
      .names = {"reference algorithm 0", "reference algorithm 9"}};
  log[to_string(kRecordedProblem)].races.clear();
  testing::FakeRunner other;
  arrange(other, 1);
  CHECK(testing::contains(testing::error_message_of([&] {
                            Recorder recorder(other, log, [](const Record&) {});
                            recorder.prepare(kRecordedProblem);
                            recorder.between_races();
                            recorder.time_round(recorder.reference_contenders());
                          }),
                          "no longer offers reference algorithm 9"));
}

}  // namespace
}  // namespace tilewright
