#include "answer/shipped_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "model/estimate.hpp"
#include "stats/random.hpp"
#include "support/error_message.hpp"
#include "support/random_cases.hpp"
#include "support/shipped_table.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/sum_order.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::shipped_table;

// Checks every answer: it is legal, has a kernel for these operands, has its programs shipped, and
// is the same on the next call.
void check_runs(const AnswerTable& table, const Workload& workload, const OperandPlaces& places) {
  const std::optional<ShippedChoice> answer = choose_shipped(table, workload, places);
  CAPTURE(full_text(workload));
  CAPTURE(why_none_shipped(table, workload, places));
  REQUIRE(answer.has_value());
  CAPTURE(to_string(answer->config));
  CHECK(!reject_workload(workload, answer->config, table.device));
  const Plan plan = make_plan(workload, answer->config, table.device, answer->options);
  CHECK(record_of(answer->config.family).why_no_kernel_for_places(plan).empty());
  CHECK(is_shipped(table, plan));
  CHECK(answer->predicted_us > 0);
  const std::optional<ShippedChoice> again = choose_shipped(table, workload, places);
  CHECK(again->config == answer->config);
  CHECK(again->source == answer->source);
}

// From 1 to 2^14, evenly in the logarithm.
int64_t any_size(Random& random) {
  return static_cast<int64_t>(std::exp2(14 * random.uniform()));
}

MatrixPlace any_place(Random& random, int64_t row) {
  return {.pitch = row + random.below(9), .alignment = 2 << random.below(4)};
}

OperandPlaces any_places(Random& random, const Problem& problem) {
  const Pitches tight = pitches_of(problem, {});
  OperandPlaces places;
  places.a = any_place(random, tight.a);
  places.b = any_place(random, tight.b);
  places.d = any_place(random, tight.d);
  return places;
}

TEST_CASE("every row answers its own problem") {
  for (const AnswerRow& row : shipped_table().rows) {
    const std::optional<ShippedChoice> answer = choose_shipped(shipped_table(), row.problem);
    CAPTURE(full_text(row.problem));
    REQUIRE(answer.has_value());
    CHECK(answer->config == row.choice);
    CHECK(answer->row == &row);
    CHECK(answer->source == AnswerSource::Tuned);
    CHECK(answer->options == PlanOptions{});
  }
}

TEST_CASE("16-bit products of any size, layout, factors, pitch and address have an answer") {
  const testing::RandomCases cases = testing::random_cases("TILEWRIGHT_AMONG", 400);
  Random random(cases.seed);
  for (int i = 0; i < cases.count; ++i) {
    Workload workload = workload_of({{any_size(random), any_size(random), any_size(random)}});
    workload.kind.layout = static_cast<MatrixLayout>(random.below(4));
    if (random.below(3) == 0) workload.kind.epilogue.beta = 0.5F;
    if (random.below(3) == 0) workload.kind.epilogue.alpha = 2;
    const bool is_tight = random.below(2) == 0;
    check_runs(shipped_table(), workload,
               is_tight ? OperandPlaces{} : any_places(random, problem_of(workload, 0)));
  }
}

TEST_CASE("every pitch mod 8 and every alignment has an answer, from the least sizes on") {
  for (const int64_t size : {1, 7, 64, 65}) {
    for (int64_t apart = 0; apart < 8; ++apart) {
      for (const int alignment : {2, 4, 8, 16}) {
        const Workload workload = workload_of({{size, size, size}});
        const MatrixPlace place = {.pitch = size + apart, .alignment = alignment};
        const MatrixPlace even = {.pitch = 128, .alignment = 16};
        check_runs(shipped_table(), workload, {.a = place, .b = even, .d = even});
        check_runs(shipped_table(), workload, {.a = even, .b = place, .d = even});
        check_runs(shipped_table(), workload, {.a = even, .b = even, .d = place});
        check_runs(shipped_table(), workload, {.a = place, .b = place, .d = place});
      }
    }
  }
}

TEST_CASE("triangles, 8-bit products and groups of the tuned kinds have answers") {
  Random random(5);
  for (const AnswerRow& row : shipped_table().rows) {
    const bool is_dense = is_product(row.problem) && bytes_of(row.problem.kind.dtype) == 2;
    if (is_dense) continue;
    for (const int64_t unit : {1, 3, 16, 61}) {
      Workload workload = row.problem;
      if (random.below(2) == 0) workload.kind.epilogue.beta = 0.5F;
      if (is_group(workload)) workload.shapes.resize(std::min<size_t>(workload.shapes.size(), 6));
      const int64_t n = is_triangular(workload) || unit > 16 ? 17 * unit : 8 * unit;
      for (GemmShape& shape : workload.shapes) {
        shape = {is_triangular(workload) ? n : any_size(random), n, 16 * unit};
      }
      check_runs(shipped_table(), workload, {});
      OperandPlaces places;
      places.d = {.pitch = n + 3, .alignment = 2};
      if (!is_group(workload)) check_runs(shipped_table(), workload, places);
    }
  }
}

