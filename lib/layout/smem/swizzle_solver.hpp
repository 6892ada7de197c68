// Which swizzle, or which padding, makes a tile in shared memory cheap to write and to read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/algebra/swizzle.hpp"
#include "layout/smem/tile_pattern.hpp"

namespace tilewright {

/// A row-major tile, the elements that move as one, and how warps write and read it.
struct SwizzleProblem {
  SharedTile tile;
  int64_t vector = 1;  // elements, a power of two
  TilePattern write;
  TilePattern read;
  bool operator==(const SwizzleProblem&) const = default;
};

/// Exact costs of one answer.
struct AccessCosts {
  TileCost write;
  TileCost read;
  bool operator==(const AccessCosts&) const = default;
};
inline int64_t total(const AccessCosts& costs) {
  return costs.write.total + costs.read.total;
}
inline bool is_conflict_free(const AccessCosts& costs) {
  return conflicts(costs.write) == 0 && conflicts(costs.read) == 0;
}

/// Of the access with the larger share: how many of its wavefronts are conflicts. 0 where every
/// phase of both takes one wavefront, 1 - 1/n where every phase takes n. Down the columns of a tile
/// with rows of 128 bytes, such as 16 elements of 8 bytes, rows that a swizzle permutes alike in
/// pairs leave 1/2; shorter rows lie side by side in the banks, and pairs may meet nobody.
double conflict_share(const AccessCosts& costs);
/// Conflicts of both accesses over those of the tile without a swizzle: 1 where none helps. Over 1
/// where that has no conflict, so a swizzle that makes some leaves 1 or more.
double conflicts_remaining(const AccessCosts& costs, const AccessCosts& plain);

/// A swizzle of element offsets.
struct SwizzleCandidate {
  Swizzle swizzle;
  AccessCosts costs;
  bool is_rule = false;  // what the rule of thumb says
  bool operator==(const SwizzleCandidate&) const = default;
};

/// Rows that are `elements` further apart.
struct PaddingCandidate {
  int64_t elements = 0;  // after each row
  int64_t extra_bytes = 0;
  AccessCosts costs;
  bool operator==(const PaddingCandidate&) const = default;
};

/// The rule of thumb: M = log2(vector), S = log2(row elements) - M, B = log2(128 bytes in elements)
/// - M; or why it says nothing here.
struct SwizzleRule {
  std::string text;  // "Sw<3,3,3>", also where that is no valid swizzle
  std::optional<Swizzle> swizzle;
  std::string why_not;
  bool operator==(const SwizzleRule&) const = default;
};
SwizzleRule rule_of_thumb(const SharedTile& tile, int64_t vector);

/// Candidates, best first: least wavefronts in all, then no swizzle (Sw<0,0,0>, always one of
/// them), then the rule's answer, then smaller B, |S|, M and S > 0.
struct SwizzleSolution {
  std::vector<SwizzleCandidate> candidates;
  AccessCosts plain;                       // without a swizzle
  std::vector<PaddingCandidate> paddings;  // least wavefronts first, then least padding
  SwizzleRule rule;
  bool operator==(const SwizzleSolution&) const = default;
};

/// Tries every valid swizzle that keeps vectors whole and acts within the tile, and every padding
/// of whole vectors up to 128 bytes. Throws a usage error where vector and patterns do not fit the
/// tile.
SwizzleSolution solve_swizzle(const SwizzleProblem& problem);

/// The cost of one given swizzle. Throws a usage error where it tears what an access needs side by
/// side, or leaves the tile.
AccessCosts swizzled_costs(const SwizzleProblem& problem, const Swizzle& swizzle);

/// A swizzled tile in the words of other stacks. One stack's spelling, or why it has none.
struct SwizzleSpelling {
  std::string target;  // "cute-cpp", "cute-dsl", "triton", "iree", "tma"
  std::string text;
  std::string why_not;
  bool operator==(const SwizzleSpelling&) const = default;
};

/// `swizzle` works on element offsets of the row-major tile. Spellings: a CuTe C++ and a CuTe DSL
/// expression, Triton's swizzled_shared, IREE's xor_shuffle, and the swizzle mode of a TMA map.
std::vector<SwizzleSpelling> spell_swizzle(const SharedTile& tile, const Swizzle& swizzle);

}  // namespace tilewright
