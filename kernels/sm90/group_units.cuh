// The units of a CTA in a launch of many problems that lie packed.
//
// Loader and multipliers each find their units by themselves: a warp walks with one value a lane,
// and between two units of one problem compares two numbers.
#pragma once

#include "map/packed_rows.cuh"
#include "ptx/global_memory.cuh"
#include "sm90/units.cuh"

namespace tw {

/// Has the offsets of as many problems as a search begins with on their way, before the CTA's
/// threads have met.
__device__ inline void prefetch_offsets(const GroupArgs& group) {
  constexpr int kLine = 32;  // offsets of 128 bytes
  const int at = static_cast<int>(threadIdx.x) % kVisitorLanes * kLine;
  if (at <= group.problems && at <= 2 * kVisitorLanes) ptx::prefetch_l2(group.offsets + at);
}

/// A value for each lane of the warp that runs it; all lanes call together.
class WarpLanes {
 public:
  template <class Of>
  __device__ void fill(const Of& of) {
    value_ = of(lane());
  }
  __device__ void add(int value) { value_ += value; }
  __device__ void add_from_below(int offset) {
    const int below = __shfl_up_sync(kAll, value_, offset);
    if (lane() >= offset) value_ += below;
  }
  __device__ int at(int lane) const { return __shfl_sync(kAll, value_, lane); }
  __device__ int first_above(int value) const {
    return __ffs(static_cast<int>(__ballot_sync(kAll, value_ > value))) - 1;
  }

 private:
  static constexpr unsigned kAll = 0xFFFFFFFF;
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kVisitorLanes; }

  int value_ = 0;
};

/// The problems of the launch.
template <Sm90Params P>
struct UnitSource<P, true> {
  using Problems = PackedRows<P.rasters>;
  static constexpr int kUnknown = 0x7FFFFFFF;  // the search says when there are no more units

  __device__ UnitSource(const GemmArgs& args, const GroupArgs& group_args, const FirstUnits&)
      : group(group_args),
        work{.problems = {group.offsets, args.raster, group.shape},
             .problem_count = group.problems,
             .unit_count = kUnknown} {}

  const GroupArgs& group;
  GroupWork<int, Problems> work;
};

/// Units found from the problems' offsets.
template <Sm90Params P>
class SearchedUnits {
 public:
  __device__ SearchedUnits(const UnitSource<P>& source, const Placement& place)
      : walk_(source.work, place.cluster, place.cluster_count) {}
  __device__ bool next(WorkUnit<int>& unit) { return walk_.next(unit); }

 private:
  using Finder = UnitFinder<true, int, typename UnitSource<P>::Problems, WarpLanes>;
  static constexpr WalkKind kWalk{.division = Division::None, .grouped = true};

  UnitWalk<kWalk, int, Finder> walk_;
};

/// Units that the host wrote down; the next one is on its way while one is at work.
template <Sm90Params P>
class ListedUnits {
 public:
  __device__ ListedUnits(const UnitSource<P>& source, const Placement& place)
      : source_(source),
        entry_(source.group.entries + source.group.first_entry[place.cluster]),
        end_(source.group.entries + source.group.first_entry[place.cluster + 1]) {
    fetch();
  }
  __device__ bool next(WorkUnit<int>& unit) {
    if (entry_ >= end_) return false;
    unit = table_unit<Division::None, int>(source_.work.problems, ahead_);
    ++entry_;
    fetch();
    return true;
  }

 private:
  __device__ void fetch() {
    if (entry_ < end_) ahead_ = *entry_;
  }

  const UnitSource<P>& source_;
  const TableEntry* entry_;
  const TableEntry* end_;
  TableEntry ahead_;
};

template <Sm90Params P, Grouping G = P.grouping>
struct UnitsOfGroup {
  using Units = SearchedUnits<P>;
};
template <Sm90Params P>
struct UnitsOfGroup<P, Grouping::Table> {
  using Units = ListedUnits<P>;
};

/// The units of the CTA, each with the problem that it is of.
template <Sm90Params P>
class CtaUnits<P, true> {
 public:
  __device__ CtaUnits(const GemmArgs& args, const UnitSource<P>& source, const Placement& place)
      : args_(args), place_(place), problems_(source.work.problems), walk_(source, place) {}

  __device__ bool next() {
    if (!walk_.next(unit_)) return false;
    if (unit_.problem != problem_) {
      problem_ = unit_.problem;
      rows_ = problems_.rows(problem_);
      clusters_ = problems_.clusters_of(rows_.size());
    }
    const TileCoord tile = family_tile_at<P.rasters>(args_.raster, clusters_, unit_.slot);
    inside_ = tw::is_inside(clusters_, tile);
    tile_ = cta_tile(P.cluster_m, P.cluster_n, tile, static_cast<int>(place_.rank));
    return true;
  }

  __device__ const WorkUnit<int>& unit() const { return unit_; }
  __device__ TileCoord tile() const { return tile_; }
  __device__ bool is_inside() const { return inside_; }
  /// The problem's among all.
  __device__ Span<int> rows() const { return rows_; }

  /// A's rows are packed and B's problems stand below each other; a swapped kernel's A is B.
  __device__ LinesBefore lines_before() const {
    if constexpr (P.swapped) {
      return {problem_ * args_.m, rows_.begin};
    } else {
      return {rows_.begin, problem_ * args_.n};
    }
  }

  __device__ GemmArgs output() const {
    GemmArgs own = args_;
    (P.swapped ? own.n : own.m) = rows_.size();
    const long long before = rows_.begin * args_.ldd;
    constexpr int kBytes = P.output == ElementType::F32 ? 4 : 2;
    own.d = static_cast<char*>(args_.d) + before * kBytes;
    own.c = args_.c + before;
    return own;
  }

 private:
  const GemmArgs& args_;
  const Placement& place_;
  const typename UnitSource<P>::Problems& problems_;
  typename UnitsOfGroup<P>::Units walk_;
  WorkUnit<int> unit_;
  TileCoord tile_;
  Span<int> rows_;
  TileCoord clusters_;
  int problem_ = -1;
  bool inside_ = false;
};

}  // namespace tw
