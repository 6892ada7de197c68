// The walk of a launch: which units of work a worker (one cluster of the launch) takes, in which
// order.
//
//   None     units worker, worker + workers, ... : whole tiles
//   SplitK   the same for units slot * slices + slice;
//            with walks_slices(), where no worker has two units, for
//            slice * slots + slot
//   StreamK  an even share of the stream-K tiles' k-steps, from its last tile to its first, so that
//            the part that waits for a neighbour's comes last; then the other slots as in None
//
// A launch of many problems walks their concatenation: units and k-steps are numbered across all
// problems. UnitFinder also finds the units that a table or a counter hands out.
//
// The loading and the multiplying threads of a kernel use this class, and so do the host's plans,
// which are proved, priced and drawn.
#pragma once

#include "map/peer_blocks.cuh"
#include "map/problem_visitor.cuh"
#include "map/tile_map.cuh"
#include "map/triangle.cuh"
#include "map/work_split.cuh"

namespace tw {

/// Compile-time properties of a walk.
struct WalkKind {
  Division division = Division::None;
  bool grouped = false;  // many problems per launch
  // SplitK of one problem: where no worker has two units, slice 0 of all tiles, then slice 1, ...
  bool slice_by_slice = false;
  bool operator==(const WalkKind&) const = default;
};

/// The work of one problem, in slots of its raster or triangle and k-steps.
template <class Index>
struct ProblemWork {
  Index slots = 0;
  int k_steps = 0;
  int slices = 1;  // SplitK: per tile, at most k_steps
  constexpr Index units() const { return slots * slices; }
  bool operator==(const ProblemWork&) const = default;
};

/// The work of a launch of one problem.
template <class Index>
struct LaunchWork {
  Index slots = 0;
  int k_steps = 0;
  int slices = 1;
  Index stream_k_tiles = 0;  // StreamK: this many leading slots are divided by k-steps
  bool operator==(const LaunchWork&) const = default;
  /// Units that are handed out one by one; stream-K slots are included.
  template <Division D>
  constexpr Index units() const {
    return D == Division::SplitK ? slots * slices : slots;
  }
  constexpr Index stream_k_steps() const { return stream_k_tiles * k_steps; }
};

/// The work of a launch of many problems, in scheduling order: `problems[i]` is the ProblemWork of
/// one, read from a list or computed from the kernel's arguments.
template <class Index, class Problems = const ProblemWork<Index>*>
struct GroupWork {
  Problems problems = {};
  int problem_count = 0;
  Index unit_count = 0;      // of all problems
  Index stream_k_tiles = 0;  // StreamK: slots of the concatenation; their problems have k-steps
  Index steps = 0;           // StreamK: k-steps of those slots
  template <Division D>
  constexpr Index units() const {
    return unit_count;
  }
  constexpr Index stream_k_steps() const { return steps; }
};

/// Part `part` of the `parts` of a slot's tile: k-steps `k`, in order of k.
template <class Index>
struct WorkUnit {
  Index slot = 0;
  Span<int> k;
  int part = 0;
  int parts = 1;
  int problem = 0;  // its place in scheduling order
  bool operator==(const WorkUnit&) const = default;
};

/// The part of even_share that holds position `at` of `total`.
template <class Index>
constexpr Index share_holding(Index total, Index parts, Index at) {
  const Index least = total / parts;
  const Index larger = total % parts;
  const Index cut = larger * (least + 1);
  return at < cut ? at / (least + 1) : larger + (at - cut) / least;
}

/// Slice `slice` of a tile of `k_steps` in `slices`.
template <class Index>
constexpr WorkUnit<Index> slice_unit(int k_steps, int slices, Index slot, int slice) {
  return {slot, even_share(k_steps, slices, slice), slice, slices};
}

/// The workers that share the k-steps [begin, begin + k_steps) of one tile, out of `steps` in all:
/// part i is in the share of worker .begin + i.
template <class Index>
constexpr Span<int> stream_k_workers(Index steps, int workers, Index begin, int k_steps) {
  return {static_cast<int>(share_holding<Index>(steps, workers, begin)),
          static_cast<int>(share_holding<Index>(steps, workers, begin + k_steps - 1)) + 1};
}

/// The same for slot `slot` of a launch of one problem.
template <class Index>
constexpr Span<int> stream_k_workers(const LaunchWork<Index>& work, int workers, Index slot) {
  const Index total = work.stream_k_tiles * work.k_steps;
  const Index begin = slot * work.k_steps;
  return {static_cast<int>(share_holding<Index>(total, workers, begin)),
          static_cast<int>(share_holding<Index>(total, workers, begin + work.k_steps - 1)) + 1};
}

/// The storage index of each part of a stream-K tile: a worker has at most one part that begins a
/// tile and one that does not.
constexpr int stream_k_part_index(int worker, int part) {
  return 2 * worker + (part > 0 ? 1 : 0);
}

/// A problem of the launch and where it begins in the concatenation, in units or in k-steps.
template <class Index>
struct ProblemPlace {
  int problem = 0;
  Index first = 0;
  int k_steps = 0;
  int slices = 1;
};

/// Finds the problem (-1: none) that holds a unit or a k-step. A launch of one needs no search.
template <bool kGrouped, class Index, class Problems = const ProblemWork<Index>*,
          class Lanes = ArrayLanes<Index>>
class UnitFinder {
 public:
  using Work = LaunchWork<Index>;
  constexpr explicit UnitFinder(const Work& work) : work_(work) {}
  constexpr ProblemPlace<Index> holding_unit(Index) { return whole(); }
  constexpr ProblemPlace<Index> holding_step(Index) { return whole(); }
  constexpr Span<int> stream_k_workers_of(const ProblemPlace<Index>&, Index slot,
                                          int workers) const {
    return stream_k_workers(work_, workers, slot);
  }

