// All constants of a kernel of the sm_80 family: the kernel is specialised on them; the legality
// rules, the launcher and the predictions of bank conflicts call the same functions.
#pragma once

#include "map/element_type.cuh"
#include "map/epilogue.cuh"
#include "map/raster.cuh"

namespace tw {

enum class SmemKind : int {
  Fitted,   // each operand has the swizzle that fits its row length: no bank conflicts
  Swizzle,  // Swizzle<bits, base, shift> of the element offset, for both operands
  Pad,      // `pad` elements between rows; with 0, plain rows
};

/// The arrangement of the rows of a stage's operand tiles in shared memory; units are elements.
struct SmemArrangement {
  SmemKind kind = SmemKind::Fitted;
  int bits = 0;
  int base = 0;
  int shift = 0;
  int pad = 0;
  bool operator==(const SmemArrangement&) const = default;

  /// Calls visit(name, value) for every constant, in order; the host writes a kernel's text from
  /// these calls.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("kind", kind);
    visit("bits", bits);
    visit("base", base);
    visit("shift", shift);
    visit("pad", pad);
  }
};

/// Trailing zero bits; 0 for 0.
constexpr int trailing_zeros(int value) {
  int count = 0;
  while (value > 0 && value % 2 == 0) {
    value /= 2;
    ++count;
  }
  return count;
}

/// One operand's part of a stage: `rows` rows of `row_length` contiguous elements. A row runs along
/// k, or along m (n) where that is the operand's contiguous dimension.
struct StageTile {
  int rows = 0;
  int row_length = 0;
  SmemArrangement smem = {};  // never Fitted

  constexpr int stride() const { return row_length + smem.pad; }
  constexpr int elements() const { return rows * stride(); }

  /// Offset of an element in the tile, elements.
  constexpr int offset(int row, int column) const {
    const int plain = row * stride() + column;
    if (smem.bits == 0) return plain;
    const int mask = ((1 << smem.bits) - 1) << (smem.base + (smem.shift > 0 ? smem.shift : 0));
    const int read = plain & mask;
    return plain ^ (smem.shift >= 0 ? read >> smem.shift : read << -smem.shift);
  }

  /// Offsets that differ by a multiple of the period are swizzled alike.
  constexpr int period() const {
    const int reach = smem.bits + smem.base + (smem.shift < 0 ? -smem.shift : smem.shift);
    return smem.bits == 0 ? 1 : 1 << reach;
  }
};

/// The swizzle that puts eight rows of 16 bytes in different banks: it XORs the lowest row bits
/// that leave the bank unchanged into the position of the 16-byte chunk. A row length is 2^j * odd,
/// j >= 3.
constexpr SmemArrangement fitted_swizzle(int row_length) {
  const int j = trailing_zeros(row_length);
  const int chunk = 3;  // log2 of the elements of 16 bytes
  const int bits = j - chunk < 3 ? j - chunk : 3;
  return {.kind = SmemKind::Swizzle,
          .bits = bits,
          .base = chunk,
          .shift = j - chunk < 3 ? 3 : j - chunk};
}

/// A row and a column of the tile.
struct TilePlace {
  int row = 0;
  int column = 0;
};

/// How the parts of a divided tile are summed.
enum class SplitKMode : int {
  None,       // a CTA computes whole tiles
  Serial,     // turnstile: slice after slice adds to the tile's fp32 sums in the workspace
  Workspace,  // every slice stores its own sums; another kernel adds them
};

struct Sm80Params {
  int cta_m = 128;
  int cta_n = 128;
  int cta_k = 32;
  int warps_m = 2;  // warps along the tile's rows, along its columns
  int warps_n = 2;
  int stages = 3;
  SmemArrangement smem = {};
  ElementType element = ElementType::BF16;
  ElementType output = ElementType::BF16;
  bool a_k_major = true;
  bool b_k_major = true;
  int a_copy_bytes = 16;  // one copy's width: 16, 8, 4 with cp.async, 2 with plain loads
  int b_copy_bytes = 16;
  RasterFamily rasters = RasterFamily::Plain;
  SplitKMode split = SplitKMode::None;
  EpilogueParams epilogue = {};
  bool trace = false;
  bool operator==(const Sm80Params&) const = default;

