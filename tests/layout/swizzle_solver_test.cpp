#include "layout/smem/swizzle_solver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

SwizzleProblem problem_of(const char* tile, const char* dtype, int64_t vector, const char* write,
                          const char* read) {
  return {.tile = parse_shared_tile(tile, dtype),
          .vector = vector,
          .write = parse_tile_pattern(write),
          .read = parse_tile_pattern(read)};
}

// Computes the total again, from the count of single instructions.
int64_t direct_total(const SwizzleProblem& problem, const TilePattern& pattern,
                     const Swizzle& swizzle) {
  int64_t total = 0;
  for (const LaneElements& lanes : warp_accesses(problem.tile, pattern)) {
    WarpAccess access{.op = pattern.op, .addresses = {}};
    for (size_t lane = 0; lane < kWarpLanes; ++lane) {
      access.addresses[lane] = lanes[lane] == kInactive
                                   ? kInactive
                                   : apply(swizzle, lanes[lane]) * problem.tile.element_bytes;
    }
    total += count_wavefronts(access).wavefronts;
  }
  return total;
}

TEST_CASE("f16 8x64 written by st.v4 and read by ldmatrix.x4: the rule wins, without conflicts") {
  const SwizzleSolution solution =
      solve_swizzle(problem_of("8x64", "f16", 8, "st.v4", "ldmatrix.x4"));
  const SwizzleCandidate& best = solution.candidates.front();
  CHECK(best.swizzle == Swizzle{3, 3, 3});
  CHECK(best.is_rule);
  CHECK(solution.rule.text == "Sw<3,3,3>");
  CHECK(is_conflict_free(best.costs));
  CHECK(best.costs.write.most == 4);
  CHECK(best.costs.read.most == 4);
  CHECK(solution.paddings.front().elements == 8);
  CHECK(is_conflict_free(solution.paddings.front().costs));
}

TEST_CASE(
    "ldmatrix.x4.trans from rows of 128 f16: a shift of 4 is free, a shift of 3 costs twice") {
  const SwizzleProblem problem = problem_of("64x128", "f16", 8, "st.v4", "ldmatrix.x4.trans");
  CHECK(swizzled_costs(problem, {3, 3, 4}).read.most == 4);
  CHECK(swizzled_costs(problem, {3, 3, 3}).read.most == 8);
  CHECK(solve_swizzle(problem).candidates.front().swizzle == Swizzle{3, 3, 4});
}

TEST_CASE("costs are the sums of single instructions, in a deterministic order") {
  for (const SwizzleProblem& problem : {problem_of("32x32", "f32", 1, "st.b32", "ld.b32@col"),
                                        problem_of("16x64", "f16", 8, "st.v4", "ldmatrix.x2"),
                                        problem_of("24x40", "f16", 4, "st.v2", "ld.v2@col")}) {
    const SwizzleSolution solution = solve_swizzle(problem);
    CHECK(solution == solve_swizzle(problem));
    CHECK(std::is_sorted(solution.candidates.begin(), solution.candidates.end(),
                         [](const SwizzleCandidate& a, const SwizzleCandidate& b) {
                           return total(a.costs) < total(b.costs);
                         }));
    for (const SwizzleCandidate& candidate : solution.candidates) {
      REQUIRE(candidate.costs.write.total ==
              direct_total(problem, *warps_of(problem.write), candidate.swizzle));
      REQUIRE(candidate.costs.read.total == direct_total(problem, problem.read, candidate.swizzle));
      // A swizzle in range permutes the tile.
      for (int64_t i = 0; i < element_count(problem.tile); ++i) {
        REQUIRE(apply(candidate.swizzle, i) < element_count(problem.tile));
      }
    }
  }
}

TEST_CASE("every valid swizzle that acts in the tile is tried once") {
  const SwizzleProblem problem = problem_of("8x32", "f16", 2, "st.b32", "ld.b32@col");
  std::vector<Swizzle> expected{{0, 0, 0}};
  for (int b = 1; b <= 8; ++b) {
    for (int m = 1; m < 8; ++m) {
      for (int s = -8; s <= 8; ++s) {
        if (std::abs(s) < b || m + std::abs(s) >= 8) continue;  // 256 elements: bits 0 to 7
        bool inside = true;
        for (int64_t i = 0; i < 256; ++i) inside = inside && apply(Swizzle{b, m, s}, i) < 256;
        if (inside) expected.push_back({b, m, s});
      }
    }
  }
  const SwizzleSolution solution = solve_swizzle(problem);
  CHECK(solution.candidates.size() == expected.size());
  for (const Swizzle& swizzle : expected) {
    CHECK(std::count_if(solution.candidates.begin(), solution.candidates.end(),
                        [&](const SwizzleCandidate& c) { return c.swizzle == swizzle; }) == 1);
  }
}

TEST_CASE("golden: a column of 32x32 f32 needs five bits or one element of padding") {
  const SwizzleSolution solution =
      solve_swizzle(problem_of("32x32", "f32", 1, "st.b32", "ld.b32@col"));
  CHECK(solution.candidates.front().swizzle == Swizzle{5, 0, 5});
  CHECK(is_conflict_free(solution.candidates.front().costs));
  CHECK(solution.paddings.front().elements == 1);
  CHECK(solution.paddings.front().extra_bytes == 128);
}

// Vectors of 4 stay contiguous, so the 32 words of a column can use only 8 banks.
TEST_CASE("where no swizzle is conflict-free, none is called so") {
  const SwizzleSolution solution =
      solve_swizzle(problem_of("32x32", "f32", 4, "st.b32@col", "ld.v4"));
  const bool exists =
      std::any_of(solution.candidates.begin(), solution.candidates.end(),
                  [](const SwizzleCandidate& c) { return is_conflict_free(c.costs); });
  CHECK(!exists);
}

