// Arguments and results of the verification kernels; the host fills and reads the same structs.
#pragma once

namespace tw {

/// What D is filled with before a run, in every 16-bit element: a NaN of either type.
inline constexpr unsigned short kPoison = 0xFFFF;

/// Rows `samples` of `left` (k wide) against all rows of `right` (right_rows x k).
struct ReferenceArgs {
  const unsigned short* left = nullptr;
  const unsigned short* right = nullptr;
  const int* samples = nullptr;
  int sample_count = 0;
  long long right_rows = 0;
  long long k = 0;
  double* sums = nullptr;        // sample_count x right_rows
  double* magnitudes = nullptr;  // likewise: the sums of the terms' absolute values
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
  const unsigned short* d = nullptr;
  const unsigned short* c = nullptr;
  long long n = 0;
  double alpha = 1;
  double beta = 0;
  const int* samples = nullptr;
  int sample_count = 0;
  long long line_length = 0;
  bool lines_are_rows = true;
  const double* sums = nullptr;
  const double* magnitudes = nullptr;
  CompareResult* result = nullptr;
};

}  // namespace tw
