// The units of a CTA in a launch of many problems: packed ones, or ones with sizes and tensor maps
// of their own.
//
// The loading warp and the multiplying warps each find their units on their own: a warp searches
// with one value per lane, and between two units of one problem it compares two numbers.
#pragma once

#include "map/packed_rows.cuh"
#include "ptx/cluster_memory.cuh"
#include "ptx/global_memory.cuh"
#include "sm90/units.cuh"

namespace tw {

template <bool kLong>
struct OffsetType {
  using Type = int;
};
template <>
struct OffsetType<true> {
  using Type = long long;
};
template <Sm90Params P>
using OffsetOf = typename OffsetType<P.long_offsets>::Type;

/// True where the kernel itself finds the problems: it takes 0 for the first offset, unread.
template <Sm90Params P>
inline constexpr bool kFromZero = P.grouping != Grouping::Table;

/// Prefetches the offsets of the problems that a search begins with, before the CTA's threads have
/// synchronised.
template <Sm90Params P>
__device__ void prefetch_offsets(const GroupArgs& group) {
  if constexpr (P.packed_rows()) {
    constexpr int kLine = 128 / sizeof(OffsetOf<P>);
    const int line = static_cast<int>(threadIdx.x) % kVisitorLanes * kLine;
    const int at = line > 0 || !kFromZero<P> ? line : 1;
    if (at > group.problems || at > 2 * kVisitorLanes) return;
    ptx::prefetch_l2(static_cast<const OffsetOf<P>*>(group.offsets) + at);
  }
}

/// One value per lane of the calling warp; all lanes call together.
class WarpLanes {
 public:
  template <class Of>
  __device__ void load(const Of& of) {
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

/// The problem of a CTA's current unit, in a packed group.
template <Sm90Params P, bool kOwn = P.per_problem_shapes>
class CurrentProblem {
 public:
  using Problems = PackedRows<P.rasters, OffsetOf<P>, kFromZero<P>>;

  __device__ static Problems problems_of(const GemmArgs& args, const GroupArgs& group) {
    return {static_cast<const OffsetOf<P>*>(group.offsets), args.raster, group.shape};
  }
  __device__ void enter(const Problems& problems, int problem) {
    rows_ = problems.rows(problem);
    clusters_ = problems.clusters_of(rows_.size());
  }
  __device__ TileCoord clusters() const { return clusters_; }
  /// The user's index of the problem.
  __device__ int number(int problem) const { return problem; }
  /// The problem's rows among all rows.
  __device__ Span<int> rows() const { return rows_; }
  /// Divided slots of the problems before it.
  __device__ int divided_before(const GroupArgs& group, int problem) const {
    return group.divided_before[problem];
  }

  /// A's rows are packed, B's problems lie below each other; a kernel with swap_ab exchanges A and
  /// B.
  __device__ LinesBefore lines_before(const GemmArgs& args, int problem) const {
    if constexpr (P.swap_ab) {
      return {problem * args.m, rows_.begin};
    } else {
      return {rows_.begin, problem * args.n};
    }
  }

  __device__ void set_output(GemmArgs& own, int problem) const {
    (P.swap_ab ? own.n : own.m) = rows_.size();
    const long long before = rows_.begin * own.ldd;
    constexpr int kBytes = bytes_of(P.output);
    own.d = static_cast<char*>(own.d) + before * kBytes;
    const long long pitch = P.epilogue.has_scaling() ? own.ldd : own.epilogue.ldc;
    own.epilogue.c += rows_.begin * pitch;
    if constexpr (P.scales_lines()) {
      own.epilogue.scale_a += rows_.begin;
      own.epilogue.scale_b += static_cast<long long>(problem) * (P.swap_ab ? own.m : own.n);
    }
  }

 private:
  Span<int> rows_;
  TileCoord clusters_;
};

/// The same for a problem with sizes and tensor maps of its own.
template <Sm90Params P>
class CurrentProblem<P, true> {
 public:
  using Problems = GroupedProblems;

  __device__ static Problems problems_of(const GemmArgs&, const GroupArgs& group) {
    return {group.own};
  }
  __device__ void enter(const Problems& problems, int problem) {
    at_ = problems.list + problem;
    clusters_ = at_->clusters;
  }
  __device__ TileCoord clusters() const { return clusters_; }
  __device__ int number(int) const { return at_->number; }
  __device__ Span<int> rows() const { return {}; }
  __device__ int divided_before(const GroupArgs&, int) const { return at_->divided_before; }
  __device__ LinesBefore lines_before(const GemmArgs&, int) const { return {}; }

  __device__ void set_output(GemmArgs& own, int) const {
    own.m = at_->m;
    own.n = at_->n;
    own.ldd = at_->ldd;
    own.d = at_->d;
    own.epilogue.c = at_->c;
    if constexpr (!P.epilogue.has_scaling()) own.epilogue.ldc = at_->ldd;
  }

 private:
  const GroupedProblem* at_ = nullptr;
  TileCoord clusters_;
};

/// The tensor maps of one problem, where every problem has its own.
template <Sm90Params P>
__device__ const ptx::TensorMap* maps_per_problem(const GroupArgs& group, int problem) {
  return static_cast<const ptx::TensorMap*>(group.maps) + problem * P.maps_per_problem();
}

/// The problems of the launch.
template <Sm90Params P>
struct SchedulerParams<P, true> {
  using Problems = typename CurrentProblem<P>::Problems;
  static constexpr int kUnknown = 0x7FFFFFFF;  // the search ends where there are no more units

  __device__ SchedulerParams(const GemmArgs& args, const GroupArgs& group_args, const FirstUnits&,
                             unsigned work_queue)
      : group(group_args),
        ring(work_queue),
        work{.problems = CurrentProblem<P>::problems_of(args, group_args),
             .problem_count = group_args.problems,
             .unit_count = kUnknown} {}

  const GroupArgs& group;
  unsigned ring;  // shared-memory address, of Grouping::Counter
  GroupWork<int, Problems> work;
};

/// Units that the warp computes from the problems' sizes.
template <Sm90Params P>
class SearchedUnits {
 public:
  __device__ SearchedUnits(const SchedulerParams<P>& params, const Placement& place)
      : walk_(params.work, place.cluster, place.cluster_count) {}
  __device__ bool next(WorkUnit<int>& unit) { return walk_.next(unit); }

 private:
  using Finder = UnitFinder<true, int, typename SchedulerParams<P>::Problems, WarpLanes>;
  static constexpr WalkKind kWalk{.division = Division::None, .grouped = true};

  UnitWalk<kWalk, int, Finder> walk_;
};

/// Units from the host's list; the next entry is loaded while the current unit is computed.
template <Sm90Params P>
class ListedUnits {
 public:
  __device__ ListedUnits(const SchedulerParams<P>& params, const Placement& place)
      : params_(params),
        entry_(params.group.entries + params.group.first_entry[place.cluster]),
        end_(params.group.entries + params.group.first_entry[place.cluster + 1]) {
    fetch();
  }
  __device__ bool next(WorkUnit<int>& unit) {
    if (entry_ >= end_) return false;
    unit = table_unit<P.division, int>(params_.work.problems, ahead_);
    ++entry_;
    fetch();
    return true;
  }

 private:
  __device__ void fetch() {
    if (entry_ < end_) ahead_ = *entry_;
  }

  const SchedulerParams<P>& params_;
  const TableEntry* entry_;
  const TableEntry* end_;
  TableEntry ahead_;
};

/// Shared-memory addresses in the ring of units that a counter handed out.
template <Sm90Params P>
__device__ unsigned queue_full(unsigned ring, int slot) {
  return ring + slot * 8;
}
template <Sm90Params P>
__device__ unsigned queue_empty(unsigned ring, int slot) {
  return ring + (P.kQueueSlots + slot) * 8;
}
template <Sm90Params P>
__device__ unsigned queue_slot_word(unsigned ring, int slot) {
  return ring + (2 * P.kQueueSlots + slot) * 8;
}

template <Sm90Params P>
__device__ void init_work_queue(unsigned ring) {
  for (int slot = 0; slot < P.kQueueSlots; ++slot) {
    ptx::mbarrier_init(queue_full<P>(ring, slot), 1);
    ptx::mbarrier_init(queue_empty<P>(ring, slot), P.queue_readers());
  }
}

/// TableEntry::problem in the ring where there are no more units.
inline constexpr int kNoProblem = -1;

/// A warp's position in the ring.
template <Sm90Params P>
struct QueueState {
  unsigned ring;
  int position = 0;

  __device__ unsigned full() const { return queue_full<P>(ring, slot()); }
  __device__ unsigned empty() const { return queue_empty<P>(ring, slot()); }
  __device__ unsigned word() const { return queue_slot_word<P>(ring, slot()); }
  __device__ unsigned phase() const { return position / P.kQueueSlots & 1; }

 private:
  __device__ int slot() const { return position % P.kQueueSlots; }
};

__device__ inline bool is_first_lane() {
  return threadIdx.x % kVisitorLanes == 0;
}

/// Reads the next unit that was handed to the cluster; all lanes of the warp.
template <Sm90Params P>
__device__ TableEntry receive_unit(const QueueState<P>& at) {
  constexpr unsigned kAll = 0xFFFFFFFF;
  TableEntry entry;
  if (is_first_lane()) {
    if constexpr (P.launch_cluster_size() == 1) {
      ptx::mbarrier_wait(at.full(), at.phase());
    } else {
      ptx::mbarrier_acquire_cluster(at.full(), at.phase());
    }
    entry.problem = static_cast<int>(ptx::load_shared<4>(at.word(), 1));
    entry.unit = static_cast<int>(ptx::load_shared<4>(at.word() + 4, 1));
  }
  entry.problem = __shfl_sync(kAll, entry.problem, 0);
  entry.unit = __shfl_sync(kAll, entry.unit, 0);
  if (is_first_lane()) ptx::mbarrier_arrive_remote(at.empty(), 0);
  return entry;
}

/// Units that a counter hands out to the first free cluster, as multiplying warps read them.
template <Sm90Params P, bool kLoads>
class QueuedUnits {
 public:
  __device__ QueuedUnits(const SchedulerParams<P>& params, const Placement&)
      : params_(params), state_{params.ring} {}

  __device__ bool next(WorkUnit<int>& unit) {
    const TableEntry entry = receive_unit(state_);
    ++state_.position;
    if (entry.problem == kNoProblem) return false;
    unit = table_unit<Division::None, int>(params_.work.problems, entry);
    return true;
  }

 private:
  const SchedulerParams<P>& params_;
  QueueState<P> state_;
};

/// The same for loading warps. The one of a cluster's first CTA takes the next unit while it loads
/// the current one, finds its problem, and hands it to all warps of the cluster.
template <Sm90Params P>
class QueuedUnits<P, true> {
 public:
  __device__ QueuedUnits(const SchedulerParams<P>& params, const Placement& place)
      : params_(params), place_(place), state_{params.ring}, finder_(params.work) {}

  __device__ bool next(WorkUnit<int>& unit) {
    const TableEntry entry = place_.rank == 0 ? take_next() : receive_unit(state_);
    const bool any = entry.problem != kNoProblem;
    if (!any && place_.rank == 0) finish();
    ++state_.position;
    if (any) unit = table_unit<Division::None, int>(params_.work.problems, entry);
    return any;
  }

 private:
  static constexpr bool kAlone = P.launch_cluster_size() == 1;

  __device__ TableEntry take_next() {
    taken_ = __shfl_sync(0xFFFFFFFF, ahead_, 0);
    const bool first = state_.position == 0;
    const int index = first ? place_.cluster : unit_of_counter<int>(taken_, place_.cluster_count);
    const ProblemPlace<int> at = finder_.holding_unit(index);
    const bool any = at.problem >= 0;
    const TableEntry entry =
        any ? TableEntry{at.problem, index - at.first} : TableEntry{kNoProblem};
    if (is_first_lane()) {
      publish(entry);
      if (any) ahead_ = static_cast<int>(ptx::fetch_add_relaxed(params_.group.counter, 1));
    }
    __syncwarp();
    return entry;
  }

  __device__ void publish(const TableEntry& entry) const {
    ptx::mbarrier_wait(state_.empty(), state_.phase() ^ 1);
    if constexpr (kAlone) {
      ptx::store_shared<4>(state_.word(), 1, static_cast<unsigned>(entry.problem));
      ptx::store_shared<4>(state_.word() + 4, 1, static_cast<unsigned>(entry.unit));
      ptx::mbarrier_arrive(state_.full());
    }
    for (unsigned rank = 0; !kAlone && rank < P.launch_cluster_size(); ++rank) {
      const unsigned word = ptx::address_in(state_.word(), rank);
      ptx::store_in_cluster(word, entry.problem);
      ptx::store_in_cluster(word + 4, entry.unit);
      ptx::mbarrier_release_remote(state_.full(), rank);
    }
  }

  /// The warp that takes the last value resets the counter. In a cluster it also waits until all
  /// warps have read the ring.
  __device__ void finish() const {
    const int units = finder_.total_units();  // all lanes of the warp
    if (!is_first_lane()) return;
    const bool took = state_.position > 0;
    if (took && is_last_counter_value(taken_, units)) {
      ptx::store_relaxed(params_.group.counter, 0);
    }
    if constexpr (!kAlone) {
      QueueState<P> at = state_;
      for (; at.position >= 0 && at.position > state_.position - P.kQueueSlots; --at.position) {
        ptx::mbarrier_wait(at.empty(), at.phase());
      }
    }
  }

  using Finder = UnitFinder<true, int, typename SchedulerParams<P>::Problems, WarpLanes>;

  const SchedulerParams<P>& params_;
  const Placement& place_;
  QueueState<P> state_;
  Finder finder_;
  int ahead_ = 0;  // first lane: the value that it took from the counter last
  int taken_ = 0;  // the counter's value for the current unit
};

template <Sm90Params P, bool kLoads, Grouping G = P.grouping>
struct UnitsOfGroup {
  using Units = SearchedUnits<P>;
};
template <Sm90Params P, bool kLoads>
struct UnitsOfGroup<P, kLoads, Grouping::Table> {
  using Units = ListedUnits<P>;
};
template <Sm90Params P, bool kLoads>
struct UnitsOfGroup<P, kLoads, Grouping::Counter> {
  using Units = QueuedUnits<P, kLoads>;
};

/// The units of the CTA, each with its problem.
template <Sm90Params P, bool kLoads>
class CtaUnits<P, true, kLoads> {
 public:
  __device__ CtaUnits(const GemmArgs& args, const SchedulerParams<P>& params,
                      const Placement& place)
      : args_(args),
        group_(params.group),
        place_(place),
        problems_(params.work.problems),
        walk_(params, place) {}

  __device__ bool next() {
    if (!walk_.next(unit_)) return false;
    if (unit_.problem != problem_) {
      problem_ = unit_.problem;
      own_.enter(problems_, problem_);
    }
    const TileCoord tile = find_tile();
    tile_ = cta_tile_coord(P.cluster_m, P.cluster_n, tile, static_cast<int>(place_.rank));
    return true;
  }

  __device__ const WorkUnit<int>& unit() const { return unit_; }
  __device__ TileCoord tile() const { return tile_; }
  __device__ bool is_inside() const { return inside_; }
  __device__ Span<int> rows() const { return own_.rows(); }
  __device__ int problem_number() const { return own_.number(problem_); }
  __device__ int divided_slot() const { return own_.divided_before(group_, problem_) + unit_.slot; }
  __device__ LinesBefore lines_before() const { return own_.lines_before(args_, problem_); }
  __device__ GemmArgs output() const {
    GemmArgs own = args_;
    own_.set_output(own, problem_);
    return own;
  }

 private:
  /// The cluster's tile; sets `inside_` where any of it is computed.
  __device__ TileCoord find_tile() {
    const TileCoord grid = own_.clusters();
    if constexpr (P.triangular()) {
      return triangle_tile<P>(args_, grid, unit_.slot, inside_);
    } else {
      const TileCoord tile = family_tile_at<P.rasters>(args_.raster, grid, unit_.slot);
      inside_ = tw::is_inside(grid, tile);
      return tile;
    }
  }

  const GemmArgs& args_;
  const GroupArgs& group_;
  const Placement& place_;
  const typename SchedulerParams<P>::Problems& problems_;
  typename UnitsOfGroup<P, kLoads>::Units walk_;
  WorkUnit<int> unit_;
  TileCoord tile_;
  CurrentProblem<P> own_;
  int problem_ = -1;
  bool inside_ = false;
};

}  // namespace tw
