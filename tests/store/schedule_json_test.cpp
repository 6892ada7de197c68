#include "store/schedule_json.hpp"

#include <doctest/doctest.h>

#include "record/document.hpp"
#include "support/plans.hpp"

using namespace tilewright;

TEST_CASE("the contract's keys, and assignments that sum to the units") {
  const Plan s = testing::plan_of(
      {.problem = "1152x768x128,1152x768x1024,768x1152x128,768x1152x1024", .ctas = 108});
  ScheduleReport report = report_schedule(s);
  report.device = "a100";
  report.predicted_us = 12.5;
  const auto lists = assignments(s);
  const auto json = Document::parse(schedule_json(s, report, {.assignments = &lists}));
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
  CHECK_FALSE(Document::parse(schedule_json(s, report)).contains("assignments"));
  CHECK_FALSE(json.contains("not_runnable"));
  report.not_runnable = "too large";
  CHECK(Document::parse(schedule_json(s, report)).at("not_runnable") == "too large");
}

TEST_CASE("a product across GPUs lists when bytes cross links") {
  Workload kind;
  kind.parallel = {Collective::AllGather, 2};
  const Plan plan = make_plan(with_shapes(kind, {{1024, 1024, 512}}),
                              testing::config_with("128x128x64", "1x1", "row"), testing::h200());
  const std::vector<LinkSpan> links = {
      {.from = 1, .to = 0, .begin_us = 20, .end_us = 22.5, .bytes = 524288}};
  const auto json = Document::parse(schedule_json(plan, report_schedule(plan), {.links = &links}));
  const Document& parallel = json.at("parallel");
  CHECK(parallel.at("collective") == "all-gather");
  CHECK(
      parallel.at("spans")[0] ==
      Document{{"from", 1}, {"to", 0}, {"begin_us", 20.0}, {"end_us", 22.5}, {"bytes", 524288.0}});
}

// The documentation's example: problem 3 begins at tile 20, and one CTA has two tiles of it.
TEST_CASE("tables, searches and modes of a group are listed under their keys") {
  testing::PlanWords words{.problem = "512x512x64,256x128x64,128x256x64,384x384x64", .ctas = 4};
  const Plan searched = testing::plan_of(words);
  const auto search = problem_search_steps(searched);
  const GroupModes modes = compare_group_modes(searched, testing::h200());
  const auto of_search = Document::parse(schedule_json(searched, report_schedule(searched),
                                                       {.search = &search, .group_modes = &modes}));
  CHECK(of_search.at("search").at("rows")[0][5] ==
        Document{
            {"unit", 20}, {"prefix_sums", 0}, {"lane", 3}, {"problem", 3}, {"starting_tile", 20}});
  CHECK(of_search.at("search").at("rows")[0][0].at("prefix_sums") == 1);
  CHECK(of_search.at("group_modes").at("modes").size() == 3);
  CHECK(of_search.at("group_modes").at("advised") == to_string(modes.advised));
  words.group_schedule = "host-precompute";
  const Plan dealt = testing::plan_of(words);
  const ScheduleTable table = schedule_table(dealt);
  const auto json =
      Document::parse(schedule_json(dealt, report_schedule(dealt), {.table = &table}));
  const auto& row = json.at("table").at("rows")[0];
  CHECK(row[5] == Document{{"problem", 3}, {"unit", 0}, {"starting_tile", 20}});
  CHECK(row[6] == Document{{"problem", 3}, {"unit", 4}, {"starting_tile", 20}});
  CHECK_FALSE(json.contains("search"));
}

TEST_CASE("missing work is listed, and a launch that never ends has no time") {
  testing::PlanWords words{.problem = "256x256x64,384x384x64", .ctas = 132, .raster = "cutlass3:4"};
  words.emulation = Emulation::Cutlass3Grouped;
  const Plan s = testing::plan_of(words);
  const auto json = Document::parse(schedule_json(s, report_schedule(s)));
  CHECK(json.at("units") == 13);
  CHECK(json.at("proof").at("complete") == false);
  CHECK(json.at("proof").at("missing") == 2);
  CHECK(json.at("proof").at("missing_work")[0].at("m") == 1);
  CHECK(json.at("predicted_us").is_null());
}
