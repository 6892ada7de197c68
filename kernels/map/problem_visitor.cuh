// Grouped schedules: which problem of a list does tile t of the concatenation belong to.
//
// Device-only: a warp owns 32 problems at a time, lane i the problem `group + i`. A prefix sum over
// the lanes gives every lane the end of its problem's tiles; the lane whose range holds t wins.
// Tiles come in ascending order, so the warp only moves forward.
//
// Host-precompute: the host writes one entry (problem, first tile) for every tile of every block,
// `entries` a block, and block b reads entries * b + i for its i-th tile.
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

/// The warp's state, one object for its 32 lanes.
template <class Index>
class ProblemVisitor {
 public:
  /// `tiles_of(problem)` counts the tiles of problem 0 to problem_count - 1.
  template <class TilesOf>
  constexpr ProblemVisitor(int problem_count, const TilesOf& tiles_of)
      : problem_count_(problem_count) {
    load(tiles_of);
  }

  /// The problem that holds `tile`, which is not below the tile of the call before.
  template <class TilesOf>
  constexpr ProblemStart<Index> find(Index tile, const TilesOf& tiles_of) {
    while (tile >= ends_[kVisitorLanes - 1]) {
      if (group_ + kVisitorLanes >= problem_count_) return {};
      group_ += kVisitorLanes;
      group_first_ = ends_[kVisitorLanes - 1];
      load(tiles_of);
    }
    int lane = 0;  // the ballot's first set lane
    while (tile >= ends_[lane]) ++lane;
    return {group_ + lane, lane == 0 ? group_first_ : ends_[lane - 1]};
  }

 private:
  // Five rounds of "add what the lane 2^r below has", as shuffles do it.
  template <class TilesOf>
  constexpr void load(const TilesOf& tiles_of) {
    for (int lane = 0; lane < kVisitorLanes; ++lane) {
      const int problem = group_ + lane;
      ends_[lane] = problem < problem_count_ ? tiles_of(problem) : 0;
    }
    for (int offset = 1; offset < kVisitorLanes; offset *= 2) {
      for (int lane = kVisitorLanes - 1; lane >= offset; --lane) {
        ends_[lane] += ends_[lane - offset];
      }
    }
    for (int lane = 0; lane < kVisitorLanes; ++lane) ends_[lane] += group_first_;
  }

  int problem_count_ = 0;
  int group_ = 0;
  Index group_first_ = 0;
  Index ends_[kVisitorLanes] = {};
};

/// Entries that the host's table holds for each of `blocks`.
template <class Index>
constexpr Index table_entries(Index tiles, Index blocks) {
  return (tiles + blocks - 1) / blocks;
}

/// Where the table keeps tile t of the round robin: row by block, column by turn.
template <class Index>
constexpr Index table_place(Index tile, Index entries, Index blocks) {
  return entries * (tile % blocks) + tile / blocks;
}

}  // namespace tw
