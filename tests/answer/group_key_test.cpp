#include "answer/group_key.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "store/best_table.hpp"

namespace tilewright {
namespace {

Workload routed(const std::vector<int64_t>& rows, int64_t n = 2048, int64_t k = 1024) {
  Workload group;
  for (const int64_t m : rows) group.shapes.push_back({m, n, k});
  return group;
}

// Draws an expert for each token; expert i is 1 / (i + 1) as likely as the first.
std::vector<int64_t> drawn_rows(size_t experts, int64_t tokens, std::mt19937& random) {
  std::vector<double> weights;
  for (size_t i = 0; i < experts; ++i) weights.push_back(1.0 / static_cast<double>(i + 1));
  std::discrete_distribution<size_t> expert(weights.begin(), weights.end());
  std::vector<int64_t> rows(experts);
  for (int64_t token = 0; token < tokens; ++token) ++rows[expert(random)];
  return rows;
}

// Neither routing tokens anew nor the order of experts changes an answer.
TEST_CASE("two draws of one routing serve each other; permuted rows have distance 0") {
  std::mt19937 random(1);
  for (const size_t experts : {size_t{8}, size_t{64}, size_t{128}}) {
    for (const int64_t tokens : {64, 512, 8192}) {
      for (int draw = 0; draw < 100; ++draw) {
        const std::vector<int64_t> rows = drawn_rows(experts, tokens, random);
        CAPTURE(shapes_text(routed(rows)));
        std::vector<int64_t> permuted = rows;
        std::shuffle(permuted.begin(), permuted.end(), random);
        CHECK(serves(routed(rows), routed(permuted)));
        CHECK(group_key(routed(rows)) == group_key(routed(permuted)));
        CHECK(routing_distance(routed(rows), routed(permuted)) == 0);
        const Workload other = routed(drawn_rows(experts, tokens, random));
        CHECK(serves(routed(rows), other));
        CHECK(serves(other, routed(rows)));
        CHECK(routing_distance(routed(rows), other) ==
              doctest::Approx(routing_distance(other, routed(rows))));
      }
    }
  }
}

TEST_CASE("one busy expert, equal experts, or four times the tokens are another routing") {
  std::mt19937 random(2);
  for (const size_t experts : {size_t{8}, size_t{64}, size_t{128}}) {
    const std::vector<int64_t> rows = drawn_rows(experts, 8192, random);
    std::vector<int64_t> one_hot(experts, 0);
    one_hot[random() % experts] = 8192;
    const std::vector<int64_t> even(experts, 8192 / static_cast<int64_t>(experts));
    CHECK_FALSE(serves(routed(rows), routed(one_hot)));
    CHECK_FALSE(serves(routed(one_hot), routed(rows)));
    CHECK_FALSE(serves(routed(rows), routed(even)));
    CHECK_FALSE(serves(routed(rows), routed(drawn_rows(experts, 4 * 8192, random))));
  }
}

TEST_CASE("a routing's key is its fewest, median and most rows") {
  const GroupKey key = group_key(routed({5, 1, 900, 7, 6}));
  CHECK(key.rows == std::array<int64_t, 3>{1, 6, 900});
  CHECK(key.total_rows == 919);
  CHECK(key.count == 5);
}

TEST_CASE("another layer is never served, whatever its rows") {
  const std::vector<int64_t> rows = {700, 0, 9, 64};
  const Workload layer = routed(rows);
  std::vector<int64_t> more = rows;
  more.push_back(0);
  CHECK_FALSE(serves(layer, routed(more)));
  const auto even = [](size_t experts) { return routed(std::vector<int64_t>(experts, 64)); };
  CHECK_FALSE(serves(even(4), even(5)));  // although fewest, median and most are equal
  CHECK_FALSE(serves(layer, routed(rows, 2056)));
  CHECK_FALSE(serves(layer, routed(rows, 2048, 1032)));
  Workload other = layer;
  other.kind.dtype = DataType::F16;
  CHECK_FALSE(serves(layer, other));
  other = layer;
  other.kind.epilogue.out_dtype = DataType::F32;
  CHECK_FALSE(serves(layer, other));
  other = layer;
  other.shapes.back().n = 64;
  CHECK_FALSE(serves(layer, other));
  CHECK_FALSE(serves(other, layer));
  CHECK_FALSE(serves(layer, workload_of({{773, 2048, 1024}})));
}

TEST_CASE("an exact entry answers first, else the layer's entry with the nearest routing") {
  Artefact artefact;
  for (const std::vector<int64_t>& rows : std::vector<std::vector<int64_t>>{
           {100, 100, 100, 100}, {400, 0, 0, 0}, {250, 90, 40, 20}, {0, 0, 400, 0}}) {
    artefact.entries.emplace_back().problem = routed(rows);
  }
  CHECK(find_entry(artefact, routed({0, 410, 0, 0})) == &artefact.entries[1]);
  CHECK(find_entry(artefact, routed({0, 0, 400, 0})) == &artefact.entries[3]);
  CHECK(find_entry(artefact, routed({200, 200, 0, 0})) == nullptr);
  CHECK(find_entry(artefact, routed({99, 101, 103, 97})) == &artefact.entries[0]);
  CHECK(find_entry(artefact, routed({30, 270, 80, 22})) == &artefact.entries[2]);
  CHECK(find_entry(artefact, routed({100, 100, 100, 100}, 1024)) == nullptr);
  CHECK(find_entry(artefact, workload_of({{400, 2048, 1024}})) == nullptr);
}

}  // namespace
}  // namespace tilewright
