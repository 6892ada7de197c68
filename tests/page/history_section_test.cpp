#include "page/history_section.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"

using namespace tilewright;

namespace {

// A nightly run on two branches; from night 30 of "main" on, "slow" takes 3 % longer.
std::vector<HistoryRun> nights() {
  std::vector<HistoryRun> runs;
  for (int night = 0; night < 60; ++night) {
    const double noise = 0.001 * ((night * 7) % 5 - 2);
    for (const char* const branch : {"main", "next"}) {
      const bool is_slower = night >= 30 && std::string(branch) == "main";
      const double ratio = (is_slower ? 0.97 : 1.0) + noise;
      runs.push_back(
          {1767225600 + 86400 * night,
           format("{:012x}{:028}", night, 0),
           branch,
           "s.yaml",
           "baseline",
           "NVIDIA H200",
           {{"slow",
             "pass",
             {{"ratio", ratio}, {"ratio_low", ratio - 0.004}, {"ratio_high", ratio + 0.004}}},
            {"static", "pass", {{"predicted_us", 12.5}}}}});
    }
  }
  return runs;
}

}  // namespace

TEST_CASE("each case of a branch has a row with its last number, and a change names its commit") {
  const std::vector<HistoryRun> runs = nights();
  const PageSection section = history_section(runs, "history.jsonl");
  REQUIRE(section.rows.size() == 4);
  CHECK(section.verdict.find("for the worse: 1, for the better: 0.") != std::string::npos);
  for (const PageRow& row : section.rows) {
    REQUIRE(row.cells.size() == section.columns.size());
    const bool is_main = row.tag.find("main") != std::string::npos;
    const bool has_ratio = row.cells[0].text == "slow";
    const auto last = std::find_if(runs.rbegin(), runs.rend(), [&](const HistoryRun& run) {
      return run.branch == (is_main ? "main" : "next");
    });
    CHECK(row.cells[1].value == 60);
    CHECK(row.cells[3].value == last->cases[has_ratio ? 0 : 1].numbers[0].second);
    CHECK(row.cells[4].mark.has_value() == has_ratio);
    const std::string& changes = row.cells[6].text;
    CHECK((changes != "none") == (has_ratio && is_main));
    if (changes != "none") {
      CHECK(changes.find("worse: -3.0") == 0);
      CHECK(changes.find("from commit 00000000001e") != std::string::npos);
      CHECK(row.detail.find(day_of(1767225600 + 86400 * 30)) != std::string::npos);
    }
  }
}

TEST_CASE("a history without runs and cases with one run are shown") {
  CHECK(history_section({}, "empty").rows.empty());
  const std::vector<HistoryRun> runs = nights();
  const PageSection section = history_section(std::span(runs).first(1), "one");
  REQUIRE(section.rows.size() == 2);
  for (const PageRow& row : section.rows) CHECK(row.detail.find("<svg") != std::string::npos);
}
