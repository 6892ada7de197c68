// Computes layouts slowly, digit by digit, without the arithmetic of lib/layout.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/algebra/composed_layout.hpp"
#include "stats/random.hpp"

namespace tilewright {

/// The modes of a layout, from left to right.
struct OracleMode {
  int64_t extent;
  int64_t stride;
};

inline void list_modes(const IntTuple& shape, const IntTuple& stride,
                       std::vector<OracleMode>& found) {
  if (!shape.is_tuple()) {
    found.push_back({shape.value(), stride.value()});
    return;
  }
  for (size_t i = 0; i < shape.items().size(); ++i) {
    list_modes(shape.items()[i], stride.items()[i], found);
  }
}

inline std::vector<OracleMode> oracle_modes(const Layout& layout) {
  std::vector<OracleMode> found;
  list_modes(layout.shape, layout.stride, found);
  return found;
}

/// The offset of an index; the last digit may exceed its extent.
inline int64_t oracle_offset(const std::vector<OracleMode>& modes, int64_t index) {
  int64_t offset = 0;
  for (size_t i = 0; i < modes.size(); ++i) {
    const bool last = i + 1 == modes.size();
    int64_t digit = 0;
    while (!last && digit < index % modes[i].extent) ++digit;
    offset += (last ? index : digit) * modes[i].stride;
    index /= modes[i].extent;
  }
  return offset;
}

/// Bit by bit, by the definition of Swizzle<B,M,S>.
inline int64_t oracle_swizzle(int bits, int base, int shift, int64_t offset) {
  const int read = base + (shift > 0 ? shift : 0);
  const int changed = base + (shift < 0 ? -shift : 0);
  int64_t result = offset;
  for (int i = 0; i < bits; ++i) {
    const int64_t bit = (offset >> (read + i)) & 1;
    result ^= bit << (changed + i);
  }
  return result;
}

/// Every offset in colexicographic order.
inline std::vector<int64_t> oracle_offsets(const ComposedLayout& c) {
  const std::vector<OracleMode> modes = oracle_modes(c.layout);
  int64_t count = 1;
  for (const OracleMode& one : modes) count *= one.extent;
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t plain = c.offset + oracle_offset(modes, i);
    offsets.push_back(
        c.swizzle ? oracle_swizzle(c.swizzle->bits, c.swizzle->base, c.swizzle->shift, plain)
                  : plain);
  }
  return offsets;
}

/// Makes random layouts: nested, with at most `most` elements, and with strides that are compact in
/// a random order, padded, repeated, or arbitrary.
class LayoutMaker {
 public:
  explicit LayoutMaker(uint64_t seed) : random_(seed) {}

  int64_t below(uint32_t bound) { return random_.below(bound); }

  IntTuple shape(int deepest, int64_t& left) {
    if (deepest == 0 || below(5) < 2) {
      constexpr int64_t kExtents[] = {1, 2, 2, 3, 4, 4, 5, 6, 8, 16};
      int64_t extent = kExtents[below(10)];
      if (extent > left) extent = 1;
      left /= extent;
      return extent;
    }
    std::vector<IntTuple> items;
    for (int64_t i = 1 + below(3); i > 0; --i) items.push_back(shape(deepest - 1, left));
    return IntTuple(std::move(items));
  }

  Layout layout(int64_t most = 512, int deepest = 2) {
    const IntTuple made = shape(deepest, most);
    const std::vector<IntTuple> extents = leaves(made);
    std::vector<int64_t> strides(extents.size());
    const int64_t kind = below(10);
    if (kind < 6) {
      std::vector<size_t> order(extents.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      if (kind < 4) shuffle(std::span<size_t>(order), random_);
      int64_t next = below(4) == 0 ? 2 : 1;
      for (const size_t i : order) {
        strides[i] = next;
        next *= extents[i].value() * (below(5) == 0 ? 2 : 1);
      }
    } else {
      constexpr int64_t kStrides[] = {0, 1, 1, 2, 3, 4, 5, 8, 12, 16, 24, -1, -2, -8};
      for (int64_t& stride : strides) stride = kStrides[below(kind < 9 ? 11 : 14)];
    }
    size_t at = 0;
    return make_layout(made, map_leaves(made, [&](const IntTuple&) { return strides[at++]; }));
  }

  Swizzle swizzle() {
    const int64_t bits = below(4);
    const int64_t distance = bits + below(3) + (bits == 0 ? 1 : 0);
    return make_swizzle(bits, below(4), below(3) == 0 ? -distance : distance);
  }

  ComposedLayout composed(int64_t most = 512) {
    ComposedLayout made{{}, 0, layout(most)};
    if (below(2) != 0) {
      made.swizzle = swizzle();
      made.offset = below(3) == 0 ? below(64) : 0;
    }
    return made;
  }

 private:
  Random random_;
};

}  // namespace tilewright
