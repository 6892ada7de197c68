// Grouped schedules: finds the problem that holds tile t when the problems' tiles are concatenated.
//
// On the device, a warp holds 32 problems at a time, lane i the problem `group + i`. A prefix sum
// over the lanes gives every lane the end of its problem's tiles; the lane with t in its range
// wins. Tiles come in ascending order, so the warp only moves forward, and a tile of the problem
// that it found last costs one comparison. The lanes are a template argument: shuffles of a warp in
// a kernel, an array on the host. The search is the same code.
#pragma once

namespace tw {

inline constexpr int kVisitorLanes = 32;

/// A problem and the tile of the concatenation where it begins.
template <class Index>
struct ProblemStart {
  int problem = -1;  // -1: no problem holds the tile
  Index first = 0;
  bool operator==(const ProblemStart&) const = default;
};

/// One value per lane, kept in an array: the lanes on the host.
template <class Index>
class ArrayLanes {
 public:
  template <class Of>
  constexpr void load(const Of& of) {
    for (int lane = 0; lane < kVisitorLanes; ++lane) values_[lane] = of(lane);
  }
  constexpr void add(Index value) {
    for (Index& own : values_) own += value;
  }
  /// Every lane from `offset` on adds the value of the lane `offset` below it.
  constexpr void add_from_below(int offset) {
    for (int lane = kVisitorLanes - 1; lane >= offset; --lane) {
      values_[lane] += values_[lane - offset];
    }
  }
  constexpr Index at(int lane) const { return values_[lane]; }
  /// The first lane with a value above `value`; the caller ensures that there is one.
  constexpr int first_above(Index value) const {
    int lane = 0;
    while (values_[lane] <= value) ++lane;
    return lane;
  }

 private:
  Index values_[kVisitorLanes] = {};
};

/// The warp's state, one object for its 32 lanes.
template <class Index, class Lanes = ArrayLanes<Index>>
class ProblemVisitor {
 public:
  /// `tiles_of(problem)` counts the tiles of problem 0 to problem_count - 1.
  template <class TilesOf>
  constexpr ProblemVisitor(int problem_count, const TilesOf& tiles_of)
      : problem_count_(problem_count) {
    load(tiles_of);
  }

  /// The problem that holds `tile`; `tile` must not be below that of the previous call.
  template <class TilesOf>
  constexpr ProblemStart<Index> find(Index tile, const TilesOf& tiles_of) {
    if (tile < end_) return last_;
    while (tile >= ends_.at(kVisitorLanes - 1)) {
      if (group_ + kVisitorLanes >= problem_count_) return {};
      group_ += kVisitorLanes;
      group_first_ = ends_.at(kVisitorLanes - 1);
      load(tiles_of);
    }
    const int lane = ends_.first_above(tile);
    last_ = {group_ + lane, lane == 0 ? group_first_ : ends_.at(lane - 1)};
    end_ = ends_.at(lane);
    return last_;
  }

  /// The tiles of all problems; valid once find() has returned no problem.
  constexpr Index total() const { return ends_.at(kVisitorLanes - 1); }

 private:
  // Five rounds; in round r each lane adds the value of the lane 2^r below, as shuffles do.
  template <class TilesOf>
  constexpr void load(const TilesOf& tiles_of) {
    ends_.load([&](int lane) -> Index {
      const int problem = group_ + lane;
      return problem < problem_count_ ? tiles_of(problem) : 0;
    });
    for (int offset = 1; offset < kVisitorLanes; offset *= 2) ends_.add_from_below(offset);
    ends_.add(group_first_);
  }

  int problem_count_ = 0;
  int group_ = 0;
  Index group_first_ = 0;
  Lanes ends_;
  ProblemStart<Index> last_;  // the last result of find()
  Index end_ = 0;             // end of that problem's tiles
};

}  // namespace tw
