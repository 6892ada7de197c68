// Whether a cache still holds what was used some bytes ago.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

/// The chance that a line is gone after `used_since_bytes` of other lines: they fall at random into
/// the sets of a cache of `ways` ways, and each set drops its least recently used line.
double miss_chance(double used_since_bytes, double capacity_bytes, int ways);

/// Classes of depth for an LruStack and the chance of a miss in each; the last chance, 1, covers
/// everything deeper.
struct Retention {
  std::vector<int64_t> bounds;
  std::vector<double> miss;  // by class: one more than bounds
};

/// For a cache of `ways` ways; `classes` is at least 2. The first class is what is surely kept, the
/// others divide the depths where the chance changes.
Retention retention_of(int64_t capacity_bytes, int ways, int classes);

}  // namespace tilewright
