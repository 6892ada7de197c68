// How the matrices of an array lie in memory.
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

/// One matrix, or several of one size that lie one behind the other.
struct MatrixView {
  int64_t planes = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  bool rows_are_lines = true;  // the elements of a row lie side by side, else those of a column
  int64_t pitch = 0;           // elements from a line to the next
};

/// The matrices of an array of `rank` 2 or 3 dimensions, of which a third one comes first. Throws a
/// usage error that begins with `name` where neither rows nor columns lie without gaps, lines
/// overlap, or planes do not lie one behind the other.
MatrixView matrix_view(const Array& array, const char* name, int rank);

/// The same of matrices whose rows have to be the lines.
MatrixView row_matrix_view(const Array& array, const char* name, int rank);

/// The first element; NULL of an array without elements, whose address nothing reads.
void* first_element(const Array& array);

/// Elements from one to the next along a dimension.
int64_t stride_of(const Array& array, int dimension);

int64_t element_count(const Array& array);

/// True where two arrays on one device may have a byte in common. Exact for views of matrices whose
/// rows have one pitch, as of two column ranges of one matrix; else by the ranges of addresses.
bool may_overlap(const Array& x, const Array& y);

}  // namespace tilewright
