// A piece of work: one output tile of one problem, over a range of its main loop.
#pragma once

#include <cstdint>

namespace tilewright {

/// Tile (m, n) of a problem of a group, over k-steps [k_begin, k_end); a k-step is a CTA tile deep.
struct WorkTile {
  int32_t problem = 0;
  int32_t m = 0;
  int32_t n = 0;
  int32_t k_begin = 0;
  int32_t k_end = 0;
  bool operator==(const WorkTile&) const = default;
};

}  // namespace tilewright
