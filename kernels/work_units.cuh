// Which units of work a worker (a cluster of the launch) takes, in which order.
//
//   None     slots worker, worker + workers, ... : whole tiles
//   SplitK   units worker, worker + workers, ... of slot * slices + slice
//   StreamK  an even share of the streamed tiles' k-steps, from its last tile to its first: so the
//            part that waits for a neighbour's comes last; then the other slots as in None
//
// The loading and the multiplying threads of a kernel walk by the same class, and so do the host's
// tests against its schedules.
#pragma once

#include "work_split.cuh"

namespace tw {

/// The work of a launch, in slots of its raster and k-steps.
struct WorkPlan {
  int slots = 0;
  int k_steps = 0;
  int slices = 1;    // SplitK: of a tile, at most k_steps
  int streamed = 0;  // StreamK: the first so many slots are dealt out by k-steps
  bool operator==(const WorkPlan&) const = default;
};

/// Part `part` of the `parts` of a slot's tile: k-steps `k`, in order of k.
struct WorkUnit {
  int slot = 0;
  Span<int> k;
  int part = 0;
  int parts = 1;
  bool operator==(const WorkUnit&) const = default;
};

/// Which part of even_share holds position `at` of `total`.
constexpr int share_holding(int total, int parts, int at) {
  const int least = total / parts;
  const int larger = total % parts;
  const int cut = larger * (least + 1);
  return at < cut ? at / (least + 1) : larger + (at - cut) / least;
}

/// Slice `slice` of a slot's tile.
constexpr WorkUnit slice_unit(const WorkPlan& plan, int slot, int slice) {
  return {slot, even_share(plan.k_steps, plan.slices, slice), slice, plan.slices};
}

/// The workers that stream slot `slot`, in order of k: part i is the share of worker begin + i.
constexpr Span<int> streaming_workers(const WorkPlan& plan, int workers, int slot) {
  const int total = plan.streamed * plan.k_steps;
  const int begin = slot * plan.k_steps;
  return {share_holding(total, workers, begin),
          share_holding(total, workers, begin + plan.k_steps - 1) + 1};
}

/// A place for each part of streamed tiles: a worker has at most one part that begins a tile and
/// one that does not.
constexpr int streamed_part_place(int worker, int part) {
  return 2 * worker + (part > 0 ? 1 : 0);
}

/// The units of one worker, in its order.
template <Division D>
class UnitWalk {
 public:
  constexpr UnitWalk(const WorkPlan& plan, int worker, int workers)
      : plan_(plan), worker_(worker), workers_(workers), next_(worker) {
    if constexpr (D == Division::StreamK) {
      next_ += plan.streamed;
      if (plan.streamed > 0) steps_ = even_share(plan.streamed * plan.k_steps, workers, worker);
    }
  }

  /// The next unit; false when there is none.
  constexpr bool next(WorkUnit& unit) {
    if constexpr (D == Division::StreamK) {
      if (steps_.end > steps_.begin) return next_streamed(unit);
    }
    const int taken = next_;
    next_ += workers_;
    if constexpr (D == Division::SplitK) {
      if (taken >= plan_.slots * plan_.slices) return false;
      unit = slice_unit(plan_, taken / plan_.slices, taken % plan_.slices);
    } else {
      if (taken >= plan_.slots) return false;
      unit = {taken, {0, plan_.k_steps}, 0, 1};
    }
    return true;
  }

 private:
  constexpr bool next_streamed(WorkUnit& unit) {
    const int slot = (steps_.end - 1) / plan_.k_steps;
    const int tile_begin = slot * plan_.k_steps;
    const int begin = steps_.begin > tile_begin ? steps_.begin : tile_begin;
    const Span<int> workers = streaming_workers(plan_, workers_, slot);
    unit = {slot,
            {begin - tile_begin, steps_.end - tile_begin},
            worker_ - workers.begin,
            workers.size()};
    steps_.end = begin;
    return true;
  }

  const WorkPlan& plan_;
  int worker_;
  int workers_;
  int next_;
  Span<int> steps_;  // StreamK: what is left of the worker's share
};

}  // namespace tw
