// How the matrices of one product lie in memory.
#pragma once

#include <cstdint>

#include "tile/workload/problem.hpp"

namespace tilewright {

/// Elements from one row to the next (0: rows are tight), and what the address of the first one is
/// a multiple of, bytes: a power of two up to 16.
struct MatrixPlace {
  int64_t pitch = 0;
  int alignment = 16;
  bool operator==(const MatrixPlace&) const = default;
};

/// Of a rank-k update A and B alike are of the square that it is part of; C lies as D where nothing
/// else is said.
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

/// True where TMA addresses rows that lie so far apart: multiples of 16 bytes, as the first one's
/// address is.
bool tma_rows(int64_t pitch, DataType type, int alignment = 16);

/// Which operands are copied to padded rows before a TMA kernel loads them: those that TMA cannot
/// address.
struct Repacked {
  bool a = false;
  bool b = false;
  bool operator==(const Repacked&) const = default;
};
Repacked repacked_operands(const Problem& problem, const OperandPlaces& places = {});

}  // namespace tilewright
