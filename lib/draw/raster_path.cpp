#include "draw/raster_path.hpp"

#include <cstdlib>

namespace tilewright {
namespace {

TileCoord move_between(TileCoord from, TileCoord to) {
  return {to.m - from.m, to.n - from.n};
}

bool is_step(TileCoord move) {
  return std::abs(move.m) + std::abs(move.n) == 1;
}

}  // namespace

std::vector<PathRun> path_runs(std::span<const TileCoord> order) {
  std::vector<PathRun> runs;
  TileCoord last_move;
  for (size_t i = 1; i < order.size(); ++i) {
    const TileCoord move = move_between(order[i - 1], order[i]);
    const bool step = is_step(move);
    if (step && !runs.empty() && !runs.back().jump) {
      if (move == last_move) {
        runs.back().corners.back() = order[i];
      } else {
        runs.back().corners.push_back(order[i]);
      }
    } else {
      runs.push_back({!step, {order[i - 1], order[i]}});
    }
    last_move = move;
  }
  return runs;
}

}  // namespace tilewright
