// Reads mappings: the output of analyze, the same in CSV, and hostile text.
#include "store/given_mapping.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "model/timeline.hpp"
#include "stats/random.hpp"
#include "store/schedule_json.hpp"
#include "support/error_message.hpp"
#include "support/plans.hpp"
#include "tile/plan/schedule_proof.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;
using testing::plan_of;
using testing::PlanWords;

namespace {

Plan plan_from(const PlanWords& words, ExternalSchedule work,
               std::string_view joined = "stream-k") {
  PlanOptions options{.resident = words.resident > 0 ? words.resident : words.ctas};
  options.external = std::make_shared<ExternalSchedule>(std::move(work));
  PlanWords plain = words;  // with the raster: its cost is part of the time
  plain.decomposition = joined;
  const Workload workload{.op = parse_op(words.op),
                          .uplo = parse_uplo(words.uplo),
                          .shapes = parse_shapes(words.problem, parse_op(words.op))};
  return make_plan(workload, testing::config_of(plain), testing::h200(), options);
}

std::string csv_of(const std::vector<std::vector<WorkTile>>& lists) {
  std::string text = "# of a test\ncta,problem,m,n,k_begin,k_end\n";
  for (size_t cta = 0; cta < lists.size(); ++cta) {
    for (const WorkTile& w : lists[cta]) {
      text += format("{},{},{},{},{},{}\n", cta, w.problem, w.m, w.n, w.k_begin, w.k_end);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("an order that analyze grid prints reads back, overhang as overhang") {
  for (const char* raster : {"row", "split-merge:4", "cutlass3:4", "morton", "hilbert"}) {
    for (const TileCoord grid : {TileCoord{1, 1}, {13, 10}, {5, 17}}) {
      GridReport report;
      report.raster = parse_raster(raster);
      report.proof = prove_grid(report.raster, grid);
      const std::vector<TileCoord> order = slot_order(report);
      const GivenOrder read = parse_given_order(grid_json(report, &order), "o.json");
      std::string csv = "slot,n,m\n";
      for (size_t i = order.size(); i-- > 0;) {  // in any order
        csv += format("{},{},{}\n", i, order[i].n, order[i].m);
      }
      REQUIRE(read.tiles.size() == order.size());
      for (size_t i = 0; i < order.size(); ++i) {
        if (tw::is_inside(grid, order[i])) CHECK(read.tiles[i] == order[i]);
      }
      CHECK(prove_order(read.tiles, grid) == report.proof);
      CHECK(parse_given_order(csv, "o.csv").tiles == order);
    }
  }
}

TEST_CASE("the assignments of a plan, read from a file, have the plan's proof, loads and time") {
  constexpr PlanWords kPlans[] = {
      {.problem = "1024x768x512", .raster = "swizzle-merge:3"},
      {.problem = "1152x768x512", .decomposition = "stream-k:atomic"},
      {.problem = "1000x700x500", .ctas = 24, .raster = "hilbert", .resident = 8},
      {.problem = "1152x768x128,1152x768x1024", .group_schedule = "dynamic", .order = "lpt"},
      {.problem = "512x512x256", .op = "syr2k"}};
  for (const PlanWords& words : kPlans) {
    CAPTURE(words.problem);
    const Plan ours = plan_of(words);
    const std::vector<std::vector<WorkTile>> lists = assignments(ours);
    const ScheduleReport report = report_schedule(ours);
    for (const std::string& text :
         {schedule_json(ours, report, {.assignments = &lists}), csv_of(lists)}) {
      const Plan read = plan_from(words, parse_external_schedule(text, "s"), words.decomposition);
      CHECK(assignments(read) == lists);
      const ScheduleReport of_file = report_schedule(read);
      CHECK(of_file.proof == report.proof);
      CHECK(of_file.k_steps == report.k_steps);
      CHECK(of_file.fix_up == report.fix_up);
      if (ours.problems.size() > 1 || words.op != "gemm") continue;
      const double us = predict_timeline(ours, testing::h200()).us;
      CHECK(predict_timeline(read, testing::h200()).us == doctest::Approx(us).epsilon(1e-3));
    }
  }
}

TEST_CASE("the proof finds work that a file omits, repeats or puts outside") {
  const PlanWords words{.problem = "256x256x256"};  // 2x2 tiles of 4 k-steps
  const auto proof_of = [&](const char* text) {
    return report_schedule(plan_from(words, parse_external_schedule(text, "s.csv"))).proof;
  };
  CHECK(proof_of("cta,m,n\n0,0,0\n1,0,1\n0,1,0\n5,1,1\n").complete);
  const ScheduleProof missing = proof_of("0,0,0,0,0,4\n0,0,0,1,0,4\n0,0,1,0,0,4\n0,0,1,1,0,3\n");
  CHECK(missing.missing == std::vector<WorkTile>{{0, 1, 1, 3, 4}});
  const ScheduleProof twice =
      proof_of("0,0,0,0,0,4\n0,0,0,1,0,4\n0,0,1,0,0,4\n0,0,1,1,0,4\n1,0,1,1,2,3\n");
  CHECK(twice.duplicated == std::vector<WorkTile>{{0, 1, 1, 2, 3}});
  const ScheduleProof outside =
      proof_of("0,0,0,0,0,4\n0,0,0,1,0,4\n0,0,1,0,0,4\n0,0,1,1,0,5\n1,7,0,0,0,4\n2,0,-1,0,0,4\n");
  CHECK(outside.outside_count == 3);
  CHECK(outside.outside.front() == WorkTile{0, 1, 1, 4, 5});
  CHECK(outside.missing_count == 0);
  // A unit for tile (1, -1) does not count for tile (1, 1).
  CHECK(proof_of("0,0,0,0,0,4\n0,0,0,1,0,4\n0,0,1,0,0,4\n2,0,1,-1,0,4\n").missing_count == 1);
}

// Compares with the definition: every k-step of a unit belongs to a tile's K or is outside.
TEST_CASE("only the part of a unit past the last k-step is outside") {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const int32_t steps = 1 + static_cast<int32_t>(random.below(6));
    std::vector<std::vector<WorkTile>> lists(3);
    std::vector<int> computed(static_cast<size_t>(4 * steps));
    int64_t outside = 0;
    int64_t units = 0;
    std::vector<int64_t> loads(lists.size());
    for (size_t cta = 0; cta < lists.size(); ++cta) {
      for (size_t unit = 0; unit < 1 + random.below(4); ++unit) {
        const auto tile = static_cast<int32_t>(random.below(5));  // tile 4 does not exist
        const auto begin = static_cast<int32_t>(random.below(8));
        const int32_t end = begin + 1 + static_cast<int32_t>(random.below(6));
        lists[cta].push_back({0, tile / 2, tile % 2, begin, end});
        ++units;
        outside += end > steps || tile == 4 ? 1 : 0;
        if (tile == 4) continue;
        for (int32_t k = begin; k < std::min(end, steps); ++k) {
          ++computed[static_cast<size_t>(tile * steps + k)];
          ++loads[cta];
        }
      }
    }
    std::vector<bool> missing(4);
    std::vector<bool> duplicated(4);
    for (size_t at = 0; at < computed.size(); ++at) {
      const size_t tile = at / static_cast<size_t>(steps);
      if (computed[at] == 0) missing[tile] = true;
      if (computed[at] > 1) duplicated[tile] = true;
    }
    const std::string problem = format("256x256x{}", 64 * steps);
    const PlanWords words{.problem = problem, .ctas = 3};
    const Plan plan = plan_from(words, parse_external_schedule(csv_of(lists), "s.csv"));
    const ScheduleReport report = report_schedule(plan);
    CAPTURE(csv_of(lists));
    CHECK(report.units == units);
    CHECK(report.proof.outside_count == outside);
    CHECK(report.proof.missing_count == std::count(missing.begin(), missing.end(), true));
    CHECK(report.proof.duplicated_count == std::count(duplicated.begin(), duplicated.end(), true));
    CHECK(report.k_steps.max == *std::max_element(loads.begin(), loads.end()));
    CHECK(prove_assignments(plan, lists) == report.proof);
  }
}

TEST_CASE("hostile text gets a one-sentence error that names the line") {
  struct Case {
    const char* text;
    const char* words;
  };
  constexpr Case kOrders[] = {
      {"", "has no tile"},
      {"# nothing\n\n", "has no tile"},
      {"m,n\n0,x\n", "line 2: n 'x' is not a whole number"},
      {"0,0\n0,,0\n", "line 2: 3 values instead of 2"},
      {"m,q\n", "line 1: unknown column 'q'"},
      {"m,m\n", "line 1: column m is given twice"},
      {"m\n0\n", "line 2: n is missing"},
      {"slot,m,n\n0,0,0\n\n0,1,1\n", "line 4: slot 0 is given in line 2 already"},
      {"slot,m,n\n999999999,0,0\n", "line 2: slot '999999999'"},
      {"nan,nan\n", "line 1: unknown column 'nan'"},
      {"0,nan\n", "line 1: n 'nan'"},
      {"0,1e9\n", "line 1: n '1e9'"},
      {"0,\xff\xfe\n", "line 1: n '\xff\xfe'"},
      {"[", "f.csv:1: is not JSON"},
      {"[[0,0],\n[0,1]\n[1,1]]", "f.csv:3: is not JSON"},
      {"[[0,0],\n[0]]", "line 2: n is missing"},
      {"[[0,0],\n[0,1,2]]", "line 2: one value too many"},
      {"[[0,0],\n[0,1.5\n]]", "line 2: n '1.5'"},
      {"[[0,0],\n[]]", "line 2: an empty list"},
      {"[[0,[0]]]", "line 1: a list instead of a row"},
      {"[18446744073709551615]", "line 1: 18446744073709551615 instead of a row"},
      {"[[18446744073709551615,0]]", "line 1: m '18446744073709551615'"},
      {"{\"order\": 5}", "line 1: 5 instead of a row"},
      {"{\"orders\": [[0,0]]}", "has no tile"},
      {"[{\"m\":1,\"n\":1,\n\"o\":2}]", "line 2: unknown column 'o'"},
      {"[{\"m\":1,\"m\":1}]", "line 1: m is given twice"},
      {"[true]", "line 1: true instead of a row"}};
  for (const Case& c : kOrders) {
    CAPTURE(c.text);
    const std::string said = error_message_of([&] { parse_given_order(c.text, "f.csv"); });
    CHECK(contains(said, c.words));
    CHECK(said.rfind("f.csv", 0) == 0);
    CHECK(said.find('\n') == std::string::npos);
  }
  constexpr Case kWorks[] = {
      {"0,0,0\n", "line 1: 3 values instead of 6"},
      {"-1,0,0,0,0,1\n", "line 1: cta '-1'"},
      {"1000000,0,0,0,0,1\n", "line 1: cta '1000000'"},
      {"0,0,0,0,0,-1\n", "line 1: k_end '-1'"},
      {"[null]", "line 1: null instead of a row"},
      {"[[{\"m\":0,\"n\":0}],\n[{\"cta\":0,\"m\":0,\"n\":0}]]", "line 2: cta is given twice"},
      {"[[[0]]]", "line 1: a list instead of a row"}};
  for (const Case& c : kWorks) {
    CAPTURE(c.text);
    CHECK(contains(error_message_of([&] { parse_external_schedule(c.text, "f.csv"); }), c.words));
  }
}

TEST_CASE("CTAs without work are counted, and unrelated keys are ignored") {
  const ExternalSchedule work = parse_external_schedule(
      R"({"problem": "x", "proof": {"missing": [1, null]}, "assignments":
          [[], [{"m": 1, "n": 2, "problem": 3}], []], "more": [[7]]})",
      "s.json");
  REQUIRE(work.of_cta.size() == 3);
  CHECK(work.of_cta[1] == std::vector<WorkTile>{{3, 1, 2, 0, ExternalSchedule::kToTheEnd}});
  CHECK(work.of_cta[0].empty());
}
