// The placement of one product's matrices in memory.
#pragma once

#include <cstdint>

#include "tile/workload/problem.hpp"

namespace tilewright {

/// `pitch`: elements from one row to the next (0: rows are tight). `alignment`: of the first row's
/// address, bytes, a power of two up to 16.
struct MatrixPlace {
  int64_t pitch = 0;
  int alignment = 16;
  bool operator==(const MatrixPlace&) const = default;
};

/// In a rank-k update A and B are those of the product of its full square. C is placed like D by
/// default.
struct OperandPlaces {
  MatrixPlace a = {};
  MatrixPlace b = {};
  MatrixPlace c = {};
  MatrixPlace d = {};
  bool operator==(const OperandPlaces&) const = default;
};

/// Elements from one row of A, B, C and D to the next.
struct Pitches {
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
  int64_t d = 0;
};
Pitches pitches_of(const Problem& problem, const OperandPlaces& places);

/// True where TMA can address rows with this pitch: the pitch in bytes and the first address must
/// be multiples of 16.
bool tma_rows(int64_t pitch, DataType type, int alignment = 16);

/// The operands that are copied to padded rows before a TMA kernel loads them, because TMA cannot
/// address them.
struct Repacked {
  bool a = false;
  bool b = false;
  bool operator==(const Repacked&) const = default;
};
Repacked repacked_operands(const Problem& problem, const OperandPlaces& places = {});

}  // namespace tilewright
