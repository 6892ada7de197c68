#include "layout/smem/swizzle_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace tilewright {
namespace {

struct Count {
  int64_t wavefronts = 0;
  int64_t ideal = 0;
};

// Counts by bytes: a phase is the lanes of 128 bytes, or 8 rows of a matrix; each of its wavefronts
// serves one word of every bank.
Count brute_force(const SharedTile& tile, const TilePattern& pattern, const Swizzle& swizzle) {
  const int width = pattern.op.bytes;
  const int lanes_of_phase = is_matrix(pattern.op) ? 8 : std::min(32, 128 / width);
  Count count;
  for (const LaneElements& lanes : warp_accesses(tile, pattern)) {
    std::map<int, std::map<int64_t, std::set<int64_t>>> words;  // by phase and bank
    for (int lane = 0; lane < 32; ++lane) {
      const int64_t element = lanes[static_cast<size_t>(lane)];
      if (element < 0) continue;
      const int64_t first = apply(swizzle, element) * tile.element_bytes;
      for (int64_t byte = first; byte < first + width; ++byte) {
        words[lane / lanes_of_phase][byte / 4 % 32].insert(byte / 4);
      }
    }
    for (const auto& [phase, banks] : words) {
      size_t most = 0;
      for (const auto& [bank, of_bank] : banks) most = std::max(most, of_bank.size());
      count.wavefronts += static_cast<int64_t>(most);
      ++count.ideal;
    }
  }
  return count;
}

double number(const SwizzleReport& report, std::string_view name) {
  for (const NamedNumber& n : numbers_of(report)) {
    if (n.name == name) return n.value;
  }
  return -1;
}

// Checks every candidate of a problem, including no swizzle.
void check_candidates(const SwizzleProblem& problem) {
  const Count plain_write = brute_force(problem.tile, *warps_of(problem.write), {});
  const Count plain_read = brute_force(problem.tile, problem.read, {});
  for (const SwizzleCandidate& candidate : solve_swizzle(problem).candidates) {
    CAPTURE(to_string(candidate.swizzle));
    const Count write = brute_force(problem.tile, *warps_of(problem.write), candidate.swizzle);
    const Count read = brute_force(problem.tile, problem.read, candidate.swizzle);
    const SwizzleReport report = report_swizzle(problem, candidate.swizzle);
    const bool ideal = write.wavefronts == write.ideal && read.wavefronts == read.ideal;
    const auto conflicts_of = [](const Count& a, const Count& b) {
      return static_cast<double>(a.wavefronts - a.ideal + b.wavefronts - b.ideal);
    };
    const double remaining = number(report, "conflicts_remaining");
    REQUIRE(remaining == doctest::Approx(conflicts_of(write, read) /
                                         std::max(1.0, conflicts_of(plain_write, plain_read))));
    REQUIRE((remaining == 0) == ideal);
    REQUIRE((remaining == 0) == is_conflict_free(candidate.costs));
    const auto share_of = [](const Count& c) {
      return 1 - static_cast<double>(c.ideal) / static_cast<double>(c.wavefronts);
    };
    REQUIRE(number(report, "conflict_share") ==
            doctest::Approx(std::max(share_of(write), share_of(read))));
  }
}

double number(const char* name, const char* dtype, const char* write, const char* read,
              const Swizzle& swizzle) {
  const SwizzleProblem problem{.tile = parse_shared_tile("32x16", dtype),
                               .vector = 1,
                               .write = parse_tile_pattern(write),
                               .read = parse_tile_pattern(read)};
  return number(report_swizzle(problem, swizzle), name);
}

double conflict_share(const char* dtype, const char* write, const char* read,
                      const Swizzle& swizzle) {
  return number("conflict_share", dtype, write, read, swizzle);
}

double remaining(const char* dtype, const char* write, const char* read, const Swizzle& swizzle) {
  return number("conflicts_remaining", dtype, write, read, swizzle);
}

TEST_CASE("no conflicts remain exactly where both accesses take the ideal wavefronts") {
  const std::map<const char*, int> types = {{"i8", 1}, {"f16", 2}, {"f32", 4}, {"f64", 8}};
  const std::map<const char*, int> widths = {
      {"u8", 1}, {"u16", 2}, {"b32", 4}, {"v2", 8}, {"v4", 16}};
  for (const auto& type : types) {
    const char* const dtype = type.first;
    const int bytes = type.second;
    for (const char* const tile : {"8x8", "32x16", "4x32", "8x24"}) {
      for (const auto& access : widths) {
        const char* const width = access.first;
        const int width_bytes = access.second;
        const SharedTile shared = parse_shared_tile(tile, dtype);
        if (width_bytes < bytes || shared.cols * bytes % width_bytes != 0) continue;
        CAPTURE(dtype);
        CAPTURE(tile);
        CAPTURE(width);
        check_candidates({.tile = shared,
                          .vector = width_bytes / bytes,
                          .write = parse_tile_pattern(format("st.{}", width)),
                          .read = parse_tile_pattern(format("ld.{}@col", width))});
      }
    }
  }
  for (const char* const read : {"ldmatrix.x2", "ldmatrix.x4.trans"}) {
    check_candidates({.tile = parse_shared_tile("16x64", "f16"),
                      .vector = 8,
                      .write = parse_tile_pattern("st.v4@col"),
                      .read = parse_tile_pattern(read)});
  }
}

// A row of 16 elements of 8 bytes fills all banks: rows that are permuted alike in pairs conflict,
// and half of the wavefronts remain.
TEST_CASE("the published 32x16 example holds for elements of 8 bytes") {
  CHECK(conflict_share("f64", "st.v2", "ld.v2@col", {0, 0, 0}) == 15.0 / 16);
  CHECK(conflict_share("f64", "st.v2", "ld.v2@col", {4, 0, 4}) == 0);
  CHECK(conflict_share("f64", "st.v2", "ld.v2@col", {3, 0, 4}) == 0.5);
  CHECK(conflict_share("f64", "st.v2", "ld.v2@col", {4, 0, 5}) == 0.5);
}

// Two rows of 64 bytes, or four of 32, are side by side in the banks, so adjacent rows never
// conflict.
TEST_CASE("with smaller elements, rows permuted alike in pairs do not conflict") {
  CHECK(conflict_share("f32", "st.b32", "ld.b32@col", {0, 0, 0}) == 15.0 / 16);
  CHECK(conflict_share("f32", "st.b32", "ld.b32@col", {4, 0, 5}) == 0);
  CHECK(conflict_share("f32", "st.b32", "ld.b32@col", {4, 0, 4}) == 0.5);
  CHECK(conflict_share("f32", "st.b32", "ld.b32@col", {3, 0, 4}) == 0.75);
  CHECK(conflict_share("f16", "st.u16", "ld.u16@col", {4, 0, 5}) == 0);
}

TEST_CASE("remaining conflicts are a share of those without a swizzle") {
  // 16 rows in one bank: 15 conflicts; with pairs of rows one remains.
  CHECK(remaining("f64", "st.v2", "ld.v2@col", {0, 0, 0}) == 1);
  CHECK(remaining("f64", "st.v2", "ld.v2@col", {4, 0, 5}) == doctest::Approx(1.0 / 15));
  CHECK(remaining("f32", "st.b32", "ld.b32@col", {4, 0, 4}) == doctest::Approx(1.0 / 15));
  CHECK(remaining("f32", "st.b32", "ld.b32@col", {3, 0, 4}) == doctest::Approx(3.0 / 15));
  CHECK(remaining("f32", "st.b32", "ld.b32@col", {4, 0, 5}) == 0);
  // A tile without conflicts has none left.
  CHECK(remaining("f32", "st.b32", "ld.b32", {0, 0, 0}) == 0);
}

TEST_CASE("where no swizzle is needed, the tile without one is listed first") {
  for (const char* tile : {"8x64", "32x32", "16x128"}) {
    const SwizzleProblem problem{.tile = parse_shared_tile(tile, "f16"),
                                 .vector = 8,
                                 .write = parse_tile_pattern("st.v4"),
                                 .read = parse_tile_pattern("ld.v4")};
    const SwizzleSolution solution = solve_swizzle(problem);
    CHECK(solution.candidates.front().swizzle == Swizzle{});
    CHECK(is_conflict_free(solution.candidates.front().costs));
  }
}

}  // namespace
}  // namespace tilewright
