// Run-time arguments of the sm_80 family's kernels; the host fills the same structs.
#pragma once

#include "map/epilogue.cuh"
#include "map/tile_map.cuh"
#include "tools/trace_record.cuh"

namespace tw {

/// D is the epilogue of A B; D and C are m x n with n contiguous.
struct Sm80Args {
  int m = 0;
  int n = 0;
  int k = 0;
  EpilogueArgs epilogue;
  const unsigned short* a = nullptr;
  const unsigned short* b = nullptr;
  long long lda = 0;  // elements between rows of A, of B, of D
  long long ldb = 0;
  long long ldd = 0;
  void* d = nullptr;
  Raster raster;
  TileCoord tiles;               // the grid that the raster walks
  int slices = 1;                // of every tile's k-blocks; neighbours in launch order
  int* counters = nullptr;       // Serial: one per slot, zero before and after the launch
  float* partials = nullptr;     // Serial: one tile of sums per slot; Workspace: slices x m x n
  long long slice_stride = 0;    // Workspace: elements between slices
  TraceRecord* trace = nullptr;  // trace builds: one record per CTA
};

/// Arguments of the kernel that sums the slices of a workspace. A slice is m x n fp32 sums with
/// tight rows; slices lie `slice_stride` elements (a multiple of 4) apart.
struct SliceSumArgs {
  long long elements = 0;  // m * n
  int n = 0;
  int slices = 1;
  const float* partials = nullptr;  // 16-byte aligned
  long long slice_stride = 0;
  EpilogueArgs epilogue;
  void* d = nullptr;
  long long ldd = 0;
  TraceRecord* trace = nullptr;  // one record for the kernel; null: no trace
};

}  // namespace tw
