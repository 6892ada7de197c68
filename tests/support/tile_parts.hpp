// Parts of divided tiles, for tests.
#pragma once

#include "tile/plan/schedule_proof.hpp"

namespace tilewright::testing {

/// The part of a tile that is the single k-step `k`.
inline TilePart part(int64_t tile, int k, int64_t cta, int64_t unit_index) {
  return {tile, k, k + 1, cta, unit_index};
}

}  // namespace tilewright::testing
