#include "serve/matrix_view.hpp"

#include "base/text.hpp"

namespace tilewright {
namespace {

int64_t element_bytes(const Array& array) {
  return (int64_t{array.type.bits} * array.type.lanes + 7) / 8;
}

// Bytes from the first element to the end of the last, over the dimensions from `from` on.
int64_t extent_bytes(const Array& array, int from) {
  int64_t elements = 1;
  for (int i = from; i < array.ndim; ++i) {
    elements += (array.shape[i] - 1) * stride_of(array, i);
  }
  return elements * element_bytes(array);
}

bool has_negative_stride(const Array& array) {
  for (int i = 0; i < array.ndim; ++i) {
    if (array.shape[i] > 1 && stride_of(array, i) < 0) return true;
  }
  return false;
}

// The row pitch, bytes, of a matrix with contiguous rows; 0 for other arrays.
int64_t row_pitch(const Array& array) {
  const bool is_matrix = array.ndim == 2 && array.shape[0] > 1 &&
                         (array.shape[1] == 1 || stride_of(array, 1) == 1) &&
                         stride_of(array, 0) >= array.shape[1];
  return is_matrix ? stride_of(array, 0) * element_bytes(array) : 0;
}

[[noreturn]] void refuse_strides(const Array& array, const char* name, int first) {
  throw usage_error(
      format("{}: its rows are {} elements apart and its columns {}; one of the two must be 1 and "
             "the other at least the length of a line: copy it to a matrix without gaps",
             name, stride_of(array, first), stride_of(array, first + 1)));
}

void require_ndim(const Array& array, const char* name, int ndim) {
  if (array.ndim == ndim) return;
  throw usage_error(
      format("{} has {} dimensions, and this function takes {}", name, array.ndim, ndim));
}

MatrixView view_of_lines(const Array& array, const char* name, bool rows_are_lines) {
  const int first = array.ndim - 2;
  MatrixView view;
  view.planes = first == 0 ? 1 : array.shape[0];
  view.rows = array.shape[first];
  view.columns = array.shape[first + 1];
  view.pitch = view.columns;
  if (element_count(array) == 0) return view;
  view.rows_are_lines = rows_are_lines;
  const int64_t line = rows_are_lines ? view.columns : view.rows;
  const int64_t line_count = rows_are_lines ? view.rows : view.columns;
  const int64_t inner = stride_of(array, rows_are_lines ? first + 1 : first);
  const int64_t outer = stride_of(array, rows_are_lines ? first : first + 1);
  if (line > 1 && inner != 1) refuse_strides(array, name, first);
  view.pitch = line_count > 1 ? outer : line;
  if (view.planes > 1) {
    const int64_t plane = stride_of(array, 0);
    if (line_count == 1) view.pitch = plane;
    if (plane != view.pitch * line_count) {
      throw usage_error(format(
          "{}: its matrices begin {} elements apart and have {} elements; they must be contiguous",
          name, plane, view.pitch * line_count));
    }
  }
  if (view.pitch < line) refuse_strides(array, name, first);
  return view;
}

}  // namespace

int64_t stride_of(const Array& array, int dimension) {
  if (array.strides != nullptr) return array.strides[dimension];
  int64_t stride = 1;
  for (int i = dimension + 1; i < array.ndim; ++i) stride *= array.shape[i];
  return stride;
}

int64_t element_count(const Array& array) {
  int64_t count = 1;
  for (int i = 0; i < array.ndim; ++i) count *= array.shape[i];
  return count;
}

void* first_element(const Array& array) {
  if (array.data == nullptr || element_count(array) == 0) return nullptr;
  return static_cast<char*>(array.data) + array.byte_offset;
}

MatrixView matrix_view(const Array& array, const char* name, int ndim) {
  require_ndim(array, name, ndim);
  const int64_t rows = array.shape[ndim - 2];
  const int64_t columns = array.shape[ndim - 1];
  // A single row or column is one line if it is contiguous, else many lines of one element.
  const bool rows_are_lines =
      columns == 1 ? rows == 1 || stride_of(array, ndim - 2) != 1 : stride_of(array, ndim - 1) == 1;
  return view_of_lines(array, name, rows_are_lines);
}

MatrixView row_matrix_view(const Array& array, const char* name, int ndim) {
  require_ndim(array, name, ndim);
  return view_of_lines(array, name, true);
}

bool may_overlap(const Array& x, const Array& y) {
  const char* const x_begin = static_cast<const char*>(first_element(x));
  const char* const y_begin = static_cast<const char*>(first_element(y));
  if (x_begin == nullptr || y_begin == nullptr) return false;
  if (has_negative_stride(x) || has_negative_stride(y)) return true;
  if (x_begin + extent_bytes(x, 0) <= y_begin || y_begin + extent_bytes(y, 0) <= x_begin) {
    return false;
  }
  const int64_t pitch = row_pitch(x);
  if (pitch == 0 || pitch != row_pitch(y)) return true;
  // The offset of y's lines within those of x.
  const int64_t distance = ((y_begin - x_begin) % pitch + pitch) % pitch;
  return distance < extent_bytes(x, 1) || distance + extent_bytes(y, 1) > pitch;
}

}  // namespace tilewright
