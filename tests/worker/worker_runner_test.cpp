// A kernel that ends, hangs or faults its process loses its own results only.
#include "worker/worker_runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "search/bench.hpp"
#include "search/tuner.hpp"
#include "support/error_message.hpp"
#include "support/fake_worker.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::contains;

const Problem kProblem{{1024, 1024, 1024}};

std::unique_ptr<Runner> worker(std::vector<std::string> faults = {}) {
  faults.insert(faults.begin(), TILEWRIGHT_FAKE_WORKER);
  return make_worker_runner(std::move(faults), testing::h200(), {.launch_s = 1, .other_s = 5});
}

TuneResult tune_with(Runner& runner) {
  ProgressListener silent;
  TunePolicy policy;
  policy.rounds = 10;
  policy.kernels = 12;
  return tune(workload_of(kProblem), runner, policy, silent);
}

TileConfig config_of_stages(int stages) {
  return {.cta = {64, 64, 64}, .cluster = {}, .stages = stages, .raster = {}};
}

Contender contender_of_stages(int stages) {
  const TileConfig config = config_of_stages(stages);
  return {.name = to_string(config), .config = config, .reference_algorithm = -1};
}

std::vector<Contender> ready(Runner& runner, const std::vector<int>& stages) {
  runner.prepare(kProblem);
  std::vector<TileConfig> configs;
  std::vector<Contender> contenders;
  for (const int depth : stages) {
    configs.push_back(config_of_stages(depth));
    contenders.push_back(contender_of_stages(depth));
  }
  runner.build(configs);
  return contenders;
}

TEST_CASE("a search through a worker gives the same answer as in this process") {
  testing::FakeRunner here;
  testing::make_worker_times(here);
  const std::unique_ptr<Runner> there = worker();
  CHECK(tune_with(here) == tune_with(*there));
}

TEST_CASE("a verification that exits, faults or hangs is a wrong kernel; the others continue") {
  const std::map<std::string, std::string> endings = {{"crash", "signal 11"},
                                                      {"exit", "exit code 3"},
                                                      {"fault", "illegal memory access"},
                                                      {"hang", "gave no answer for 1 s"}};
  for (const auto& ending : endings) {
    const std::unique_ptr<Runner> runner = worker({"verify:4:" + ending.first});
    const std::vector<Contender> contenders = ready(*runner, {3, 4, 5});
    CHECK(runner->verify(contenders[0]).ok);
    const Verification lost = runner->verify(contenders[1]);
    CHECK(!lost.ok);
    CHECK_MESSAGE(contains(lost.detail, ending.second), ending.first, ": ", lost.detail);
    CHECK(runner->verify(contenders[2]).ok);
    CHECK(runner->verify(contenders[1]) == lost);  // not launched again
  }
}

TEST_CASE("energy readings and verifications of rounds pass through a worker") {
  const std::unique_ptr<Runner> runner = worker();
  const std::vector<Contender> contenders = ready(*runner, {3, 4});
  const EnergyReading reading = runner->measure_energy(contenders[1], 0.1);
  REQUIRE(reading.energy);
  CHECK(reading.energy->joules == doctest::Approx(0.4).epsilon(0.01));
  CHECK(runner->verify_in_round(contenders).ok);
}

TEST_CASE("rates of a neighbour pass through a worker") {
  const std::unique_ptr<Runner> runner = worker();
  const std::vector<Contender> contenders = ready(*runner, {3, 4});
  const NeighbourRates rates = runner->measure_neighbour(contenders);
  CHECK(rates.why_not == "");
  CHECK(rates.alone_gb_per_s == 1180);
  CHECK(rates.beside_gb_per_s == std::vector<double>{300, 400});
}

TEST_CASE("a worker that dies while it verifies a round loses the kernel being verified") {
  const std::unique_ptr<Runner> runner = worker({"verify round:4:crash"});
  const std::vector<Contender> contenders = ready(*runner, {3, 4});
  const Verification lost = runner->verify_in_round(contenders);
  CHECK(!lost.ok);
  CHECK(contains(lost.detail, "signal 11"));
  CHECK(runner->verify(contenders[0]).ok);
  CHECK(!runner->verify(contenders[1]).ok);
}

TEST_CASE("a round names its lost launch and times the others") {
  for (const std::string how : {"crash", "fault", "hang"}) {
    const std::unique_ptr<Runner> runner = worker({"round:4:" + how, "round:6:" + how});
    const std::vector<Contender> contenders = ready(*runner, {3, 4, 5, 6});
    for (int round = 0; round < 2; ++round) {
      const std::vector<LaunchTime> times = runner->time_round(contenders);
      REQUIRE(times.size() == 4);
      for (size_t i = 0; i < times.size(); ++i) {
        CHECK(times[i].failure.empty() == (i % 2 == 0));
        CHECK((times[i].us > 200) == (i % 2 == 0));
      }
    }
  }
}

TEST_CASE("a worker that dies once, not from its kernels, loses no kernel") {
  const testing::TemporaryFolder folder;
  const std::unique_ptr<Runner> runner =
      worker({"round:4:crash:" + (folder.path() / "once").string()});
  const std::vector<LaunchTime> times = runner->time_round(ready(*runner, {3, 4, 5}));
  CHECK(std::all_of(times.begin(), times.end(),
                    [](const LaunchTime& time) { return time.failure.empty(); }));
}

