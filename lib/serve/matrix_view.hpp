// The memory layout of the matrices in an array.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "serve/dlpack.hpp"

namespace tilewright {

/// A usage error about the type of an argument instead of its value.
class TypeFault : public Error {
 public:
  explicit TypeFault(const std::string& message) : Error(ExitCode::Usage, message) {}
};

/// One matrix, or several of one size, one after the other.
struct MatrixView {
  int64_t planes = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  bool rows_are_lines = true;  // rows are contiguous; else columns are
  int64_t pitch = 0;           // elements from one line to the next
};

/// The matrices of an array of `ndim` 2 or 3; the first of 3 dimensions counts the matrices. Throws
/// a usage error that begins with `name` if neither rows nor columns are contiguous, lines overlap,
/// or there are gaps between matrices.
MatrixView matrix_view(const Array& array, const char* name, int ndim);

/// The same, but the rows must be contiguous.
MatrixView row_matrix_view(const Array& array, const char* name, int ndim);

/// The address of the first element; NULL for an array without elements, since nothing reads it.
void* first_element(const Array& array);

/// Elements from one index to the next along a dimension.
int64_t stride_of(const Array& array, int dimension);

int64_t element_count(const Array& array);

/// True if two arrays on one device may have a byte in common. Exact for matrices with equal row
/// pitches, for example two column ranges of one matrix; otherwise compares ranges of addresses.
bool may_overlap(const Array& x, const Array& y);

}  // namespace tilewright
