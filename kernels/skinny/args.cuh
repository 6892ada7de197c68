// What a launch of the skinny family is told at run time; the host fills the same struct.
#pragma once

namespace tw {

/// D = alpha * A B + beta * C + bias with few rows: A m x k, B n x k, both with k contiguous and a
/// multiple of 8; D, C m x n.
struct SkinnyArgs {
  int m = 0;
  int n = 0;
  int k = 0;
  int slices = 1;
  const unsigned short* a = nullptr;  // 16-byte aligned, like b
  const unsigned short* b = nullptr;
  float alpha = 1;
  float beta = 0;
  const unsigned short* c = nullptr;
  const unsigned short* bias = nullptr;
  void* d = nullptr;
  int* counters = nullptr;    // one a tile of columns, zero before and after the launch
  float* partials = nullptr;  // slices x m x n
};

}  // namespace tw
