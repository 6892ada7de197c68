// What the kernel that sums the slices of a workspace is told; the host fills the same struct.
#pragma once

namespace tw {

/// Slices of fp32 sums, each m x n with tight rows, `slice_stride` (a multiple of 4) elements
/// apart.
struct SliceSumArgs {
  long long elements = 0;  // m * n
  int n = 0;
  int slices = 1;
  const float* partials = nullptr;  // 16-byte aligned
  long long slice_stride = 0;
  float alpha = 1;
  float beta = 0;
  const unsigned short* c = nullptr;
  const unsigned short* bias = nullptr;
  void* d = nullptr;
};

}  // namespace tw
