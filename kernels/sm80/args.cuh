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
  int* counters = nullptr;       // Serial: one a slot, zero before and after the launch
  float* partials = nullptr;     // Serial: a tile of sums a slot; Workspace: slices x m x n
  long long slice_stride = 0;    // Workspace: elements between slices
  TraceRecord* trace = nullptr;  // one record a CTA, of trace builds
};

/// Arguments of the kernel that sums the slices of a workspace.
/// Slices of fp32 sums, each m x n with tight rows, `slice_stride` (a multiple of 4) elements
/// apart.
struct SliceSumArgs {
  long long elements = 0;  // m * n
  int n = 0;
  int slices = 1;
  const float* partials = nullptr;  // 16-byte aligned
  long long slice_stride = 0;
  EpilogueArgs epilogue;
  void* d = nullptr;
  long long ldd = 0;
  TraceRecord* trace = nullptr;  // the kernel's; null: none is kept
};

}  // namespace tw
