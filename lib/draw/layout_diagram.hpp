// The picture of a layout: its coordinates as a grid, the offset in each cell.
#pragma once

#include <optional>
#include <span>

#include "draw/diagram_page.hpp"
#include "draw/ownership.hpp"
#include "draw/scene.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/swizzle.hpp"
#include "layout/smem/swizzle_report.hpp"
#include "layout/smem/wavefronts.hpp"
#include "layout/text/nested_report.hpp"

namespace tilewright {

/// What the colour of a cell tells: the offset, the bank of the element's first byte, or the offset
/// taken as a thread's number.
enum class CellColor { Value, Bank, Thread };

/// "value", "bank" or "thread". Throws a usage error.
CellColor parse_cell_color(std::string_view text);

struct LayoutView {
  CellColor color = CellColor::Value;
  int element_bytes = 0;                           // 0: unknown, no bytes are shown; Bank needs it
  std::optional<IntTuple> element = std::nullopt;  // coordinate or index to outline
};

/// Rank 1 as a bar (folded where long), rank 2 as a grid (mode 0 down, mode 1 right), higher ranks
/// as slices of that; nested tiles are outlined. Throws a usage error for more cells than a picture
/// holds, and for an element outside the layout.
Scene layout_diagram(const ComposedLayout& layout, const LayoutView& view);

/// Two layouts of one size side by side, the same element (by default the first whose offset
/// changes) outlined in both. Throws like layout_diagram, and where the sizes differ.
Scene layout_comparison(const ComposedLayout& before, const ComposedLayout& after,
                        const LayoutView& view);

// The picture of warp instructions: lanes by bank, or by line of global memory.

/// Phases of all instructions that one picture holds.
inline constexpr size_t kMostDrawnPhases = 32;

/// Shared memory: for each phase the banks that its lanes touch, coloured by which of the bank's
/// words that is, and below it the words of each bank on top of each other, one wavefront a row.
/// Throws a usage error beyond kMostDrawnPhases, and like count_wavefronts.
Scene shared_access_diagram(std::span<const WarpAccess> accesses);

/// Global memory: for each request its lines of 128 bytes, the words used and the rest of the
/// sectors that move with them. Throws a usage error beyond kMostDrawnPhases, and like
/// count_sectors.
Scene global_access_diagram(std::span<const WarpAccess> accesses);

// The picture of an IREE nested layout: the thread that holds each element.

/// Rank 1 as a row, rank 2 as a grid (dimension 0 down), higher ranks as slices of the last two
/// dimensions. Lines bound what a thread holds side by side, outer and batch tiles, and, strongest,
/// subgroups. The report's thread is outlined; its elements carry their place in the distributed
/// shape. Throws a usage error for more elements than a picture holds.
Scene nested_diagram(const NestedReport& report);

// The picture of a swizzle: where the vectors of a tile lie before and after it.

/// Vectors of the tile by the bank of their first byte, plain and with the report's first
/// candidate. The costliest phase of the plain read (or of the write, where only that has
/// conflicts) is outlined in both, lanes that meet in its busiest bank have a folded corner. Throws
/// a usage error for more vectors than a picture holds.
Scene swizzle_diagram(const SwizzleReport& report);

/// The same where nothing accesses the tile: the banks of its vectors alone.
Scene swizzle_diagram(const SwizzleFacts& facts, int64_t vector);

// The picture of a thread-value layout over the tile that it covers.

/// Elements a side: m down, n right.
struct ThreadValueTile {
  int64_t m = 0;
  int64_t n = 0;
};

/// "16x8". Throws a usage error.
ThreadValueTile parse_thread_value_tile(std::string_view text);

/// Mode 0 of `layout` is the thread, mode 1 the value; it maps to m + n * tile.m, as CuTe's atoms
/// do, or with basis strides to (m, n). Elements that several threads or values hold show all of
/// them, elements that none holds are hatched, and what falls outside of the tile is counted.
/// Throws a usage error for other ranks, tiles beyond a picture and threads that do not exist.
Scene thread_value_diagram(const ComposedLayout& layout, ThreadValueTile tile,
                           const OwnershipView& view);

// The bits of an offset under a swizzle: which are read, and which they are XORed into.

/// A row of boxes, the highest bit first; from each bit that is read an arrow goes to the bit that
/// it changes, and a row below has the result. A bracket names the bits that choose the bank of an
/// element. The bits shown are those of `elements`, and all that the swizzle touches.
PageBlock swizzle_bits_block(const Swizzle& swizzle, int element_bytes, int64_t elements);

/// The rows of one period to the right, ranges of columns down: filled where the elements of these
/// columns stay in this row where they were.
PageBlock swizzle_periods_block(const SwizzlePeriods& periods, const SharedTile& tile);

}  // namespace tilewright
