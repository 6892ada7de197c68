// A cluster that a replay runs, and the tiles that it takes in order.
#pragma once

#include <vector>

#include "model/fixup_traffic.hpp"
#include "model/placement.hpp"

namespace tilewright {

struct ReplayWorker {
  std::vector<TilePiece> pieces;  // by round
  Placement placement;
};

}  // namespace tilewright