// Rows of a group in shares that fall off, with empty products among them.
Workload routed_group(Random& random) {
  Workload group;
  const auto products = static_cast<int64_t>(std::exp2(1 + 6 * random.uniform()));
  const int64_t n = 8 + 8 * random.below(400);
  const int64_t k = 8 + 8 * random.below(400);
  const double rows = std::exp2(4 + 9 * random.uniform());
  const double falls = random.uniform();
  for (int64_t i = 0; i < products; ++i) {
    const double share = random.below(5) == 0 ? 0 : std::pow(static_cast<double>(1 + i), -falls);
    group.shapes.push_back({static_cast<int64_t>(share * rows), n, k});
  }
  group.shapes.front().m += 1;
  return group;
}

TEST_CASE("the kernel chosen by the coarse model is near the best of the fine one, for groups") {
  const testing::RandomCases cases = testing::random_cases("TILEWRIGHT_ROUTINGS", 24);
  Random random(cases.seed);
  double sum = 0;
  for (int i = 0; i < cases.count; ++i) {
    const Workload group = routed_group(random);
    CAPTURE(full_text(group));
    const std::optional<ShippedChoice> answer = choose_shipped(shipped_table(), group);
    REQUIRE(answer.has_value());
    const DeviceSpec& device = shipped_table().device;
    double least_us = 1e30;
    for (const TileConfig& config : configs_alike(shipped_table(), group)) {
      for (const TileConfig& form : forms_of(config)) {
        if (reject_workload(group, form, device)) continue;
        const Plan plan = make_plan(group, form, device);
        if (is_shipped(shipped_table(), plan)) {
          least_us = std::min(least_us, estimate(plan, device).us);
        }
        break;
      }
    }
    const double us = estimate(make_plan(group, answer->config, device), device).us;
    CHECK(us <= least_us * 1.3);
    sum += std::log(us / least_us);
  }
  CHECK(sum / cases.count < 0.01);
}

TEST_CASE("rows known only on the device get a kernel that searches or counts on the device") {
  const ShippedLimits device_rows{.device_rows = true};
  Random random(7);
  for (const AnswerRow& row : shipped_table().rows) {
    if (!is_group(row.problem) || packing_of(row.problem) != Packing::Rows) continue;
    for (int i = 0; i < 12; ++i) {
      Workload workload = row.problem;
      const bool is_own = i == 0;
      if (!is_own) {
        const int64_t rows = any_size(random) / 64;
        workload.shapes.assign(static_cast<size_t>(2 + random.below(40)),
                               {1 + rows, 8 + 8 * random.below(300), 8 + 8 * random.below(300)});
        workload.kind.epilogue.beta = i % 2 == 0 ? 0.0F : 0.5F;
      }
      CAPTURE(full_text(workload));
      CAPTURE(why_none_shipped(shipped_table(), workload, {}, device_rows));
      const std::optional<ShippedChoice> answer =
          choose_shipped(shipped_table(), workload, {}, device_rows);
      REQUIRE(answer.has_value());
      CHECK(grouping_of(workload, answer->config) != tw::Grouping::Table);
      CHECK(is_shipped(shipped_table(), make_plan(workload, answer->config, shipped_table().device,
                                                  answer->options)));
      const bool has_table = grouping_of(workload, row.choice) == tw::Grouping::Table;
      if (is_own && !has_table) CHECK(answer->source == AnswerSource::Tuned);
    }
  }
}

TEST_CASE("batch-invariant answers add in one order at every M, tuned or not") {
  Random random(58);
  const ShippedLimits limits{.invariant = true};
  int divided = 0;
  for (int draw = 0; draw < 40; ++draw) {
    const GemmShape shape{1, 8 * (1 + random.below(1024)), 8 * (1 + random.below(2048))};
    std::optional<Plan> first;
    for (const int64_t m : {1, 2, 16, 100, 1024, 8192}) {
      const Workload workload = workload_of(Problem{{m, shape.n, shape.k}, {DataType::BF16}});
      CAPTURE(full_text(workload));
      const std::optional<ShippedChoice> answer =
          choose_shipped(shipped_table(), workload, {}, limits);
      REQUIRE(answer.has_value());
      const Plan plan =
          make_plan(workload, answer->config, shipped_table().device, answer->options);
      if (!first) first = plan;
      CHECK(has_same_sums(*first, plan));
      const TileConfig plain = choose_shipped(shipped_table(), workload)->config;
      divided += plain.decomposition == Decomposition{} && plain.family == Family::Sm90 ? 0 : 1;
    }
  }
  CHECK(divided > 20);  // the plain answers do vary
  for (const AnswerRow& row : shipped_table().rows) {
    const std::optional<ShippedChoice> answer =
        choose_shipped(shipped_table(), row.problem, {}, limits);
    if (!answer) continue;
    CHECK(adds_like(row.problem, answer->config, Family::Sm90, DataParallel{}));
  }
}

