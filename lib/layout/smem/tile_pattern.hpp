// How warps walk a tile in shared memory: which elements the lanes of each instruction touch.
//
//   OP       ld.* and st.*: consecutive lanes take consecutive pieces of the instruction's width
//            along a row, row after row; ".u8" to ".v4" pieces are 1 to 16 bytes.
//   OP@col   the same down the columns of pieces, one column of pieces after the other.
//   ldmatrix, stmatrix   a matrix is 8 rows of 16 bytes. x2 takes two matrices one below the other,
//            x4 two by two, the lower one second; in a tile of 8 rows they lie side by side.
//            Instructions follow each other along the rows. .trans reads the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/interruption.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// rows x cols elements, stored row after row.
struct SharedTile {
  int64_t rows = 0;
  int64_t cols = 0;
  int element_bytes = 2;
  bool operator==(const SharedTile&) const = default;
};

inline int64_t element_count(const SharedTile& tile) {
  return tile.rows * tile.cols;
}

/// Parses "8x64" with elements of `dtype`. Throws a usage error for anything but RxC of 1 to 2^20
/// elements.
SharedTile parse_shared_tile(std::string_view text, std::string_view dtype);

/// Bytes of an element type. Throws a usage error like element_bits(), and for types smaller than a
/// byte.
int parse_element_bytes(std::string_view dtype);

struct TilePattern {
  AccessOp op;
  bool down_columns = false;  // @col
  bool operator==(const TilePattern&) const = default;
};

/// Parses "st.v4", "ld.b32@col", "ldmatrix.x4". Throws a usage error.
TilePattern parse_tile_pattern(std::string_view text);
std::string to_string(const TilePattern& pattern);

/// TMA writes the tile, in boxes as wide as its rows. The copy engine has no bank conflicts, and
/// applies only the swizzle modes of a tensor map.
struct TmaBoxes {
  bool operator==(const TmaBoxes&) const = default;
};

/// The writer of the tile: none that the question is about, warps, or TMA.
using TileWriter = std::variant<std::monostate, TilePattern, TmaBoxes>;

/// The pattern of the warps that write; null where none do.
inline const TilePattern* warps_of(const TileWriter& writer) {
  return std::get_if<TilePattern>(&writer);
}
inline bool is_tma(const TileWriter& writer) {
  return std::holds_alternative<TmaBoxes>(writer);
}

/// Parses "tma", the pattern of the warps that write, or "" where no writer is asked about. Throws
/// a usage error.
TileWriter parse_tile_writer(std::string_view text);
/// As parse_tile_writer() reads it.
std::string to_string(const TileWriter& writer);

/// The element, row * cols + col, at which each lane's access begins; kInactive for idle lanes.
using LaneElements = std::array<int64_t, kWarpLanes>;

/// The instructions that access the tile once. Throws a usage error if the width does not divide
/// the tile.
std::vector<LaneElements> warp_accesses(const SharedTile& tile, const TilePattern& pattern);

/// The number of elements that one access of the pattern needs contiguous.
int64_t elements_together(const SharedTile& tile, const TilePattern& pattern);

/// The cost of a whole copy: wavefronts over all its warp instructions.
struct TileCost {
  int64_t instructions = 0;
  int64_t total = 0;
  int64_t ideal = 0;  // total without conflicts
  int64_t least = 0;  // of one instruction
  int64_t most = 0;
  bool operator==(const TileCost&) const = default;
};

inline int64_t conflicts(const TileCost& cost) {
  return cost.total - cost.ideal;
}
inline double mean(const TileCost& cost) {
  return cost.instructions == 0
             ? 0
             : static_cast<double>(cost.total) / static_cast<double>(cost.instructions);
}

/// Adds the cost of one instruction.
void add_access(const WarpAccess& access, TileCost& cost);

/// The cost of a walk over a tile; element e is at byte `element_bytes` * offset(e).
template <class Offset>
TileCost cost_of_accesses(const AccessOp& op, std::span<const LaneElements> accesses,
                          int element_bytes, const Offset& offset) {
  TileCost cost;
  WarpAccess access{.op = op, .addresses = {}};
  for (const LaneElements& lanes : accesses) {
    throw_if_interrupted();
    for (size_t lane = 0; lane < kWarpLanes; ++lane) {
      access.addresses[lane] =
          lanes[lane] == kInactive ? kInactive : offset(lanes[lane]) * element_bytes;
    }
    add_access(access, cost);
  }
  return cost;
}

}  // namespace tilewright
