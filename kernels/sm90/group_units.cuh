// The units of a CTA in a launch of many problems that lie packed.
//
// Loader and multipliers each find their units by themselves: a warp walks with one value a lane,
// and between two units of one problem compares two numbers.
#pragma once

#include "map/packed_rows.cuh"
#include "sm90/units.cuh"

namespace tw {

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

/// Units found from the problems' offsets.
template <class Problems>
class SearchedUnits {
 public:
  __device__ SearchedUnits(const GroupArgs& group, const Problems& problems, const Placement& place)
      : work_{.problems = problems, .problem_count = group.problems, .unit_count = kUnknown},
        walk_(work_, place.cluster, place.cluster_count) {}
  __device__ bool next(WorkUnit<int>& unit) { return walk_.next(unit); }

 private:
  using Finder = UnitFinder<true, int, Problems, WarpLanes>;
  static constexpr WalkKind kWalk{.division = Division::None, .grouped = true};
  static constexpr int kUnknown = 0x7FFFFFFF;  // the search says when there are no more

  GroupWork<int, Problems> work_;
  UnitWalk<kWalk, int, Finder> walk_;
};

/// Units that the host wrote down; the next one is on its way while one is at work.
template <class Problems>
class ListedUnits {
 public:
  __device__ ListedUnits(const GroupArgs& group, const Problems& problems, const Placement& place)
      : problems_(problems),
        entry_(group.entries + group.first_entry[place.cluster]),
        end_(group.entries + group.first_entry[place.cluster + 1]) {
    fetch();
  }
  __device__ bool next(WorkUnit<int>& unit) {
    if (entry_ >= end_) return false;
    unit = table_unit<Division::None, int>(problems_, ahead_);
    ++entry_;
    fetch();
    return true;
  }

 private:
  __device__ void fetch() {
    if (entry_ < end_) ahead_ = *entry_;
  }

  const Problems& problems_;
  const TableEntry* entry_;
  const TableEntry* end_;
  TableEntry ahead_;
};

template <class Problems, Grouping G>
struct GroupSource {
  using Units = SearchedUnits<Problems>;
};
template <class Problems>
struct GroupSource<Problems, Grouping::Table> {
  using Units = ListedUnits<Problems>;
};

/// The units of the CTA, each with the problem that it is of.
template <Sm90Params P>
class CtaUnits<P, true> {
 public:
  __device__ CtaUnits(const GemmArgs& args, const GroupArgs& group, const Placement& place)
      : args_(args),
        place_(place),
        problems_{group.offsets, args.raster, group.shape},
        source_(group, problems_, place) {}

  __device__ bool next() {
    if (!source_.next(unit_)) return false;
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
  using Problems = PackedRows<P.rasters>;

  const GemmArgs& args_;
  const Placement& place_;
  Problems problems_;
  typename GroupSource<Problems, P.grouping>::Units source_;
  WorkUnit<int> unit_;
  TileCoord tile_;
  Span<int> rows_;
  TileCoord clusters_;
  int problem_ = -1;
  bool inside_ = false;
};

}  // namespace tw
