#include "serve/scale_array.hpp"

#include <algorithm>
#include <string>

#include "base/math.hpp"
#include "base/text.hpp"
#include "map/operand_scale.cuh"
#include "serve/matrix_view.hpp"
#include "serve/shipped_names.hpp"

namespace tilewright {
namespace {

constexpr int64_t kTogether = tw::record_of(tw::OperandScale::Vector).padding;

int64_t blocks_of(int64_t size) {
  return ceil_div(size, int64_t{tw::kScaleBlock});
}

bool is_one(const Array* array) {
  return array == nullptr || element_count(*array) == 1;
}

[[noreturn]] void refuse_shape(const char* name, const MatrixView& view, const std::string& known) {
  throw usage_error(format("{} is {} x {}, and it must have one element or be {}", name, view.rows,
                           view.columns, known));
}

[[noreturn]] void refuse_pitch(const char* name, const MatrixView& view, const std::string& known) {
  throw usage_error(format("{}: its {} are {} elements apart, and they must be {}", name,
                           view.rows_are_lines ? "rows" : "columns", view.pitch, known));
}

void require_pitch(const char* name, const MatrixView& view, int64_t pitch) {
  const int64_t lines = view.planes * (view.rows_are_lines ? view.rows : view.columns);
  if (lines > 1 && view.pitch != pitch) refuse_pitch(name, view, format("{}", pitch));
}

// The form of scales for blocks of 128 columns; the k-blocks of each lie together.
int32_t form_of_blocks(const char* name, const MatrixView& view, int64_t blocks) {
  const int64_t padded = round_up(blocks, kTogether);
  if (view.rows_are_lines) return SHIPPED_SCALE_128X128;  // of a single k-block
  if (view.pitch == padded && padded != blocks) return SHIPPED_SCALE_128X128_K4;
  if (view.columns * view.planes > 1 && view.pitch != blocks) {
    refuse_pitch(name, view, format("{} or {}", blocks, padded));
  }
  return SHIPPED_SCALE_128X128;
}

// The form of B's scales; `rows_of_a`: those of A are rather of rows than of blocks.
int32_t form_of_b(const ScaledSizes& sizes, const Array& array, bool rows_of_a) {
  const char* const name = "scale_b";
  const MatrixView view = matrix_view(array, name, sizes.groups > 0 ? 3 : 2);
  const int64_t blocks = blocks_of(sizes.k);
  const int64_t wide_blocks = blocks_of(sizes.n);
  const bool has_groups = view.planes == std::max<int64_t>(sizes.groups, 1);
  const bool has_columns = has_groups && view.columns == sizes.n;
  if (has_columns && rows_of_a && view.rows == 1) {
    require_pitch(name, view, view.rows_are_lines ? sizes.n : 1);
    return SHIPPED_SCALE_LINE;
  }
  const bool along_k = !view.rows_are_lines || view.rows == 1;
  if (has_groups && view.rows == blocks && view.columns == wide_blocks && along_k) {
    return form_of_blocks(name, view, blocks);
  }
  if (has_columns && view.rows == blocks) {
    require_pitch(name, view, view.rows_are_lines ? round_up(sizes.n, kTogether) : blocks);
    return view.rows_are_lines ? SHIPPED_SCALE_1X128 : SHIPPED_SCALE_1X128_K;
  }
  refuse_shape(
      name, view,
      format("1 x {}, {} x {} or, with contiguous columns, {} x {}{}", sizes.n, blocks, sizes.n,
             blocks, wide_blocks, sizes.groups > 0 ? format(", {} times", sizes.groups) : ""));
}

int32_t form_of_a(const ScaledSizes& sizes, const Array& array, bool is_line) {
  const char* const name = "scale_a";
  const MatrixView view = matrix_view(array, name, 2);
  const int64_t blocks = blocks_of(sizes.k);
  if (view.rows != sizes.m || view.columns != (is_line ? 1 : blocks)) {
    refuse_shape(name, view,
                 is_line ? format("{} x 1", sizes.m) : format("{} x {}", sizes.m, blocks));
  }
  if (is_line) {
    require_pitch(name, view, view.rows_are_lines ? 1 : sizes.m);
    return SHIPPED_SCALE_LINE;
  }
  require_pitch(name, view, view.rows_are_lines ? blocks : round_up(sizes.m, kTogether));
  return view.rows_are_lines ? SHIPPED_SCALE_1X128_K : SHIPPED_SCALE_1X128;
}

}  // namespace

ScaleForms scale_forms(const ScaledSizes& sizes, const Array* a, const Array* b) {
  if (is_one(a) && is_one(b)) return {};
  if (a == nullptr || b == nullptr) {
    throw usage_error(format("{} is missing: scales of parts of the other operand need it",
                             a == nullptr ? "scale_a" : "scale_b"));
  }
  const bool rows_of_a = a->ndim == 2 && a->shape[1] == 1;
  ScaleForms forms;
  forms.b = form_of_b(sizes, *b, rows_of_a);
  forms.a = form_of_a(sizes, *a, forms.b == SHIPPED_SCALE_LINE);
  return forms;
}

}  // namespace tilewright
