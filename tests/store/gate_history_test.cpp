#include "store/gate_history.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "record/document.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

// One run a day. Case "old" exists from the first run, "young" from night 50. The commit of night
// 70 makes "old" 2 % slower.
std::vector<HistoryRun> made_up_nights() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.003);
  std::vector<HistoryRun> runs;
  for (int night = 0; night < 100; ++night) {
    HistoryRun run{1767225600 + 86400 * night,
                   format("{:040x}", night),
                   "main",
                   "s.yaml",
                   "baseline",
                   "NVIDIA H200",
                   {}};
    const double old = (night < 70 ? 1.0 : 0.98) * (1 + noise(random));
    run.cases.push_back(
        {"old", "pass", {{"ratio", old}, {"ratio_low", old - 0.01}, {"ratio_high", old + 0.01}}});
    if (night >= 50) run.cases.push_back({"young", "new", {{"ratio", 1.1 * (1 + noise(random))}}});
    runs.push_back(run);
  }
  return runs;
}

TEST_CASE("a printed history reads back in order of time, and a damaged line is named") {
  const std::vector<HistoryRun> runs = made_up_nights();
  std::string text;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) text += print_history(*run);
  CHECK(parse_history(text, "h.jsonl") == runs);
  CHECK(parse_history("", "h.jsonl").empty());
  const auto error_message = [](const std::string& of) {
    return testing::error_message_of([&] { parse_history(of, "h.jsonl"); });
  };
  const std::string line = print_history(runs[0]);
  CHECK(contains(error_message(line + line.substr(0, line.size() / 2)), "h.jsonl:2"));
  CHECK(contains(error_message(testing::replaced(line, "history/1", "history/9")), "h.jsonl:1"));
  CHECK(contains(error_message("[]\n"), "h.jsonl:1"));
}

TEST_CASE("a run keeps every number of every case") {
  GateRun run;
  run.mode = GateMode::Static;
  run.verdicts = {{"a", Verdict::Pass, {{"predicted_us", 12.5, {}, false}}, {}, ""},
                  {"gone", Verdict::Regression, {}, {"lost"}, ""}};
  DeviceFingerprint device;
  device.name = "h200";
  const HistoryRun made = history_run("s.yaml", device, run);
  CHECK(made.mode == "static");
  CHECK(made.device == "h200");
  REQUIRE(made.cases.size() == 1);
  CHECK(made.cases[0] == HistoryCase{"a", "pass", {{"predicted_us", 12.5}}});
}

TEST_CASE("a change names its case, its number, the commit and the date when it was known") {
  const std::vector<HistoryRun> runs = made_up_nights();
  const std::vector<TrendChange> trends = find_trends(runs);
  REQUIRE(trends.size() == 1);
  CHECK(trends[0].case_name == "old");
  CHECK(trends[0].number == "ratio");
  CHECK(trends[0].is_worse);
  CHECK(trends[0].first.commit == runs[70].commit);
  CHECK(trends[0].detected_at.time <= runs[75].time);
  // Runs of another device form a series of their own.
  std::vector<HistoryRun> mixed = runs;
  for (size_t i = 70; i < mixed.size(); ++i) mixed[i].device = "another";
  CHECK(find_trends(mixed).empty());
}

TEST_CASE("Otava's array has every metric and attribute in every run, with whole seconds") {
  const Document list = Document::parse(otava_json(made_up_nights()));
  REQUIRE(list.size() == 100);
  for (size_t night = 0; night < list.size(); ++night) {
    const Document& run = list[night];
    CHECK(run.at("timestamp").is_number_integer());
    REQUIRE(run.at("metrics").size() == 4);
    for (const Document& metric : run.at("metrics")) {
      const bool young = metric.at("name") == "young.ratio";
      CHECK(metric.at("value").is_null() == (young && night < 50));
    }
    for (const char* const key : {"commit", "branch", "suite", "mode", "device"}) {
      CHECK(run.at("attributes").at(key).is_string());
    }
  }
  CHECK(Document::parse(otava_json({})).empty());
}

TEST_CASE("Bencher's format has the last run, its interval beside the ratio") {
  const std::vector<HistoryRun> runs = made_up_nights();
  const Document bmf = Document::parse(bencher_json(runs));
  REQUIRE(bmf.size() == 2);
  const Document& ratio = bmf.at("old").at("ratio");
  CHECK(ratio.at("value") == runs.back().cases[0].numbers[0].second);
  CHECK(ratio.at("lower_value") < ratio.at("value"));
  CHECK(ratio.at("upper_value") > ratio.at("value"));
  CHECK(bmf.at("old").size() == 1);
  CHECK_FALSE(bmf.at("young").at("ratio").contains("lower_value"));
}

}  // namespace
}  // namespace tilewright
