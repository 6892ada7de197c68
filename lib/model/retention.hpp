// Whether a cache still holds what was used some bytes ago.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

/// The chance that a line is gone when `used_since` bytes of other lines came after it: they fall
/// into the sets of a cache of `ways` ways at random, and each set drops its least recently used.
double miss_chance(double used_since_bytes, double capacity_bytes, int ways);

/// Classes of depth for an LruStack and the chance of each; the last one, 1, is that of everything
/// deeper.
struct Retention {
  std::vector<int64_t> bounds;
  std::vector<double> miss;  // by class: one more than bounds
};

/// Of a cache of `ways` ways; at least 2 classes: all that is surely kept is one, the others part
/// the depths where the chance changes.
Retention retention_of(int64_t capacity_bytes, int ways, int classes);

}  // namespace tilewright
