#include "store/schedule_json.hpp"

#include <doctest/doctest.h>

#include "store/document.hpp"
#include "support/plans.hpp"

using namespace tilewright;

TEST_CASE("the contract's keys, and assignments that add up") {
  const Plan s = testing::plan_of(
      {.problem = "1152x768x128,1152x768x1024,768x1152x128,768x1152x1024", .ctas = 108});
  ScheduleReport report = report_schedule(s);
  report.device = "a100";
  report.predicted_us = 12.5;
  const auto lists = assignments(s);
  const auto json = Document::parse(schedule_json(s, report, &lists));
  CHECK(json.at("units") == 216);
  CHECK(json.at("ctas") == 108);
  CHECK(json.at("proof").at("complete") == true);
  CHECK(json.at("proof").at("missing") == 0);
  CHECK(json.at("proof").at("duplicated") == 0);
  CHECK(json.at("k_steps").at("min") == 4);
  CHECK(json.at("k_steps").at("mean") == 18.0);
  CHECK(json.at("k_steps").at("max") == 32);
  CHECK(json.at("imbalance").get<double>() == doctest::Approx(32.0 / 18));
  CHECK(json.at("early_exit") == 0);
  CHECK(json.at("waves") == 2);
  CHECK(json.at("predicted_us") == 12.5);
  REQUIRE(json.at("assignments").size() == 108);
  CHECK(json.at("assignments")[54][1] ==
        Document{{"problem", 3}, {"m", 0}, {"n", 0}, {"k_begin", 0}, {"k_end", 16}});
  CHECK_FALSE(Document::parse(schedule_json(s, report, nullptr)).contains("assignments"));
  CHECK_FALSE(json.contains("not_runnable"));
  report.not_runnable = "too large";
  CHECK(Document::parse(schedule_json(s, report, nullptr)).at("not_runnable") == "too large");
}

TEST_CASE("what is missing is listed, and a launch that never ends has no time") {
  testing::PlanWords words{.problem = "256x256x64,384x384x64", .ctas = 132, .raster = "cutlass3:4"};
  words.emulation = Emulation::Cutlass3Grouped;
  const Plan s = testing::plan_of(words);
  const auto json = Document::parse(schedule_json(s, report_schedule(s), nullptr));
  CHECK(json.at("units") == 13);
  CHECK(json.at("proof").at("complete") == false);
  CHECK(json.at("proof").at("missing") == 2);
  CHECK(json.at("proof").at("missing_work")[0].at("m") == 1);
  CHECK(json.at("predicted_us").is_null());
}
