#include "store/gate_json.hpp"

#include <doctest/doctest.h>

#include "record/document.hpp"

namespace tilewright {
namespace {

TEST_CASE("numbers and booleans keep their JSON types, with the baseline's beside them") {
  GateRun run;
  run.verdicts = {{"cube",
                   Verdict::Regression,
                   {{"predicted_us", 2820.5, 1349.25, false, 1400.0, 1349.25},
                    {"slots", 2752, {}, false},
                    {"complete", 1, 1, true}},
                   {"predicted_us 2820.50, baseline 1349.25 (+109.0 %)"},
                   ""},
                  {"other", Verdict::Pass, {{"ratio", 1.5, {}, false}}, {}, "lt #1"}};
  run.notes = {"a note"};
  const auto json = Document::parse(gate_json("smoke.yaml", {}, run));
  CHECK(json.at("exit_code") == 1);
  CHECK(json.at("mode") == "static");
  CHECK(json.at("counts") == Document{{"regression", 1}, {"pass", 1}});
  CHECK(json.at("notes").at(0) == "a note");
  const auto& first = json.at("cases").at(0);
  CHECK(first.at("verdict") == "regression");
  CHECK(
      first.at("numbers") ==
      Document{{"predicted_us", {{"recorded", 1400}, {"baseline_today", 1349.25}, {"now", 2820.5}}},
               {"slots", {{"now", 2752}}},
               {"complete", {{"now", true}}}});
  CHECK(first.at("numbers").at("slots").at("now").is_number_integer());
  CHECK_FALSE(first.contains("reference"));
  CHECK(json.at("cases").at(1).at("reference") == "lt #1");
}

}  // namespace
}  // namespace tilewright