TEST_CASE("where a device cannot run an answer, the next legal one answers, or none") {
  Workload triangle = workload_of({{1024, 1024, 4096}});
  triangle.op = MatrixOp::Syrk;
  triangle.uplo = Uplo::Lower;
  Workload group;
  group.shapes = {{64, 1024, 2048}, {700, 1024, 2048}, {1, 1024, 2048}};
  for (const Workload& workload :
       {workload_of({{256, 256, 16384}}), workload_of({{4096, 4096, 4096}}), triangle, group}) {
    ShippedLimits limits;
    CAPTURE(full_text(workload));
    for (auto answer = choose_shipped(shipped_table(), workload, {}, limits); answer;
         answer = choose_shipped(shipped_table(), workload, {}, limits)) {
      const auto& left_out = limits.without;
      CHECK(std::find(left_out.begin(), left_out.end(), answer->config) == left_out.end());
      CHECK(!reject_workload(workload, answer->config, shipped_table().device));
      limits.without.push_back(answer->config);
    }
    CHECK(limits.without.size() > 4);
    CHECK(contains(why_none_shipped(shipped_table(), workload, {}, limits), "on this device"));
  }
}

TEST_CASE("a problem that no shipped kernel runs gets the reason") {
  Workload kind = workload_of({{64, 64, 64}});
  kind.kind.dtype = DataType::F16;
  CHECK(!choose_shipped(shipped_table(), kind));
  CHECK(contains(why_none_shipped(shipped_table(), kind), "no kernel for 64x64x64 f16 tn"));
  Workload depth = workload_of({{64, 64, 40}});
  depth.kind.dtype = DataType::E4M3;
  CHECK(!choose_shipped(shipped_table(), depth));
  CHECK(contains(why_none_shipped(shipped_table(), depth), "rule operands: K = 40"));
  depth.shapes = {{64, 64, 48}};
  CHECK(choose_shipped(shipped_table(), depth).has_value());
  OperandPlaces odd;
  odd.a.alignment = 8;
  CHECK(!choose_shipped(shipped_table(), depth, odd));
  CHECK(contains(why_none_shipped(shipped_table(), depth, odd), "begin at multiples of 16 bytes"));
}

TEST_CASE("pinned rows come before tuned ones, and trials before ranges and the model") {
  AnswerTable table = shipped_table();
  const Workload problem = table.rows.front().problem;
  AnswerRow pinned = table.rows.front();
  pinned.pinned = true;
  pinned.choice = table.rows[1].choice;
  table.rows.push_back(pinned);
  CHECK(choose_shipped(table, problem)->source == AnswerSource::Pinned);
  CHECK(choose_shipped(table, problem)->config == pinned.choice);
  size_t tried = 0;
  for (const Trial& trial : table.trials) {
    const std::optional<ShippedChoice> answer = choose_shipped(table, trial.problem);
    REQUIRE(answer.has_value());
    if (answer->source != AnswerSource::Tried) continue;
    ++tried;
    CHECK(answer->trial == &trial);
    for (const Trial::Time& time : trial.times) {
      const Plan plan = make_plan(trial.problem, time.config, table.device);
      if (time.config == answer->config) break;
      const auto own = std::find_if(trial.times.begin(), trial.times.end(),
                                    [&](const auto& t) { return t.config == answer->config; });
      if (is_shipped(table, plan)) CHECK(own->us <= time.us);
    }
  }
  CHECK(tried == table.trials.size());
}

TEST_CASE("a range's winner answers inside it, unless the model predicts it slow") {
  const Workload inside = workload_of({{600, 640, 1000}});
  const std::optional<ShippedChoice> answer = choose_shipped(shipped_table(), inside);
  REQUIRE(answer.has_value());
  CHECK(answer->source == AnswerSource::Range);
  REQUIRE(answer->bucket != nullptr);
  CHECK(answer->config == answer->bucket->choice);
  OperandPlaces odd;
  odd.d.alignment = 2;
  CHECK(choose_shipped(shipped_table(), inside, odd)->source == AnswerSource::Model);
}

}  // namespace
}  // namespace tilewright
