#include "serve/matrix_view.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

constexpr ArrayType kHalf = {kDlpackFloat, 16, 1};

/// An array with storage for its shape and strides.
struct OwnArray {
  std::array<int64_t, 3> shape = {1, 1, 1};
  std::array<int64_t, 3> strides = {1, 1, 1};
  int ndim = 2;
  uintptr_t begin = 1 << 20;
  ArrayType type = kHalf;

  Array array() const {
    Array made;
    made.data = reinterpret_cast<void*>(begin);
    made.ndim = ndim;
    made.type = type;
    made.shape = shape.data();
    made.strides = strides.data();
    return made;
  }
};

int64_t below(std::mt19937_64& random, int64_t count) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
}

/// Small shapes, and strides that often make rows or columns dense.
OwnArray random_array(std::mt19937_64& random, int ndim) {
  OwnArray made;
  made.ndim = ndim;
  for (size_t i = 0; i < 3; ++i) made.shape[i] = below(random, 5);
  const auto last = static_cast<size_t>(ndim - 1);
  const bool turned = below(random, 2) == 0;
  const size_t inner = turned ? last - 1 : last;
  const size_t outer = turned ? last : last - 1;
  made.strides[inner] = below(random, 5) == 0 ? below(random, 4) : 1;
  made.strides[outer] = std::max<int64_t>(made.shape[inner] + below(random, 3) - 1, 0);
  if (ndim == 3) {
    made.strides[0] = made.shape[outer] * made.strides[outer] + (below(random, 4) == 0 ? 1 : 0);
  }
  made.begin += static_cast<uintptr_t>(2 * below(random, 40));
  return made;
}

/// The offset of an element by a view, in elements.
int64_t place_in(const MatrixView& view, int64_t plane, int64_t row, int64_t column) {
  const int64_t lines = view.rows_are_lines ? view.rows : view.columns;
  const int64_t line = view.rows_are_lines ? row : column;
  const int64_t within = view.rows_are_lines ? column : row;
  return (plane * lines + line) * view.pitch + within;
}

/// True if some view with contiguous rows (or columns) gives every element its place.
bool has_view(const OwnArray& own, bool rows_are_lines) {
  const auto first = static_cast<size_t>(own.ndim - 2);
  const int64_t planes = own.ndim == 3 ? own.shape[0] : 1;
  const int64_t rows = own.shape[first];
  const int64_t columns = own.shape[first + 1];
  const int64_t line = rows_are_lines ? columns : rows;
  // Tries any pitch from the length of a line on.
  for (int64_t pitch = std::max<int64_t>(line, 1); pitch < 60; ++pitch) {
    const MatrixView view{planes, rows, columns, rows_are_lines, pitch};
    bool explains = true;
    for (int64_t p = 0; p < planes; ++p) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          const int64_t place = (own.ndim == 3 ? p * own.strides[0] : 0) + i * own.strides[first] +
                                j * own.strides[first + 1];
          explains = explains && place == place_in(view, p, i, j);
        }
      }
    }
    if (explains) return true;
  }
  return false;
}

std::set<uintptr_t> bytes_of_array(const OwnArray& own) {
  std::set<uintptr_t> bytes;
  const int64_t planes = own.ndim == 3 ? own.shape[0] : 1;
  const auto first = static_cast<size_t>(own.ndim - 2);
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t i = 0; i < own.shape[first]; ++i) {
      for (int64_t j = 0; j < own.shape[first + 1]; ++j) {
        const int64_t place = (own.ndim == 3 ? p * own.strides[0] : 0) + i * own.strides[first] +
                              j * own.strides[first + 1];
        const int64_t width = own.type.bits / 8;
        for (int64_t byte = 0; byte < width; ++byte) {
          bytes.insert(own.begin + static_cast<uintptr_t>(place * width + byte));
        }
      }
    }
  }
  return bytes;
}

