// The short list of kernels to race, against the definition by brute force.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "answer/shipped_choice.hpp"
#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/random_cases.hpp"
#include "support/shipped_table.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/sum_order.hpp"

namespace tilewright {
namespace {

using testing::shipped_table;

constexpr size_t kMost = 8;

// What only one config of a list may have.
std::string kind_of(const TileConfig& config) {
  return format("{} {} {} {}", static_cast<int>(config.family), to_string(config.cta),
                to_string(config.cluster), to_string(config.decomposition));
}

// The kinds of all shipped configs that run the workload, and write the bits of `first` if `sums`
// demands it.
std::set<std::string> kinds_of(const Workload& workload, const ShippedChoice& first,
                               ShortlistSums sums) {
  const AnswerTable& table = shipped_table();
  const Plan plain = make_plan(workload, first.config, table.device, first.options);
  std::set<std::string> kinds = {kind_of(first.config)};
  for (const TileConfig& config : configs_alike(table, workload)) {
    for (const TileConfig& form : forms_of(config)) {
      if (reject_workload(workload, form, table.device)) continue;
      const Plan plan = make_plan(workload, form, table.device, first.options);
      const bool runs =
          record_of(form.family).why_no_kernel_for_places(plan).empty() && is_shipped(table, plan);
      if (runs && (sums == ShortlistSums::Any || has_same_sums(plain, plan))) {
        kinds.insert(kind_of(form));
      }
      break;
    }
  }
  return kinds;
}

void check_list(const Workload& workload, const OperandPlaces& places, ShortlistSums sums) {
  const AnswerTable& table = shipped_table();
  CAPTURE(full_text(workload));
  const std::optional<ShippedChoice> plain = choose_shipped(table, workload, places);
  REQUIRE(plain);
  const std::vector<ShippedChoice> list =
      shipped_shortlist(table, workload, places, {}, kMost, sums);
  REQUIRE(!list.empty());
  CHECK(list.front().config == plain->config);
  CHECK(list.front().source == plain->source);
  const std::set<std::string> all = kinds_of(workload, *plain, sums);
  CHECK(list.size() <= std::min(kMost, all.size()));
  const Plan first = make_plan(workload, plain->config, table.device, plain->options);
  std::set<std::string> kinds;
  for (size_t i = 0; i < list.size(); ++i) {
    CAPTURE(to_string(list[i].config));
    CHECK(kinds.insert(kind_of(list[i].config)).second);
    CHECK(all.count(kind_of(list[i].config)) == 1);
    const Plan plan = make_plan(workload, list[i].config, table.device, list[i].options);
    CHECK(!reject_workload(workload, list[i].config, table.device));
    CHECK(record_of(list[i].config.family).why_no_kernel_for_places(plan).empty());
    CHECK(is_shipped(table, plan));
    if (i > 0 && sums == ShortlistSums::SameAsFirst) CHECK(has_same_sums(first, plan));
    if (i > 0) {
      CHECK(list[i].predicted_us == replay_us(plan, table.device));
      CHECK(list[i].predicted_us < 1.7 * replay_us(first, table.device));
    }
  }
  const std::vector<ShippedChoice> again =
      shipped_shortlist(table, workload, places, {}, kMost, sums);
  REQUIRE(again.size() == list.size());
  for (size_t i = 0; i < list.size(); ++i) CHECK(again[i].config == list[i].config);
  const std::vector<ShippedChoice> shorter =
      shipped_shortlist(table, workload, places, {}, 1, sums);
  CHECK(shorter.size() == 1);
}

Workload random_product(Random& random) {
  const int64_t multiple = random.below(3) == 0 ? 1 : 8;
  const auto size = [&random, multiple] {
    return multiple * static_cast<int64_t>(std::exp2(3 + 7 * random.uniform()));
  };
  Workload workload = workload_of({{size(), size(), size()}});
  workload.kind.layout = static_cast<MatrixLayout>(random.below(4));
  if (random.below(3) == 0) workload.kind.epilogue.beta = 0.5F;
  return workload;
}

TEST_CASE("a short list has the plain answer, then distinct shipped kernels that may be as fast") {
  const testing::RandomCases cases = testing::random_cases("TILEWRIGHT_SHORTLIST", 60);
  Random random(cases.seed);
  size_t others = 0;
  for (int i = 0; i < cases.count; ++i) {
    const Workload workload = random_product(random);
    OperandPlaces places;
    if (random.below(4) == 0) places.d.alignment = 2;
    const auto sums = random.below(2) == 0 ? ShortlistSums::Any : ShortlistSums::SameAsFirst;
    check_list(workload, places, sums);
    others += shipped_shortlist(shipped_table(), workload, places, {}, kMost, sums).size() - 1;
  }
  CHECK(others > static_cast<size_t>(cases.count) / 2);
}

TEST_CASE("updates have short lists, too") {
  for (const AnswerRow& row : shipped_table().rows) {
    if (!is_triangular(row.problem)) continue;
    Workload workload = row.problem;
    workload.shapes = {{1040, 1040, 464}};
    for (const ShortlistSums sums : {ShortlistSums::Any, ShortlistSums::SameAsFirst}) {
      check_list(workload, {}, sums);
    }
  }
}

TEST_CASE("configs that the device does not run are in no short list, and no kernel gives none") {
  const Workload workload = workload_of({{1000, 1000, 1000}});
  ShippedLimits limits;
  for (size_t turn = 0; turn < 5; ++turn) {
    const std::vector<ShippedChoice> list =
        shipped_shortlist(shipped_table(), workload, {}, limits, kMost);
    REQUIRE(list.size() == kMost);
    for (const ShippedChoice& choice : list) {
      CHECK(std::find(limits.without.begin(), limits.without.end(), choice.config) ==
            limits.without.end());
    }
    limits.without.push_back(list[turn % 2].config);
  }
  Workload foreign = workload;
  foreign.kind.dtype = DataType::F16;
  CHECK(shipped_shortlist(shipped_table(), foreign, {}, {}, kMost).empty());
}

}  // namespace
}  // namespace tilewright
