// Run-time arguments of the sm_90a family's kernels; the host fills the same structs.
#pragma once

#include "map/epilogue.cuh"
#include "map/grouped_problems.cuh"
#include "map/packed_rows.cuh"
#include "map/peer_blocks.cuh"
#include "map/tile_map.cuh"
#include "map/work_units.cuh"
#include "tools/trace_record.cuh"

namespace tw {

/// The first tile and k-steps that a CTA multiplies; no k-steps where it has no unit in the grid.
struct FirstUnit {
  TileCoord tile;
  Span<int> k;
};

/// The host computes the first unit of this many CTAs, as many as the largest device runs at once:
/// on the device, divisions and the fetching of their code would delay a launch's first load.
inline constexpr int kFirstUnits = 144;

/// Indexed by CTA of the launch.
struct FirstUnits {
  FirstUnit of_cta[kFirstUnits];
};

/// D is the epilogue of A B on tiles of m x n; with Sm90Params::swap_ab tile rows
/// are columns of D and C. m and n are those of the sums: a gated D has half their columns.
struct GemmArgs {
  int m = 0;
  int n = 0;
  int k = 0;
  EpilogueArgs epilogue;
  void* d = nullptr;  // read by kernels with Sm90Params::direct_store
  long long ldd = 0;  // elements between rows of D
  Raster raster;
  TileCoord clusters;
  LaunchWork<int> work;          // its slots are the raster's
  float* partials = nullptr;     // sums of the parts of divided tiles
  unsigned* tickets = nullptr;   // per divided tile, the number of parts that have added their sums
  TraceRecord* trace = nullptr;  // trace builds: [n-th unit of a cluster][cluster][CTA of cluster]
  int phase_steps = 0;           // with Sm90Params::triangular: k-steps of one phase
  int plane = 0;                 // the plane of D; 1 for a unit's second one
  PeerBlocks blocks;             // of tiles, across GPUs: then m is the rows of D of this GPU
  int block_slots = 0;           // of the raster, in one block
};

/// Further arguments of a launch of many problems (kernels with Sm90Params::grouping). Packed
/// problems use offsets and shape (map/packed_rows.cuh), others a list and their tensor maps.
struct GroupArgs {
  // problems + 1 rows, on the device, of the type that Sm90Params::long_offsets chooses. The first
  // is 0; only kernels with Grouping::Table read it.
  const void* offsets = nullptr;
  int problems = 0;
  PackedShape shape;
  const GroupedProblem* own = nullptr;  // Sm90Params::per_problem_shapes: one entry per problem
  const void* maps = nullptr;           // Sm90Params::maps_per_problem() tensor maps per problem
  const TableEntry* entries = nullptr;  // Grouping::Table: all workers' units, packed indices
  const int* first_entry = nullptr;     // workers + 1 indices into `entries`
  // Sm90Params::lists_divided_slots(): slots of the problems before each, by the user's index.
  const int* divided_before = nullptr;
  unsigned* counter = nullptr;  // Grouping::Counter: zero before a launch and after it
};

/// A GPU's count of its launches across GPUs, in its memory; zeros before the first one.
struct PeerState {
  unsigned launches = 0;  // that have ended
  unsigned ended = 0;     // CTAs of the current launch that have ended
  unsigned lost = 0;      // 1 + the GPU for which a CTA has waited longer than the limit; 0: none
  unsigned next = 1;      // launches + 1: copy engines raise flags by copying it
};

/// Further arguments of a launch across GPUs. Addresses are those by which this GPU reaches the
/// memory of each GPU. A half of it has what a GPU receives in one launch: a flag for each part of
/// sums or block of A, the number of the launch that brought it; then, at data_at, these
/// themselves.
struct PeerArgs {
  char* memory[kMaxGpus] = {};  // two halves, for launches in turn; zeros before the first
  long long half_bytes = 0;     // from one half to the other
  long long data_at = 0;
  PeerState* state = nullptr;       // of this GPU
  unsigned long long limit_ns = 0;  // of one wait

  /// What `gpu` receives in a launch, by the launch's number from 1.
  constexpr char* half(int gpu, unsigned launch) const {
    return memory[gpu] + (launch & 1) * half_bytes;
  }
  constexpr char* data(int gpu, unsigned launch) const { return half(gpu, launch) + data_at; }
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

/// Arguments of the kernel that prepares a group's problems. The host launches it first where the
/// sizes are in device memory.
struct PrepareGroupArgs {
  static constexpr int kThreads = 128;
  const ProblemEntry* entries = nullptr;  // by the user's index
  const void* k_offsets = nullptr;        // or: problems + 1 rows of all K, as long_offsets says
  ProblemEntry all;            // used with k_offsets: the shared sizes and the first matrices
  const int* order = nullptr;  // user's index by place in scheduling order; null: as given
  int problems = 0;
  Raster raster;
  GroupedProblem* list = nullptr;
  void* maps = nullptr;  // output: Sm90Params::maps_per_problem() tensor maps per problem
};

/// Arguments of the workspace reduction's second kernel: the first one's, and its launch.
struct ReduceArgs {
  GemmArgs gemm;
  int workers = 0;  // clusters of the first kernel's launch
  int groups = 1;   // of warps; the groups divide the parts of a vec4 among themselves
  int spans = 1;    // of 32 vec4s; a block sums them, each with as many warps as there are groups
  TraceRecord* trace = nullptr;  // one record for the kernel, in trace builds
};

/// Arguments of the kernel that copies operands into rows that TMA can address. It copies `rows` x
/// `columns` 16-bit elements; rows lie `from_pitch` elements apart at `from` and `pitch`, a
/// multiple of 8, at `to`, where zeros fill their ends.
struct RepackMatrix {
  const unsigned short* from = nullptr;
  unsigned short* to = nullptr;
  long long rows = 0;
  long long columns = 0;
  long long from_pitch = 0;
  long long pitch = 0;
};

/// A and B; one may be absent (no rows).
struct RepackArgs {
  RepackMatrix matrices[2];
};

}  // namespace tw