TEST_CASE("a view addresses every element, and exists wherever lines have no gaps") {
  std::mt19937_64 random(3);
  int taken = 0;
  int refused = 0;
  for (int trial = 0; trial < 40'000; ++trial) {
    const int ndim = trial % 2 == 0 ? 2 : 3;
    const OwnArray own = random_array(random, ndim);
    const Array array = own.array();
    const bool only_rows = trial % 3 == 0;
    const bool has_one = has_view(own, true) || (!only_rows && has_view(own, false));
    std::optional<MatrixView> view;
    try {
      view = only_rows ? row_matrix_view(array, "x", ndim) : matrix_view(array, "x", ndim);
    } catch (const Error& error) {
      REQUIRE(contains(error.what(), "x: its"));
    }
    CAPTURE(trial);
    REQUIRE(view.has_value() == has_one);
    ++(view ? taken : refused);
    if (!view) continue;
    REQUIRE(view->rows == own.shape[static_cast<size_t>(ndim - 2)]);
    REQUIRE(view->columns == own.shape[static_cast<size_t>(ndim - 1)]);
    REQUIRE(view->pitch >= (view->rows_are_lines ? view->columns : view->rows));
    const auto first = static_cast<size_t>(ndim - 2);
    for (int64_t p = 0; p < view->planes; ++p) {
      for (int64_t i = 0; i < view->rows; ++i) {
        for (int64_t j = 0; j < view->columns; ++j) {
          const int64_t place = (ndim == 3 ? p * own.strides[0] : 0) + i * own.strides[first] +
                                j * own.strides[first + 1];
          REQUIRE(place == place_in(*view, p, i, j));
        }
      }
    }
  }
  CHECK(taken > 8000);
  CHECK(refused > 3000);
}

TEST_CASE("a single column is one line with unit stride, else its rows are lines") {
  OwnArray own;
  own.shape = {7, 1, 1};
  own.strides = {1, 100, 1};
  CHECK(!matrix_view(own.array(), "x", 2).rows_are_lines);
  own.strides = {3, 1, 1};
  const MatrixView view = matrix_view(own.array(), "x", 2);
  CHECK(view.rows_are_lines);
  CHECK(view.pitch == 3);
}

TEST_CASE("another number of dimensions is refused") {
  OwnArray own;
  own.ndim = 3;
  CHECK(error_message_of([&] { matrix_view(own.array(), "bias", 2); }) ==
        "bias has 3 dimensions, and this function takes 2");
}

TEST_CASE("arrays that share a byte overlap; views of one pitch overlap only then") {
  std::mt19937_64 random(4);
  int shared_count = 0;
  int exact_count = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    OwnArray x = random_array(random, 2 + trial % 2);
    OwnArray y = random_array(random, 2);
    if (trial % 5 == 0) y.type.bits = 32;
    const bool are_views = trial % 2 == 0;
    if (are_views) {  // of one matrix with 8 columns
      for (OwnArray* const own : {&x, &y}) {
        own->type = kHalf;
        own->shape = {2 + below(random, 3), 1 + below(random, 8), 1};
        own->strides = {8, 1, 1};
        const int64_t column = below(random, 9 - own->shape[1]);
        own->begin = (1 << 20) + static_cast<uintptr_t>(2 * (8 * below(random, 4) + column));
      }
    }
    const std::set<uintptr_t> of_x = bytes_of_array(x);
    const std::set<uintptr_t> of_y = bytes_of_array(y);
    const bool do_share =
        std::any_of(of_x.begin(), of_x.end(), [&](uintptr_t byte) { return of_y.count(byte) > 0; });
    const bool may = may_overlap(x.array(), y.array());
    CAPTURE(trial);
    if (do_share) REQUIRE(may);
    shared_count += do_share ? 1 : 0;
    if (!are_views || do_share) continue;
    // If their columns meet, arrays that are whole rows apart may be reported as overlapping.
    std::set<uintptr_t> columns;
    for (const uintptr_t byte : of_x) columns.insert(byte % 16);
    const bool columns_meet = std::any_of(
        of_y.begin(), of_y.end(), [&](uintptr_t byte) { return columns.count(byte % 16) > 0; });
    if (!columns_meet) REQUIRE(!may);
    exact_count += columns_meet ? 0 : 1;
  }
  CHECK(shared_count > 1000);
  CHECK(exact_count > 500);
}

}  // namespace
}  // namespace tilewright