 private:
  constexpr ProblemPlace<Index> whole() const { return {0, 0, work_.k_steps, work_.slices}; }
  const Work& work_;
};

/// Callers pass units in ascending order, k-steps in descending order.
template <class Index, class Problems, class Lanes>
class UnitFinder<true, Index, Problems, Lanes> {
 public:
  using Work = GroupWork<Index, Problems>;
  constexpr explicit UnitFinder(const Work& work)
      : work_(work), visitor_(work.problem_count, UnitsOf{work.problems}) {}

  constexpr ProblemPlace<Index> holding_unit(Index unit) {
    const ProblemStart<Index> start = visitor_.find(unit, UnitsOf{work_.problems});
    return at(start.problem, start.first);
  }

  constexpr ProblemPlace<Index> holding_step(Index step) {
    if (problem_ < 0) seek(step);
    while (first_step_ > step) first_step_ -= steps_of(--problem_);
    return at(problem_, first_step_);
  }

  /// The units of all problems; valid once holding_unit() has found none.
  constexpr Index total_units() const { return visitor_.total(); }

  /// The workers that share a slot of the problem at `place`, found by holding_step().
  constexpr Span<int> stream_k_workers_of(const ProblemPlace<Index>& place, Index slot,
                                          int workers) const {
    return stream_k_workers<Index>(work_.steps, workers, place.first + slot * place.k_steps,
                                   place.k_steps);
  }

 private:
  struct UnitsOf {
    const Problems& problems;
    constexpr Index operator()(int problem) const { return problems[problem].units(); }
  };
  constexpr ProblemPlace<Index> at(int problem, Index first) const {
    if (problem < 0) return {problem, first};
    const ProblemWork<Index> work = work_.problems[problem];
    return {problem, first, work.k_steps, work.slices};
  }
  constexpr Index steps_of(int problem) const {
    return work_.problems[problem].slots * work_.problems[problem].k_steps;
  }
  constexpr void seek(Index step) {
    problem_ = 0;
    while (first_step_ + steps_of(problem_) <= step) first_step_ += steps_of(problem_++);
  }

  const Work& work_;
  ProblemVisitor<Index, Lanes> visitor_;
  int problem_ = -1;      // holds the last k-step passed to holding_step()
  Index first_step_ = 0;  // where it begins
};

/// Unit `unit` of the launch; `place` is its problem, from the finder.
template <Division D, class Index>
constexpr WorkUnit<Index> unit_at(const ProblemPlace<Index>& place, Index unit) {
  const Index within = unit - place.first;
  WorkUnit<Index> found;
  if constexpr (D == Division::SplitK) {
    found = slice_unit<Index>(place.k_steps, place.slices, within / place.slices,
                              static_cast<int>(within % place.slices));
  } else {
    found = {within, {0, place.k_steps}, 0, 1};
  }
  found.problem = place.problem;
  return found;
}

/// The same in a walk of kind K by `workers`.
template <WalkKind K, class Index, class Work>
constexpr WorkUnit<Index> walked_unit(const Work& work, int workers,
                                      const ProblemPlace<Index>& place, Index unit) {
  if constexpr (K.slice_by_slice) {
    if (work.template units<K.division>() <= workers) {
      return slice_unit<Index>(place.k_steps, place.slices, unit % work.slots,
                               static_cast<int>(unit / work.slots));
    }
  }
  return unit_at<K.division>(place, unit);
}

/// The units of one worker, in its order.
template <WalkKind K, class Index = int, class Finder_ = UnitFinder<K.grouped, Index>>
class UnitWalk {
 public:
  using Finder = Finder_;
  using Work = typename Finder::Work;

