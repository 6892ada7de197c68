#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "cli/shared_options.hpp"
#include "request/tune_request.hpp"
#include "search/leaders.hpp"
#include "search/predict.hpp"
#include "store/best_table.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::FakeRunner;
using testing::Outcome;

constexpr const char* kProblem = "512x768x1024";

// An H200 on which a config takes us(config) microseconds. The runner adds each config that it
// times to `timed`, by name.
BackendLoader gpu(const std::function<double(const TileConfig&)>& us,
                  std::set<std::string>& timed) {
  const auto open = [us, &timed] {
    auto runner = std::make_unique<FakeRunner>();
    runner->time_us = [us, &timed](const TileConfig& config) {
      timed.insert(to_string(config));
      return us(config);
    };
    return runner;
  };
  const auto host = std::make_shared<testing::FakeHost>(open);
  return [host] { return BackendOrReason{host, ""}; };
}

BestOptions race_into(const std::filesystem::path& file, int64_t race = kUsualRace) {
  BestOptions options;
  options.problem = kProblem;
  options.from = file.string();
  options.race = race;
  return options;
}

Outcome best(const BestOptions& options, const BackendLoader& load) {
  return testing::printed(
      Format::Text, [&](Console& console) { return run_best(read_best(options), console, load); });
}

std::vector<RankedConfig> list_of(size_t count) {
  const Ranking ranking =
      rank_to_tune(workload_of({parse_shape(kProblem)}), TunePolicy{}, testing::h200());
  return shortlisted(ranking.kernels, count);
}

TEST_CASE(
    "best --race times the short list and neighbours of its fastest, writes the fastest, and finds "
    "it again") {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "best.yaml";
  const std::vector<RankedConfig> list = list_of(8);
  REQUIRE(list.size() == 8);
  for (const size_t fastest : {size_t{4}, size_t{7}}) {
    std::filesystem::remove(file);
    std::set<std::string> timed;
    const TileConfig winner = list[fastest].config;
    const auto us = [&winner](const TileConfig& config) { return config == winner ? 60.0 : 70.0; };
    const Outcome raced = best(race_into(file), gpu(us, timed));
    CHECK(raced.code == ExitCode::Good);
    CHECK(raced.out == to_string(winner) + "\n");
    CHECK(timed.size() <= 8 + 8 + 1);  // and a form without L2 requests
    for (const RankedConfig& one : list) CHECK(timed.count(to_string(one.config)) == 1);
    const Artefact artefact = load_best(file.string());
    REQUIRE(artefact.entries.size() == 1);
    CHECK(artefact.entries.front().timing->median_us == doctest::Approx(60).epsilon(0.05));
    CHECK(artefact.entries.front().reference.has_value());
    CHECK(artefact.entries.front().verified->ok);
    timed.clear();
    const Outcome again = best(race_into(file), gpu(us, timed));
    CHECK(again.out == raced.out);
    CHECK(timed.empty());
  }
}

TEST_CASE("a shorter race is a part of a longer one") {
  const testing::TemporaryFolder folder;
  std::set<std::string> timed;
  const auto us = [](const TileConfig&) { return 70.0; };
  const std::filesystem::path file = folder.path() / "best.yaml";
  CHECK(best(race_into(file, 3), gpu(us, timed)).code == ExitCode::Good);
  CHECK(timed.size() <= 3 + 3 + 1);
  for (const RankedConfig& one : list_of(3)) CHECK(timed.count(to_string(one.config)) == 1);
}

TEST_CASE("best --race keeps the file's other answers, and races what was only predicted") {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "best.yaml";
  std::set<std::string> timed;
  const auto us = [](const TileConfig&) { return 70.0; };
  CHECK(best(race_into(file, 2), gpu(us, timed)).code == ExitCode::Good);
  BestOptions other = race_into(file, 2);
  other.problem = "256x256x256";
  CHECK(best(other, gpu(us, timed)).code == ExitCode::Good);
  CHECK(load_best(file.string()).entries.size() == 2);
}

TEST_CASE("without a GPU best --race ends with 4 and writes nothing") {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "best.yaml";
  const auto none = [] { return BackendOrReason{nullptr, "this build has no GPU module"}; };
  const Outcome outcome = best(race_into(file), none);
  CHECK(outcome.code == ExitCode::Environment);
  CHECK(contains(outcome.err, "--race runs kernels"));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("--race takes no options that it would ignore") {
  BestOptions options = race_into("best.yaml");
  options.among = {"best.yaml"};
  CHECK_THROWS_WITH_AS(read_best(options), doctest::Contains("--among"), Error);
  options = race_into("-");
  CHECK_THROWS_WITH_AS(read_best(options), doctest::Contains("--from"), Error);
  options = race_into("best.yaml", 0);
  options.device = "h200";
  CHECK_THROWS_WITH_AS(read_best(options), doctest::Contains("--device is for --race"), Error);
  TuneOptions tune;
  tune.problems = {kProblem};
  tune.race = kUsualRace;
  tune.strategy = Strategy::Random;
  CHECK_THROWS_WITH_AS(read_tune(tune), doctest::Contains("--strategy"), Error);
}

TEST_CASE("--race without a number gets the usual length, words of others stay") {
  const auto with = [](std::vector<const char*> words) {
    std::vector<std::string> texts;
    for (const char* const word : with_race_length(std::move(words))) texts.emplace_back(word);
    return texts;
  };
  using Words = std::vector<std::string>;
  CHECK(with({"tune", "--race", "1x2x3"}) == Words{"tune", "--race", "8", "1x2x3"});
  CHECK(with({"tune", "--race", "4", "1x2x3"}) == Words{"tune", "--race", "4", "1x2x3"});
  CHECK(with({"tune", "1x2x3", "--race"}) == Words{"tune", "1x2x3", "--race", "8"});
  CHECK(with({"tune", "--race", ""}) == Words{"tune", "--race", ""});
  CHECK(with({"tune", "--race=4"}) == Words{"tune", "--race=4"});
  CHECK(with({"bisect", "--", "a", "--race"}) == Words{"bisect", "--", "a", "--race"});
}

}  // namespace
}  // namespace tilewright
