// Run-time arguments of the sm_90a family's kernels; the host fills the same structs.
#pragma once

#include "map/epilogue.cuh"
#include "map/own_problems.cuh"
#include "map/packed_rows.cuh"
#include "map/tile_map.cuh"
#include "map/work_units.cuh"
#include "tools/trace_record.cuh"

namespace tw {

/// What a CTA multiplies first: its own tile and k-steps; none where it has no unit in the grid.
struct FirstUnit {
  TileCoord tile;
  Span<int> k;
};

/// CTAs whose first unit the host works out: as many as the largest device runs at once. Divisions,
/// and the fetching of their code, would come before a launch's first load.
inline constexpr int kFirstUnits = 144;

/// By CTA of the launch.
struct FirstUnits {
  FirstUnit of_cta[kFirstUnits];
};

/// D is the epilogue of A B on tiles of m x n; in a swapped kernel (Sm90Params::swapped)
/// tile rows are columns of D and C. m and n are of the sums: a gated D has half their columns.
struct GemmArgs {
  int m = 0;
  int n = 0;
  int k = 0;
  EpilogueArgs epilogue;
  void* d = nullptr;  // of kernels with Sm90Params::direct_store
  long long ldd = 0;  // elements between rows of D
  Raster raster;
  TileCoord clusters;
  LaunchWork<int> work;          // its slots are the map's
  float* partials = nullptr;     // of divided tiles: their parts' sums
  unsigned* turns = nullptr;     // of divided tiles: how many parts have added theirs
  TraceRecord* trace = nullptr;  // of trace builds: by turn of a worker, worker, CTA of the cluster
  int phase_steps = 0;           // of kernels with Sm90Params::triangular: k-steps of one phase
  int plane = 0;                 // of D, of a unit's second one
};

/// What a launch of many problems is told beside it, of kernels with Sm90Params::grouping: of those
/// that lie packed, as map/packed_rows.cuh says, offsets and shape, else a list and its maps.
struct GroupArgs {
  // problems + 1 rows, on the device; Sm90Params::long_offsets. The first is 0, and read by kernels
  // with Grouping::Table alone.
  const void* offsets = nullptr;
  int problems = 0;
  PackedShape shape;
  const OwnProblem* own = nullptr;      // Sm90Params::own_sizes: of every problem
  const void* maps = nullptr;           // Sm90Params::own_maps() tensor maps of each
  const TableEntry* entries = nullptr;  // Grouping::Table: of all workers, problems as they lie
  const int* first_entry = nullptr;     // workers + 1
  unsigned* counter = nullptr;          // Grouping::Counter: zero before a launch and after it
};

/// A problem as a caller describes it in the device's memory.
struct ProblemEntry {
  int m = 0;
  int n = 0;
  int k = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  const unsigned short* c = nullptr;
  void* d = nullptr;
};

/// Arguments of the kernel that lists a group's problems: the host launches it first where the
/// sizes are in device memory.
struct ListArgs {
  static constexpr int kThreads = 128;
  const ProblemEntry* entries = nullptr;  // by the user's numbers
  const void* depths = nullptr;  // or of Sm90Params::long_offsets: problems + 1 rows of all K
  ProblemEntry all;              // with them: the shared sizes, and where the first ones begin
  const int* order = nullptr;    // by place in scheduling order; null: as given
  int problems = 0;
  Raster raster;
  OwnProblem* list = nullptr;
  void* maps = nullptr;  // Sm90Params::own_maps() of each, to be written
};

/// Arguments of the workspace reduction's second kernel: those of the first one, and its launch.
struct ReduceArgs {
  GemmArgs gemm;
  int workers = 0;  // clusters of the first kernel's launch
  int groups = 1;   // of warps that share the parts of their quads out
  int spans = 1;    // of 32 quads a block sums, each by as many warps as there are groups
  TraceRecord* trace = nullptr;  // the kernel's, of trace builds
};

/// Arguments of the kernel that copies operands to rows that TMA can address. `rows` x `columns`
/// 16-bit elements, `from_pitch` apart at `from`; at `to` rows are `pitch` elements apart, a
/// multiple of 8, and end in zeros.
struct RepackMatrix {
  const unsigned short* from = nullptr;
  unsigned short* to = nullptr;
  long long rows = 0;
  long long columns = 0;
  long long from_pitch = 0;
  long long pitch = 0;
};

/// A and B, of which one may be absent (no rows).
struct RepackArgs {
  RepackMatrix matrices[2];
};

}  // namespace tw