TEST_CASE("a worker that is killed between two requests is started anew") {
  const testing::TemporaryFolder folder;
  for (const std::string when : {"prepare", "build"}) {
    const std::string once = (folder.path() / when).string();
    const std::unique_ptr<Runner> runner = worker({when + ":0:crash:" + once});
    const std::vector<Contender> contenders = ready(*runner, {3, 4});
    CHECK(std::filesystem::exists(once));
    for (const LaunchTime& time : runner->time_round(contenders)) CHECK(time.failure.empty());
  }
}

TEST_CASE("a search never chooses a kernel that was lost, and lists it as wrong") {
  const TuneResult healthy = tune_with(*worker());
  const int deepest = healthy.entry.choice.stages;
  for (const std::string when : {"verify", "round"}) {
    const std::unique_ptr<Runner> runner =
        worker({when + ":" + std::to_string(deepest) + ":fault"});
    const TuneResult result = tune_with(*runner);
    CHECK(result.entry.choice.stages != deepest);
    CHECK(!result.entry.wrong.empty());
    for (const WrongKernel& wrong : result.entry.wrong) {
      CHECK(wrong.config.stages == deepest);
      CHECK(contains(wrong.verification.detail, "illegal memory access"));
    }
    for (const TuneRow& row : result.rows) CHECK(row.config.stages != deepest);
  }
}

TEST_CASE("a comparison lists lost kernels and times the others") {
  const std::unique_ptr<Runner> runner = worker({"round:4:crash"});
  std::vector<BenchConfig> configs;
  for (const int stages : {3, 4}) configs.push_back({"", config_of_stages(stages)});
  ProgressListener silent;
  const BenchResult result = bench(workload_of(kProblem), *runner, configs,
                                   {.against_reference = true, .rounds = 10, .seed = 1}, silent);
  CHECK(result.rows[0].timing.has_value());
  CHECK(!result.rows[1].timing.has_value());
  CHECK(result.rows[1].wrong);
  CHECK(contains(result.rows[1].why_not, "signal 11"));
}

TEST_CASE("groups reach the worker unchanged") {
  const std::unique_ptr<Runner> runner = worker();
  Workload group = workload_of(kProblem);
  group.shapes = {{0, 256, 128}, {70, 256, 128}, {1, 256, 128}};
  runner->prepare(group);
  CHECK(runner->build(std::vector<TileConfig>{config_of_stages(3)}).front().ok());
  CHECK(runner->verify(contender_of_stages(3)).ok);
}

TEST_CASE("a device that no worker can open is an environment error") {
  const auto error_message = [](const std::vector<std::string>& faults) {
    return testing::error_message_of([&] { worker(faults)->prepare(kProblem); },
                                     ExitCode::Environment);
  };
  CHECK(contains(error_message({"prepare:0:crash"}), "during the request to prepare"));
  const std::unique_ptr<Runner> nobody =
      make_worker_runner({"/nowhere/tilewright"}, testing::h200());
  CHECK(
      contains(testing::error_message_of([&] { nobody->prepare(kProblem); }, ExitCode::Environment),
               "does not start"));
}

// Answers of a process that is no worker, or a worker of another version.
TEST_CASE("an answer of the wrong form is an environment error, for every request") {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "answers").string();
  const std::string prepared =
      R"({"answer":{"method":{"timer":"t","regime":"r","data":"d","reference":"f"},"references":[],)"
      R"("library":{"version":0,"list":[]}}})";
  const std::vector<std::string> answers = {"",
                                            "not JSON",
                                            "{}",
                                            "[]",
                                            R"({"answer":null})",
                                            R"({"answer":7})",
                                            R"({"answer":[]})",
                                            R"({"answer":{}})",
                                            R"({"answer":[[1]]})",
                                            R"({"error":1})",
                                            R"({"error":"x","usable":3})",
                                            R"({"error":"x","usable":true,"code":"y"})"};
  using Request = std::function<void(Runner&)>;
  const Contender contender = contender_of_stages(3);
  const std::vector<Request> requests = {
      [](Runner& r) { r.build(std::vector<TileConfig>{config_of_stages(3)}); },
      [&](Runner& r) { r.trace(contender); }, [](Runner& r) { r.timer_check(); },
      [&](Runner& r) {
        r.time_round({&contender, 1});
      }};
  for (const std::string& answer : answers) {
    for (const Request& request : requests) {
      write_file(path, prepared + "\n" + answer + "\n");
      const std::unique_ptr<Runner> runner =
          make_worker_runner({"/bin/sh", "-c", "cat \"$0\"; exec sleep 9", path}, testing::h200(),
                             {.launch_s = 1, .other_s = 1});
      runner->prepare(kProblem);
      CAPTURE(answer);
      try {
        request(*runner);
      } catch (const Error& error) {
        CHECK(error.code() != ExitCode::Internal);
      } catch (const std::exception& error) {
        FAIL_CHECK(error.what());
      }
    }
  }
}

TEST_CASE("Ctrl-C ends the wait for a worker at once") {
  const std::unique_ptr<Runner> runner = worker({"verify:4:hang"});
  const std::vector<Contender> contenders = ready(*runner, {4});
  request_interruption();
  CHECK_THROWS_AS(runner->verify(contenders[0]), Error);
  clear_interruption();
  CHECK(runner->build(std::vector<TileConfig>{config_of_stages(3)}).front().ok());
}

}  // namespace
}  // namespace tilewright