  /// Calls visit(name, value) for every constant, in order; the host writes a kernel's text from
  /// these calls.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("cta_m", cta_m);
    visit("cta_n", cta_n);
    visit("cta_k", cta_k);
    visit("warps_m", warps_m);
    visit("warps_n", warps_n);
    visit("stages", stages);
    visit("smem", smem);
    visit("element", element);
    visit("output", output);
    visit("a_k_major", a_k_major);
    visit("b_k_major", b_k_major);
    visit("a_copy_bytes", a_copy_bytes);
    visit("b_copy_bytes", b_copy_bytes);
    visit("rasters", rasters);
    visit("split", split);
    visit("epilogue", epilogue);
    visit("trace", trace);
  }

  static constexpr int kElementBytes = 2;
  static constexpr int kWarpThreads = 32;
  static constexpr int kMmaM = 16;
  static constexpr int kMmaN = 8;
  static constexpr int kMmaK = 16;

  constexpr int threads() const { return warps_m * warps_n * kWarpThreads; }
  constexpr int warp_m() const { return cta_m / warps_m; }
  constexpr int warp_n() const { return cta_n / warps_n; }
  /// mma tiles of a warp along m and along n, and mma steps of a stage along k.
  constexpr int mma_rows() const { return warp_m() / kMmaM; }
  constexpr int mma_columns() const { return warp_n() / kMmaN; }
  constexpr int mma_steps() const { return cta_k / kMmaK; }
  /// fp32 sums per thread.
  constexpr int accumulator_registers() const { return warp_m() * warp_n() / kWarpThreads; }

  constexpr SmemArrangement arrangement(int row_length) const {
    return smem.kind == SmemKind::Fitted ? fitted_swizzle(row_length) : smem;
  }
  constexpr StageTile a_tile() const {
    const int length = a_k_major ? cta_k : cta_m;
    return {a_k_major ? cta_m : cta_k, length, arrangement(length)};
  }
  constexpr StageTile b_tile() const {
    const int length = b_k_major ? cta_k : cta_n;
    return {b_k_major ? cta_n : cta_k, length, arrangement(length)};
  }
  constexpr int a_stage_bytes() const { return a_tile().elements() * kElementBytes; }
  constexpr int b_stage_bytes() const { return b_tile().elements() * kElementBytes; }
  constexpr int stage_bytes() const { return a_stage_bytes() + b_stage_bytes(); }
  /// Dynamic shared memory of the launch.
  constexpr int smem_bytes() const { return stages * stage_bytes(); }

  /// The 16 bytes that lane `lane` addresses for ldmatrix.x4 of rows [line, line + 16) of A and k
  /// in [k, k + 16).
  constexpr TilePlace a_matrix_row(int lane, int line, int k) const {
    if (a_k_major) return {line + lane % 16, k + lane / 16 * 8};
    return {k + lane % 8 + lane / 16 * 8, line + lane / 8 % 2 * 8};
  }
  /// The same for columns [line, line + 16) of B.
  constexpr TilePlace b_matrix_row(int lane, int line, int k) const {
    if (b_k_major) return {line + lane % 8 + lane / 16 * 8, k + lane / 8 % 2 * 8};
    return {k + lane % 16, line + lane / 16 * 8};
  }
};

/// The turnstile keeps a tile's fp32 sums thread by thread, in vectors of this many.
inline constexpr int kPartialVector = 4;

/// The most tiles of a divided launch: each has a counter in the workspace, zero between launches.
inline constexpr int kMaxSplitTiles = 16384;

}  // namespace tw
