// A CTA's place in its launch, and its units of work (sm_90a family).
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

/// The data that units are found from; for one problem, the arguments suffice. It is separate from
/// the walk, which refers to it: an object that refers to itself would be kept in local memory.
template <Sm90Params P, bool kGrouped = P.grouped()>
struct SchedulerParams {
  __device__ SchedulerParams(const GemmArgs&, const GroupArgs&, const FirstUnits& first_units,
                             unsigned)
      : first(first_units) {}

  const FirstUnits& first;
};

/// Lines of the operands' tensor maps (rows of A, columns of B) before the lines of one problem.
struct LinesBefore {
  int a = 0;
  int b = 0;
};

/// The units of the CTA, in order; in a cluster along k each CTA takes one slice. `kLoads`: for the
/// loading warp.
template <Sm90Params P, bool kGrouped = P.grouped(), bool kLoads = false>
class CtaUnits {
 public:
  __device__ CtaUnits(const GemmArgs& args, const SchedulerParams<P>& params,
                      const Placement& place)
      : args_(args), place_(place), walk_(args.work, place.cluster, place.cluster_count) {
    if constexpr (P.triangular()) {
      // Bands have no slot without a tile.
      const bool known = !P.whole_square && band_of(args.raster) > 0 && blockIdx.x < kFirstUnits;
      if (known) first_ = &params.first.of_cta[blockIdx.x];
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
    tile_ = cta_tile_coord(P.cluster_m, P.cluster_n, tile, static_cast<int>(place_.rank));
    return true;
  }

  __device__ const WorkUnit<int>& unit() const { return unit_; }
  __device__ TileCoord tile() const { return tile_; }
  __device__ bool is_inside() const { return inside_; }
  __device__ LinesBefore lines_before() const { return {}; }
  __device__ int problem_number() const { return 0; }
  /// The unit's index among the divided slots of all problems.
  __device__ int divided_slot() const { return unit_.slot; }
  /// The epilogue's arguments for the unit's problem.
  __device__ const GemmArgs& output() const { return args_; }

 private:
  /// The cluster's tile; sets `inside_` where any of it is computed.
  __device__ TileCoord find_tile() {
    if constexpr (P.triangular()) {
      return triangle_tile<P>(args_, args_.clusters, unit_.slot, inside_);
    } else {
      TileCoord grid = args_.clusters;
      // Values derived from the grid must hold no registers while a cluster along k sums its share.
      if constexpr (P.cluster_k > 1) ptx::make_opaque(grid.m);
      const TileCoord tile = tile_in(grid);
      inside_ = tw::is_inside(args_.clusters, tile);
      return tile;
    }
  }

  __device__ TileCoord tile_in(TileCoord grid) const {
    if constexpr (P.across_gpus()) {
      return peer_tile_at<P.rasters>(args_.raster, args_.blocks, grid, args_.block_slots,
                                     unit_.slot);
    } else {
      return family_tile_at<P.rasters>(args_.raster, grid, unit_.slot);
    }
  }

  static constexpr WalkKind kWalk{.division = P.cluster_k > 1 ? Division::None : P.division,
                                  .slice_by_slice = P.slice_by_slice()};

  const GemmArgs& args_;
  const Placement& place_;
  UnitWalk<kWalk> walk_;
  WorkUnit<int> unit_;
  TileCoord tile_;
  bool inside_ = false;
  const FirstUnit* first_ = nullptr;  // only for a triangle, where finding a tile takes long
};

}  // namespace tw
