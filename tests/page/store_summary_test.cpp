#include "page/store_summary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "page/store_section.hpp"
#include "support/made_up_tune.hpp"

using namespace tilewright;

namespace {

std::string page_of(const StoreSummary& summary) {
  Document data = Document::object();
  data["store"] = to_document(summary);
  return page_html({.title = "store", .sections = {store_section(summary, "store")}}, data);
}

}  // namespace

TEST_CASE("a problem lists fastest configs by first-race median, and each pair's shortest time") {
  const testing::MadeUpTune made = testing::made_up_tune(3, 60, 5);
  const StoreSummary summary = summary_of(made.store);
  REQUIRE(summary.shown.size() == 3);
  CHECK(summary.records == made.records);
  const StoredProblem& first = summary.shown.front();
  CHECK(first.built == 60);
  CHECK(first.timed == 60);
  CHECK(first.launches == 60 * 5);
  CHECK(first.heat.us == made.first_least);
  REQUIRE(first.fastest.size() == kMaxConfigsOfOne);
  std::vector<double> least;
  for (const auto& place : made.first_least) least.push_back(place.second);
  std::sort(least.begin(), least.end());
  for (size_t i = 0; i < first.fastest.size(); ++i) {
    CHECK(first.fastest[i].us == least[i]);
    CHECK(first.fastest[i].predicted_us.value_or(0) > 0);
  }
}

TEST_CASE("a config with a lost launch is not among the fastest") {
  testing::MadeUpTune made = testing::made_up_tune(1, 12, 3);
  const std::string lost = summary_of(made.store).shown.front().fastest.front().config;
  for (Record& record : made.store.runs.front().records) {
    auto* const round = std::get_if<RoundRecord>(&record);
    if (round == nullptr) continue;
    for (auto& [contender, time] : round->times) {
      if (contender == lost) time.failure = "it hung";
    }
  }
  const StoredProblem problem = summary_of(made.store).shown.front();
  CHECK(problem.built == 12);
  CHECK(problem.timed == 11);
  for (const TimedConfig& config : problem.fastest) CHECK(config.config != lost);
}

TEST_CASE("runs of two GPUs have separate rows") {
  testing::MadeUpTune made = testing::made_up_tune(1, 6, 3);
  made.store.runs.push_back(made.store.runs.front());
  made.store.runs.back().head.run = "other";
  made.store.runs.back().head.device_uuid = "GPU-2";
  const StoreSummary summary = summary_of(made.store);
  REQUIRE(summary.shown.size() == 2);
  CHECK(summary.shown[0].device != summary.shown[1].device);
  for (const StoredProblem& problem : summary.shown) CHECK(problem.launches == 6 * 3);
}

TEST_CASE("a store of 100,000 records gives a page of less than 2 MB that names what it omits") {
  for (const auto& size :
       {std::tuple<size_t, size_t, int64_t>{1, 60, 1701}, {54, 60, 29}, {1500, 8, 7}}) {
    const size_t problems = std::get<0>(size);
    CAPTURE(problems);
    const testing::MadeUpTune made =
        testing::made_up_tune(problems, std::get<1>(size), std::get<2>(size));
    CHECK(made.records >= 100'000);
    const StoreSummary summary = summary_of(made.store);
    CHECK(summary.shown.size() == std::min(problems, kMaxStoredProblems));
    size_t shown = 0;
    for (const StoredProblem& problem : summary.shown) shown += problem.fastest.size();
    CHECK(shown <= kMaxStoredConfigs);
    const std::string html = page_of(summary);
    CHECK(html.size() < 2'000'000);
    CHECK(html.find(format("{} records of 1 run are summarised: {}", made.records,
                           problems == 1      ? "1 problem;"
                           : problems == 1500 ? "the first 1000 of 1500 problems;"
                                              : "54 problems;")) != std::string::npos);
  }
}

TEST_CASE("a store without records and a problem without times are shown") {
  CHECK(page_of(summary_of({})).find("0 configs of 0 problems") != std::string::npos);
  const StoreSummary summary = summary_of(testing::made_up_tune(1, 3, 0).store);
  REQUIRE(summary.shown.size() == 1);
  CHECK(page_of(summary).find("512x512x64") != std::string::npos);
}
