// A small deterministic generator: the same seed gives the same numbers on every platform.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace tilewright {

/// SplitMix64: 64-bit numbers from a counter, each equally likely.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  /// A number in [0, bound), bound in [1, 2^32).
  uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(((next() >> 32) * static_cast<uint64_t>(bound)) >> 32);
  }

  /// A number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

/// Puts `items` in random order; every order is equally likely.
template <class T>
void shuffle(std::span<T> items, Random& random) {
  for (size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random.below(static_cast<uint32_t>(left))]);
  }
}

}  // namespace tilewright
