// All constants of a kernel of the skinny family: the kernel is specialised on them; the legality
// rules, the launcher and the model call the same functions.
#pragma once

#include "map/element_type.cuh"
#include "map/epilogue.cuh"

namespace tw {

struct SkinnyParams {
  int cta_m = 8;    // rows of D: all of them, 8 or 16
  int cta_n = 16;   // columns of D (lines of B) per CTA, 16 or 32
  int cta_k = 128;  // depth of one batch of a warp's loads, elements
  int stages = 2;   // batches that a warp holds in registers: one is multiplied, the others arrive
  int k_warps = 4;  // warps of a CTA, which take batches in turn
  ElementType element = ElementType::BF16;
  ElementType output = ElementType::BF16;
  bool split = false;  // slices of k in separate CTAs; the last one to arrive sums them
  EpilogueParams epilogue = {};
  bool operator==(const SkinnyParams&) const = default;

  /// Calls visit(name, value) for every constant, in order; the host writes a kernel's text from
  /// these calls.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("cta_m", cta_m);
    visit("cta_n", cta_n);
    visit("cta_k", cta_k);
    visit("stages", stages);
    visit("k_warps", k_warps);
    visit("element", element);
    visit("output", output);
    visit("split", split);
    visit("epilogue", epilogue);
  }

  static constexpr int kWarpThreads = 32;
  static constexpr int kLoadElements = 8;  // 16 bytes per lane
  static constexpr int kLoadDepth = 32;    // along k: the four lanes that share a line
  static constexpr int kMmaN = 16;         // lines of B are the rows of the mma's A operand
  static constexpr int kMmaM = 8;

  constexpr int threads() const { return k_warps * kWarpThreads; }
  /// The line of B for a column of the sums, which have `columns`.
  constexpr int b_line(int column, int columns) const {
    return epilogue.stacked ? stacked_column(column, columns) : column;
  }
  constexpr int line_tiles() const { return cta_n / kMmaN; }
  constexpr int row_tiles() const { return cta_m / kMmaM; }
  constexpr int loads() const { return cta_k / kLoadDepth; }
  /// Registers of one batch: 16-byte words of B and of A.
  constexpr int batch_registers() const { return (2 * line_tiles() + row_tiles()) * loads() * 4; }
  constexpr int accumulator_registers() const { return 4 * line_tiles() * row_tiles(); }
  /// Registers per thread: the usual number, and the most.
  constexpr int usual_registers() const {
    return stages * batch_registers() + accumulator_registers() + 6 * stages + 4;
  }
  constexpr int most_registers() const {
    return stages * batch_registers() + accumulator_registers() + 48;
  }
  /// Bytes of B that a warp has in flight while the multiplication waits for them.
  constexpr int warp_bytes_in_flight() const { return stages * cta_n * cta_k * 2; }
  /// Static shared memory: the warps' sums.
  constexpr int smem_bytes() const { return k_warps * cta_m * cta_n * 4; }
};

/// Run-time arguments of the skinny family's kernel; the host fills the same struct. D is the
/// epilogue of A B with few rows: A is m x k and B n x k, both with k contiguous and a multiple of
/// 8; D and C are m x n.
struct SkinnyArgs {
  int m = 0;
  int n = 0;
  int k = 0;
  int slices = 1;
  const unsigned short* a = nullptr;  // 16-byte aligned, like b
  const unsigned short* b = nullptr;
  long long lda = 0;  // elements between rows of A, of B, of D; for A and B multiples of 8
  long long ldb = 0;
  long long ldd = 0;
  EpilogueArgs epilogue;
  void* d = nullptr;
  int* counters = nullptr;    // one per tile of columns, zero before and after the launch
  float* partials = nullptr;  // slices x m x n
};

}  // namespace tw