  constexpr UnitWalk(const Work& work, int worker, int workers)
      : work_(work), finder_(work), worker_(worker), workers_(workers), next_(worker) {
    if constexpr (K.division == Division::StreamK) {
      next_ += work.stream_k_tiles;
      if (work.stream_k_tiles > 0) {
        steps_ = even_share<Index>(work.stream_k_steps(), workers, worker);
      }
    }
  }

  /// The next unit; false when there is none.
  constexpr bool next(WorkUnit<Index>& unit) {
    if constexpr (K.division == Division::StreamK) {
      if (next_stream_k(unit)) return true;
    }
    const Index taken = next_;
    next_ += workers_;
    if (taken >= work_.template units<K.division>()) return false;
    const ProblemPlace<Index> place = finder_.holding_unit(taken);
    if constexpr (K.grouped) {
      if (place.problem < 0) return false;  // where the number of units is not known in advance
    }
    unit = walked_unit<K>(work_, workers_, place, taken);
    return true;
  }

  /// StreamK: the next part of the worker's share; false when it is done.
  constexpr bool next_stream_k(WorkUnit<Index>& unit) {
    if (steps_.end <= steps_.begin) return false;
    const ProblemPlace<Index> place = finder_.holding_step(steps_.end - 1);
    const Index slot = (steps_.end - 1 - place.first) / place.k_steps;
    const Index tile_begin = place.first + slot * place.k_steps;
    const Index begin = steps_.begin > tile_begin ? steps_.begin : tile_begin;
    const Span<int> workers = finder_.stream_k_workers_of(place, slot, workers_);
    unit = {slot,
            {static_cast<int>(begin - tile_begin), static_cast<int>(steps_.end - tile_begin)},
            worker_ - workers.begin,
            workers.size(),
            place.problem};
    steps_.end = begin;
    return true;
  }

 private:
  const Work& work_;
  Finder finder_;
  int worker_;
  int workers_;
  Index next_;
  Span<Index> steps_;  // StreamK: the rest of the worker's share
};

/// The unit for the counter's value `taken`, where a counter hands units out: worker w begins with
/// unit w, and every later unit is the counter's value plus the number of workers.
template <class Index>
constexpr Index unit_of_counter(Index taken, int workers) {
  return taken + workers;
}

/// True for the last value that a launch takes. Each worker takes one more value after each unit
/// that it found, so a launch of `units` takes that many values. The worker that takes the last one
/// resets the counter to zero.
template <class Index>
constexpr bool is_last_counter_value(Index taken, Index units) {
  return taken == units - 1;
}

/// One entry of a table that the host writes for a launch: unit `unit` (slot * slices + slice) of
/// the problem at index `problem` in scheduling order.
struct TableEntry {
  int problem = 0;
  int unit = 0;
  bool operator==(const TableEntry&) const = default;
};

/// The unit of a table's entry.
template <Division D, class Index, class Problems>
constexpr WorkUnit<Index> table_unit(const Problems& problems, const TableEntry& entry) {
  const ProblemWork<Index> p = problems[entry.problem];
  return unit_at<D, Index>({entry.problem, 0, p.k_steps, p.slices}, entry.unit);
}

/// How the slots of a problem map to tiles of clusters: a raster over its grid, or over each block
/// of it across GPUs, or its triangle.
struct SlotMap {
  bool triangular = false;
  Raster raster;
  TileCoord clusters;  // the grid that the raster walks
  Triangle triangle;   // of clusters
  PeerBlocks peers;    // of one GPU: the grid is one block
  bool operator==(const SlotMap&) const = default;
};

/// The cluster's tile of a slot.
template <class Index>
constexpr TileCoord slot_tile(const SlotMap& map, Index slot) {
  if (map.triangular) return triangle_tile_at<Index>(map.triangle, slot);
  return map.peers.gpus == 1 ? tile_at<Index>(map.raster, map.clusters, slot)
                             : peer_tile_at<Index>(map.raster, map.peers, map.clusters, slot);
}

/// True where the cluster's tile is computed; other tiles are overhang or padding.
constexpr bool is_computed(const SlotMap& map, TileCoord tile) {
  return map.triangular ? is_active(map.triangle, tile) : is_inside(map.clusters, tile);
}

/// Slots that a launch walks for a problem.
template <class Index>
constexpr Index slot_count(const SlotMap& map) {
  if (map.triangular) return triangle_slots<Index>(map.triangle);
  return map.peers.gpus == 1 ? slot_count<Index>(map.raster, map.clusters)
                             : peer_slot_count<Index>(map.raster, map.peers, map.clusters);
}

}  // namespace tw
