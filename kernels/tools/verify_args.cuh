// Arguments and results of the verification kernels; the host fills and reads the same structs.
#pragma once

namespace tw {

/// What every byte of D is filled with before a run: a NaN of any type that no arithmetic yields.
inline constexpr int kPoisonByte = 0xFF;

/// A matrix of operands: how far apart neighbours along a line and along k are, elements.
struct Lines {
  const void* data = nullptr;
  long long line_stride = 0;
  long long k_stride = 0;
};

/// Lines `samples` of `left` against all lines of `right`, each k long.
struct ReferenceArgs {
  Lines left;
  Lines right;
  const int* samples = nullptr;
  int sample_count = 0;
  long long right_lines = 0;
  long long k = 0;
  double* sums = nullptr;        // sample_count x right_lines
  double* magnitudes = nullptr;  // likewise: the sums of the terms' absolute values
  double* squares = nullptr;     // and of their squares
};

struct CompareResult {
  double squared_error = 0;
  double squared_norm = 0;
  unsigned long long bad_count = 0;
  unsigned long long first_bad = ~0ULL;  // linear index in D
  unsigned long long untouched_count = 0;
  unsigned long long first_untouched = ~0ULL;
};

/// Sampled rows (or columns) of D, m x n, against their reference.
struct CompareArgs {
  const void* d = nullptr;     // of the output type
  const void* c = nullptr;     // of the addend's type
  const void* bias = nullptr;  // n of that type, or nobody's
  long long n = 0;
  double alpha = 1;
  double beta = 0;
  const int* samples = nullptr;
  int sample_count = 0;
  long long line_length = 0;
  bool lines_are_rows = true;
  const double* sums = nullptr;
  const double* magnitudes = nullptr;
  const double* squares = nullptr;
  int roundings = 1;  // to D's type that an element's sum went through
  CompareResult* result = nullptr;
};

}  // namespace tw
