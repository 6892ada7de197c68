// Finds the swizzle or the padding that makes a tile in shared memory cheap to write and to read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/algebra/swizzle.hpp"
#include "layout/smem/tile_pattern.hpp"

namespace tilewright {

/// A row-major tile, the number of elements that must stay together, its writer, and the pattern
/// by which warps read it.
struct SwizzleProblem {
  SharedTile tile;
  int64_t vector = 1;  // elements, a power of two
  TileWriter write;
  TilePattern read;
  bool operator==(const SwizzleProblem&) const = default;
};

/// Exact costs of one candidate. Where warps do not write, `write` has no instructions.
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

/// The share of wavefronts that are conflicts, for the access with the larger share: 0 if every
/// phase takes one wavefront, 1 - 1/n if every phase takes n. In a column access of a tile with
/// rows of 128 bytes, for example 16 elements of 8 bytes, 1/2 remains if a swizzle permutes pairs
/// of rows alike. Shorter rows are side by side in the banks, so such pairs may not conflict at
/// all.
double conflict_share(const AccessCosts& costs);
/// Conflicts of both accesses over those of the tile without a swizzle: 1 if a swizzle does not
/// help. Without conflicts there, divides by 1, so a swizzle that causes conflicts gives 1 or more.
double conflicts_remaining(const AccessCosts& costs, const AccessCosts& plain);

/// A swizzle of element offsets.
struct SwizzleCandidate {
  Swizzle swizzle;
  AccessCosts costs;
  bool is_rule = false;  // equals the result of the rule of thumb
  bool operator==(const SwizzleCandidate&) const = default;
};

/// Padding: rows that are `elements` further apart.
struct PaddingCandidate {
  int64_t elements = 0;  // after each row
  int64_t extra_bytes = 0;
  AccessCosts costs;
  bool operator==(const PaddingCandidate&) const = default;
};

/// The rule of thumb: M = log2(vector), S = log2(row elements) - M, B = log2(128 bytes in elements)
/// - M; or the reason why it does not apply.
struct SwizzleRule {
  std::string text;  // "Sw<3,3,3>", also if that is not a valid swizzle
  std::optional<Swizzle> swizzle;
  std::string why_not;
  bool operator==(const SwizzleRule&) const = default;
};
SwizzleRule rule_of_thumb(const SharedTile& tile, int64_t vector);

/// Candidates, best first: fewest wavefronts in total, then no swizzle (Sw<0,0,0>, which is always
/// included), then the rule's swizzle, then smaller B, |S|, M, and S > 0.
struct SwizzleSolution {
  std::vector<SwizzleCandidate> candidates;
  AccessCosts plain;                       // without a swizzle
  std::vector<PaddingCandidate> paddings;  // fewest wavefronts first, then least padding
  SwizzleRule rule;
  bool operator==(const SwizzleSolution&) const = default;
};

/// Tries every valid swizzle that keeps vectors contiguous and stays within the tile, and every
/// padding by whole vectors up to 128 bytes. TMA writes neither other swizzles than those of a
/// tensor map nor padding: with it only those are tried. Throws a usage error if the vector and the
/// patterns do not fit the tile, or TMA cannot write its rows.
SwizzleSolution solve_swizzle(const SwizzleProblem& problem);

/// The cost of one given swizzle. Throws a usage error if it separates elements that an access
/// needs contiguous, leaves the tile, or is none that TMA writes, where TMA does.
AccessCosts swizzled_costs(const SwizzleProblem& problem, const Swizzle& swizzle);

/// A swizzled tile in the notation of another stack, or the reason why it has none.
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
