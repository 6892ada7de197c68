#include "layout/smem/tile_pattern.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "layout/algebra/recast.hpp"

namespace tilewright {

namespace {

constexpr int64_t kMatrixRows = 8;
constexpr std::string_view kTma = "tma";

// A grid of pieces, down x across, each `elements` wide and `rows` high.
struct Pieces {
  int64_t down = 0;
  int64_t across = 0;
  int64_t elements = 0;
  int64_t rows = 1;
};

std::string tile_text(const SharedTile& tile) {
  return format("{}x{} tile of {}-byte elements", tile.rows, tile.cols, tile.element_bytes);
}

Pieces pieces_of(const SharedTile& tile, const TilePattern& pattern) {
  Pieces pieces;
  pieces.elements = elements_together(tile, pattern);
  pieces.rows = is_matrix(pattern.op) ? kMatrixRows : 1;
  if (tile.cols % pieces.elements != 0) {
    throw usage_error(format("{} takes {} elements at a time, which do not divide the rows of a {}",
                             to_string(pattern), pieces.elements, tile_text(tile)));
  }
  if (tile.rows % pieces.rows != 0) {
    throw usage_error(format("{} takes 8 rows at a time, which do not divide a {}",
                             to_string(pattern), tile_text(tile)));
  }
  pieces.down = tile.rows / pieces.rows;
  pieces.across = tile.cols / pieces.elements;
  return pieces;
}

std::vector<LaneElements> walk_pieces(const SharedTile& tile, const Pieces& pieces,
                                      bool down_columns) {
  const int64_t count = pieces.down * pieces.across;
  std::vector<LaneElements> instructions(
      static_cast<size_t>((count + kWarpLanes - 1) / kWarpLanes));
  for (LaneElements& lanes : instructions) lanes.fill(kInactive);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = down_columns ? i % pieces.down : i / pieces.across;
    const int64_t piece = down_columns ? i / pieces.down : i % pieces.across;
    instructions[static_cast<size_t>(i / kWarpLanes)][static_cast<size_t>(i % kWarpLanes)] =
        row * tile.cols + piece * pieces.elements;
  }
  return instructions;
}

std::vector<LaneElements> walk_matrices(const SharedTile& tile, const Pieces& pieces,
                                        const AccessOp& op) {
  const int64_t below = op.matrices > 1 && pieces.down > 1 ? 2 : 1;
  const int64_t beside = op.matrices / below;
  if (pieces.down % below != 0 || pieces.across % beside != 0) {
    throw usage_error(
        format("{} takes {} by {} matrices of 8 rows by 16 bytes, which do not divide "
               "a {}",
               to_string(op), below, beside, tile_text(tile)));
  }
  std::vector<LaneElements> instructions;
  for (int64_t down = 0; down < pieces.down; down += below) {
    for (int64_t across = 0; across < pieces.across; across += beside) {
      LaneElements lanes;
      lanes.fill(kInactive);
      for (int64_t lane = 0; lane < address_count(op); ++lane) {
        const int64_t matrix = lane / kMatrixRows;
        const int64_t row = (down + matrix % below) * kMatrixRows + lane % kMatrixRows;
        const int64_t piece = across + matrix / below;
        lanes[static_cast<size_t>(lane)] = row * tile.cols + piece * pieces.elements;
      }
      instructions.push_back(lanes);
    }
  }
  return instructions;
}

}  // namespace

SharedTile parse_shared_tile(std::string_view text, std::string_view dtype) {
  const std::vector<std::string_view> parts = split_sizes(text);
  std::optional<int64_t> rows;
  std::optional<int64_t> cols;
  if (parts.size() == 2) {
    rows = parse_count(parts[0]);
    cols = parse_count(parts[1]);
  }
  if (!rows || !cols || *rows < 1 || *cols < 1 || *rows > kMaxTileElements ||
      *cols > kMaxTileElements || *rows * *cols > kMaxTileElements) {
    throw usage_error(format("tile '{}' is not ROWSxCOLS of 1 to {} elements, such as 128x64", text,
                             kMaxTileElements));
  }
  return {.rows = *rows, .cols = *cols, .element_bytes = parse_element_bytes(dtype)};
}

int parse_element_bytes(std::string_view dtype) {
  const int64_t bits = element_bits(dtype);
  if (bits % 8 != 0) {
    throw usage_error(format("elements of {} are {} bits: lanes address whole bytes", dtype, bits));
  }
  return static_cast<int>(bits / 8);
}

TilePattern parse_tile_pattern(std::string_view text) {
  const size_t at = text.find('@');
  TilePattern pattern{.op = parse_access_op(text.substr(0, at)), .down_columns = false};
  if (at == std::string_view::npos) return pattern;
  const std::string_view axis = text.substr(at + 1);
  if (is_matrix(pattern.op)) {
    throw usage_error(format("'{}': matrix instructions read blocks: omit '@{}'", text, axis));
  }
  if (axis != "row" && axis != "col") {
    throw usage_error(format("'{}': lanes run along @row or down @col, not '@{}'", text, axis));
  }
  pattern.down_columns = axis == "col";
  return pattern;
}

std::string to_string(const TilePattern& pattern) {
  return to_string(pattern.op) + (pattern.down_columns ? "@col" : "");
}

TileWriter parse_tile_writer(std::string_view text) {
  if (text.empty()) return {};
  if (text == kTma) return TmaBoxes{};
  return parse_tile_pattern(text);
}

std::string to_string(const TileWriter& writer) {
  const TilePattern* const warps = warps_of(writer);
  if (warps != nullptr) return to_string(*warps);
  return std::string(is_tma(writer) ? kTma : "");
}

int64_t elements_together(const SharedTile& tile, const TilePattern& pattern) {
  if (pattern.op.bytes % tile.element_bytes != 0) {
    throw usage_error(format("{} moves {} bytes, less than an element of {} bytes",
                             to_string(pattern), pattern.op.bytes, tile.element_bytes));
  }
  return pattern.op.bytes / tile.element_bytes;
}

std::vector<LaneElements> warp_accesses(const SharedTile& tile, const TilePattern& pattern) {
  const Pieces pieces = pieces_of(tile, pattern);
  if (is_matrix(pattern.op)) return walk_matrices(tile, pieces, pattern.op);
  return walk_pieces(tile, pieces, pattern.down_columns);
}

void add_access(const WarpAccess& access, TileCost& cost) {
  const WavefrontCount count = wavefront_count(access);
  cost.least = cost.instructions == 0 ? count.wavefronts : std::min(cost.least, count.wavefronts);
  cost.most = std::max(cost.most, count.wavefronts);
  cost.total += count.wavefronts;
  cost.ideal += count.ideal;
  ++cost.instructions;
}

}  // namespace tilewright
