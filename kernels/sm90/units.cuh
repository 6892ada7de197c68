// Where a CTA of the sm_90a family stands in its launch, and what it takes from the work.
#pragma once

#include "map/triangle.cuh"
#include "map/work_units.cuh"
#include "ptx/cluster.cuh"
#include "ptx/compiler.cuh"
#include "sm90/args.cuh"
#include "sm90/params.cuh"
#include "sm90/triangle_tile.cuh"

namespace tw {

/// The CTA's place in the launch; clusters are the workers.
struct Placement {
  int cluster;
  int cluster_count;
  unsigned rank;
};

template <Sm90Params P>
__device__ Placement placement() {
  return {static_cast<int>(blockIdx.x) / P.launch_cluster_size(),
          static_cast<int>(gridDim.x) / P.launch_cluster_size(),
          P.launch_cluster_size() == 1 ? 0 : ptx::cluster_rank()};
}

/// What units are found from: of one problem the arguments alone. Apart from the walk, which refers
/// to it: an object that refers to itself would live in local memory.
template <Sm90Params P, bool kGrouped = P.grouped()>
struct UnitSource {
  __device__ UnitSource(const GemmArgs&, const GroupArgs&, const FirstUnits& first_units, unsigned)
      : first(first_units) {}

  const FirstUnits& first;
};

/// Lines of the operands' tensor maps, rows of A and columns of B, before those of one problem.
struct LinesBefore {
  int a = 0;
  int b = 0;
};

/// The units of the CTA, in its order; in a cluster along k each CTA takes its slice. `kLoads`: for
/// the warp that loads.
template <Sm90Params P, bool kGrouped = P.grouped(), bool kLoads = false>
class CtaUnits {
 public:
  __device__ CtaUnits(const GemmArgs& args, const UnitSource<P>& source, const Placement& place)
      : args_(args), place_(place), walk_(args.work, place.cluster, place.cluster_count) {
    if constexpr (P.triangular()) {
      // Bands have no slot without a tile.
      const bool known = !P.whole_square && band_of(args.raster) > 0 && blockIdx.x < kFirstUnits;
      if (known) first_ = &source.first.of_cta[blockIdx.x];
    }
  }

  /// Goes to the next unit; false when there is none.
  __device__ bool next() {
    if (!walk_.next(unit_)) return false;
    if constexpr (P.cluster_k > 1) {
      unit_ = slice_unit(args_.work.k_steps, args_.work.slices, unit_.slot,
                         static_cast<int>(place_.rank));
    }
    if constexpr (P.triangular()) {
      if (first_ != nullptr) {
        tile_ = first_->tile;
        inside_ = true;
        first_ = nullptr;
        return true;
      }
    }
    const TileCoord tile = find_tile();
    tile_ = cta_tile(P.cluster_m, P.cluster_n, tile, static_cast<int>(place_.rank));
    return true;
  }

  __device__ const WorkUnit<int>& unit() const { return unit_; }
  __device__ TileCoord tile() const { return tile_; }
  __device__ bool is_inside() const { return inside_; }
  __device__ LinesBefore lines_before() const { return {}; }
  __device__ int problem_number() const { return 0; }
  /// The unit's slot among those of all problems that are divided.
  __device__ int divided_slot() const { return unit_.slot; }
  /// What the epilogue is told, of the unit's problem alone.
  __device__ const GemmArgs& output() const { return args_; }

 private:
  /// The cluster's tile, and whether anything of it is computed.
  __device__ TileCoord find_tile() {
    if constexpr (P.triangular()) {
      return triangle_tile<P>(args_, args_.clusters, unit_.slot, inside_);
    } else {
      TileCoord grid = args_.clusters;
      // The cluster's share of the sums leaves no registers to what follows from the grid alone.
      if constexpr (P.cluster_k > 1) ptx::forget(grid.m);
      const TileCoord tile = family_tile_at<P.rasters>(args_.raster, grid, unit_.slot);
      inside_ = tw::is_inside(args_.clusters, tile);
      return tile;
    }
  }

  static constexpr WalkKind kWalk{.division = P.cluster_k > 1 ? Division::None : P.division};

  const GemmArgs& args_;
  const Placement& place_;
  UnitWalk<kWalk> walk_;
  WorkUnit<int> unit_;
  TileCoord tile_;
  bool inside_ = false;
  const FirstUnit* first_ = nullptr;  // of a triangle, which takes long to find tiles of
};

}  // namespace tw
