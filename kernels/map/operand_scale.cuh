// Factors of an 8-bit operand: one record per form, read by host and kernels.
//
// A line is a row of A or a column of B. Scales are fp32 numbers in device memory.
#pragma once

namespace tw {

/// The elements of an operand that share a scale.
enum class ScaleForm : int {
  None,
  Tensor,  // all
  Line,    // one line
  Vector,  // 1 line x 128 of K
  Block,   // 128 lines x 128 of K
};

/// A form, and the order of its scales in memory.
enum class OperandScale : int {
  None,
  Tensor,
  Line,
  Vector,        // the scales of one 128 of K lie together, in a multiple of 4
  VectorAlongK,  // the scales of one line lie together
  Block,         // the scales of 128 lines lie together
  BlockPadded,   // likewise, in a multiple of 4
};

/// Elements of K, and lines, that one scale of a Vector or a Block covers.
inline constexpr int kScaleBlock = 128;

struct ScaleRecord {
  OperandScale scale;
  ScaleForm form;
  const char* of_a;     // as --scale-a spells it; empty: A has no such scales
  const char* of_b;     // as --scale-b spells it
  const char* other;    // a second accepted spelling
  const char* meaning;  // the elements that a scale covers, and the order of the scales
  bool along_k;         // the scales of one line, or of 128 lines, lie together
  int padding;          // the scales that lie together fill a multiple of this
};

inline constexpr ScaleRecord kScales[] = {
    {OperandScale::None, ScaleForm::None, "", "", "", "", false, 1},
    {OperandScale::Tensor, ScaleForm::Tensor, "tensor", "tensor", "", "the whole operand", false,
     1},
    {OperandScale::Line, ScaleForm::Line, "row", "column", "",
     "one line: a row of A, a column of B", false, 1},
    {OperandScale::Vector, ScaleForm::Vector, "block:1x128", "block:1x128", "block:1x128@mn",
     "128 of K in one line; those of one k-block lie together, in a multiple of 4", false, 4},
    {OperandScale::VectorAlongK, ScaleForm::Vector, "block:1x128@k", "block:1x128@k", "",
     "128 of K in one line; those of one line lie together", true, 1},
    {OperandScale::Block, ScaleForm::Block, "", "block:128x128", "",
     "128 columns by 128 of K; those of the same columns lie together", true, 1},
    {OperandScale::BlockPadded, ScaleForm::Block, "", "block:128x128@k4", "",
     "128 columns by 128 of K; those of the same columns lie together, in a multiple of 4", true,
     4},
};

constexpr const ScaleRecord& record_of(OperandScale scale) {
  for (const ScaleRecord& record : kScales) {
    if (record.scale == scale) return record;
  }
  return kScales[0];
}

constexpr ScaleForm form_of(OperandScale scale) {
  return record_of(scale).form;
}

/// True where K has more than one scale: a kernel scales the sums of every 128 of K on their own.
constexpr bool has_k_blocks(ScaleForm form) {
  return form == ScaleForm::Vector || form == ScaleForm::Block;
}

/// Lines that one scale covers; 0: all.
constexpr int lines_per_scale(ScaleForm form) {
  return form == ScaleForm::None || form == ScaleForm::Tensor ? 0
         : form == ScaleForm::Block                           ? kScaleBlock
                                                              : 1;
}

/// How far the tensor cores' sums grow before fp32 additions in registers continue them: 8-bit
/// products are summed with some 14 bits.
enum class Accumulation : int {
  Fast,      // over all of K
  Promoted,  // over 128 of K
};

inline constexpr const char* kAccumulations[] = {"fast", "promoted"};

/// Scales of one operand: scale (i, j, p), of line or 128 lines i, k-block j and problem p, is
/// data[i line + j k + p problem].
struct ScaleArgs {
  const float* data = nullptr;
  long long line = 0;
  long long k = 0;
  long long problem = 0;
};

/// The scales of a kernel's A and B; with swap_ab those of the problem's B and A.
struct OperandScales {
  ScaleArgs a;
  ScaleArgs b;
};

}  // namespace tw