TEST_CASE("the rule of thumb gives a swizzle, or the reason why not") {
  const auto rule = [](const char* tile, const char* dtype, int64_t vector) {
    return rule_of_thumb(parse_shared_tile(tile, dtype), vector);
  };
  CHECK(rule("128x128", "f16", 8).swizzle == Swizzle{3, 3, 4});
  CHECK(rule("32x32", "f32", 1).swizzle == Swizzle{5, 0, 5});
  CHECK(rule("32x32", "f32", 4).swizzle == Swizzle{3, 2, 3});
  CHECK(rule("8x32", "f16", 8).text == "Sw<3,3,2>");
  CHECK(!rule("8x32", "f16", 8).swizzle);
  CHECK(rule("8x48", "f16", 8).why_not == "a row of 48 elements is not a power of two");
  CHECK(!rule("8x128", "f16", 128).swizzle);
}

TEST_CASE("accesses that do not fit the tile are refused") {
  CHECK_THROWS_AS(solve_swizzle(problem_of("8x64", "f16", 4, "st.v4", "ld.v2")), Error);
  CHECK_THROWS_AS(solve_swizzle(problem_of("8x64", "f16", 12, "st.v4", "ld.v2")), Error);
  CHECK_THROWS_AS(solve_swizzle(problem_of("8x24", "f16", 16, "st.v4", "ld.v4")), Error);
  const SwizzleProblem problem = problem_of("8x64", "f16", 8, "st.v4", "ldmatrix.x4");
  CHECK_THROWS_AS(swizzled_costs(problem, {3, 2, 3}), Error);
  CHECK_THROWS_AS(swizzled_costs(problem, {3, 3, -6}), Error);
}

// The copy engine XORs 16-byte chunks: bits 4 to 6 of a byte's address with bits 7 to 9, of which
// the mode of 32, 64 or 128 bytes takes one, two or three.
TEST_CASE("what TMA writes is exactly what its address bits do, and reads decide among it") {
  for (const char* const dtype : {"e4m3", "f16", "f32"}) {
    for (const char* const tile : {"8x16", "16x32", "64x64", "32x128", "16x256"}) {
      SwizzleProblem problem{.tile = parse_shared_tile(tile, dtype),
                             .vector = 16 / parse_element_bytes(dtype),
                             .write = parse_tile_writer("tma"),
                             .read = parse_tile_pattern("ld.v4")};
      CAPTURE(format("{} of {}", tile, dtype));
      const int64_t row_bytes = problem.tile.cols * problem.tile.element_bytes;
      std::set<std::vector<int64_t>> expected;
      for (int bits = 0; bits <= 3; ++bits) {
        if (bits > 0 && row_bytes > (16 << bits)) continue;
        std::vector<int64_t> places;
        for (int64_t i = 0; i < element_count(problem.tile); ++i) {
          const int64_t byte = i * problem.tile.element_bytes;
          places.push_back(byte ^ (((byte >> 7) & ((1 << bits) - 1)) << 4));
        }
        if (*std::max_element(places.begin(), places.end()) <
            element_count(problem.tile) * problem.tile.element_bytes) {
          expected.insert(places);
        }
      }
      const SwizzleSolution solution = solve_swizzle(problem);
      std::set<std::vector<int64_t>> found;
      int64_t least = solution.candidates.front().costs.read.total;
      for (const SwizzleCandidate& candidate : solution.candidates) {
        std::vector<int64_t> places;
        for (int64_t i = 0; i < element_count(problem.tile); ++i) {
          places.push_back(apply(candidate.swizzle, i) * problem.tile.element_bytes);
        }
        found.insert(places);
        CHECK(candidate.costs.write == TileCost{});
        CHECK(candidate.costs.read.total == direct_total(problem, problem.read, candidate.swizzle));
        least = std::min(least, candidate.costs.read.total);
      }
      CHECK(found == expected);
      CHECK(solution.candidates.front().costs.read.total == least);
      CHECK(solution.paddings.empty());
    }
  }
  const SwizzleProblem usual{.tile = parse_shared_tile("64x64", "f16"),
                             .vector = 8,
                             .write = parse_tile_writer("tma"),
                             .read = parse_tile_pattern("ldmatrix.x4")};
  CHECK(solve_swizzle(usual).candidates.front().swizzle == Swizzle{3, 3, 3});
  CHECK(testing::contains(testing::error_message_of([&] {
                            swizzled_costs(usual, {3, 3, 4});
                          }),
                          "TMA does not write Sw<3,3,4>"));
}

TEST_CASE("a read alone is judged as beside any writer, and chosen by itself") {
  for (const char* const read : {"ld.v4", "ld.b32@col", "ldmatrix.x4", "ldmatrix.x2.trans"}) {
    for (const char* const tile : {"8x64", "32x32", "64x16"}) {
      SwizzleProblem both = problem_of(tile, "f16", 8, "st.v4", read);
      SwizzleProblem alone = both;
      alone.write = {};
      const SwizzleSolution beside = solve_swizzle(both);
      const SwizzleSolution by_itself = solve_swizzle(alone);
      REQUIRE(beside.candidates.size() == by_itself.candidates.size());
      int64_t least = beside.plain.read.total;
      for (const SwizzleCandidate& candidate : beside.candidates) {
        least = std::min(least, candidate.costs.read.total);
        CHECK(swizzled_costs(alone, candidate.swizzle).read == candidate.costs.read);
      }
      CHECK(by_itself.candidates.front().costs.read.total == least);
      CHECK(is_conflict_free(by_itself.candidates.front().costs) ==
            (conflicts(by_itself.candidates.front().costs.read) == 0));
    }
  }
}

}  // namespace
}  // namespace tilewright
