// A product's operands as panels: one for each row of tiles (A), then one for each column of tiles
// (B).
#pragma once

#include <algorithm>
#include <cstdint>

#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

class OperandPanels {
 public:
  OperandPanels(const PlannedProblem& problem, const TileConfig& config)
      : shape_(problem.shape), config_(config), tiles_(problem.tiles) {}

  /// The output's extent in CTA tiles.
  TileCoord tiles() const { return tiles_; }
  int count() const { return tiles_.m + tiles_.n; }
  int column(int n) const { return tiles_.m + n; }
  /// Rows or columns of the output in a panel.
  int extent(int panel) const {
    const bool row = is_row(panel);
    const int tile = row ? config_.cta.m : config_.cta.n;
    return static_cast<int>(
        std::min<int64_t>(tile, (row ? shape_.m : shape_.n) - first_line(panel)));
  }
  bool is_row(int panel) const { return panel < tiles_.m; }
  /// The first row or column of the output in a panel.
  int64_t first_line(int panel) const {
    return is_row(panel) ? int64_t{panel} * config_.cta.m
                         : int64_t{panel - tiles_.m} * config_.cta.n;
  }
  /// Rows and columns of the output in a cluster's tiles.
  int64_t rows(TileCoord cluster) const {
    return within(cluster.m, int64_t{config_.cluster.m} * config_.cta.m, shape_.m);
  }
  int64_t columns(TileCoord cluster) const {
    return within(cluster.n, int64_t{config_.cluster.n} * config_.cta.n, shape_.n);
  }
  /// Tiles of a cluster that lie inside the output.
  int64_t tile_count(TileCoord cluster) const {
    return within(cluster.m, config_.cluster.m, tiles_.m) *
           within(cluster.n, config_.cluster.n, tiles_.n);
  }
  /// Calls visit(panel) for the rows, then the columns of a cluster's tiles.
  template <class Visit>
  void for_each(TileCoord cluster, Visit visit) const {
    const TileCoord begin = {cluster.m * config_.cluster.m, cluster.n * config_.cluster.n};
    const int end_m = std::min(begin.m + config_.cluster.m, tiles_.m);
    const int end_n = std::min(begin.n + config_.cluster.n, tiles_.n);
    for (int m = begin.m; m < end_m; ++m) visit(m);
    for (int n = begin.n; n < end_n; ++n) visit(column(n));
  }

 private:
  // Length of piece number `index` where a side is cut into pieces of `length`.
  static int64_t within(int64_t index, int64_t length, int64_t side) {
    return std::clamp<int64_t>(side - index * length, 0, length);
  }

  GemmShape shape_;
  TileConfig config_;
  TileCoord tiles_;
};

}  // namespace tilewright
