// What the tiles of a launch are spent on: rows beyond a problem's last one, and the problems of a
// group that each CTA's time goes to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/plan/plan.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// Rows of D in all tiles of a height.
struct RowPadding {
  int tile_rows = 0;
  int64_t rows = 0;         // of all problems
  int64_t padded_rows = 0;  // in tiles, beyond their problem's last row
  bool operator==(const RowPadding&) const = default;
};

/// Padded rows in percent of all rows of tiles; 0 without rows.
double padding_pct(const RowPadding& padding);

/// The padding in tiles of `tile_rows` rows, at least one. Rows of A count once, however many
/// columns of tiles D has.
RowPadding row_padding(const Workload& workload, int tile_rows);

/// Rows of D in a tile; with swap_ab these are columns of the kernel's tile.
int tile_rows_of(const TileConfig& config);

/// Time of a CTA's units on one problem: microseconds, or k-steps where the spans count those.
struct ProblemTime {
  int problem = 0;
  double time = 0;
  bool operator==(const ProblemTime&) const = default;
};

/// What one problem takes of a launch.
struct ProblemShare {
  int64_t ctas = 0;    // that compute a part of it
  int64_t mostly = 0;  // CTAs that spend more time on it than on any other problem
  double time = 0;     // of all its units
  bool operator==(const ProblemShare&) const = default;
};

struct GroupOccupancy {
  std::vector<ProblemShare> problems;          // by the user's index
  std::vector<std::vector<ProblemTime>> ctas;  // of each CTA, most time first
  double time = 0;                             // of all units
  bool operator==(const GroupOccupancy&) const = default;
};

/// Sums the spans of the plan's timeline by problem; launches and second kernels belong to none.
GroupOccupancy group_occupancy(const Plan& plan, std::span<const WorkSpan> spans);

}  // namespace tilewright
