// What a CTA does from when to when, as a model predicts it or a kernel recorded it.
#pragma once

#include <cstdint>

#include "tile/plan/work_tile.hpp"

namespace tilewright {

enum class SpanKind {
  Launch,    // before the first load, or of a second kernel
  MainLoop,  // of a wanted tile
  Tile,      // main loop and epilogue together, where they are not told apart
  Padding,   // a unit that computes nothing
  Epilogue,
  Waiting,    // for the turn of a part
  FixUp,      // moving a partial tile
  Reduction,  // the second kernel, which sums partial tiles
};

/// One activity; microseconds. `work` and `turn` (the CTA's how-many-th unit, early exits counted)
/// mean nothing in Launch and Reduction.
struct WorkSpan {
  SpanKind kind = SpanKind::MainLoop;
  int64_t cta = 0;
  int64_t lane = 0;  // where it runs: a multiprocessor's place, counted from 0
  int64_t turn = 0;
  double begin_us = 0;
  double end_us = 0;
  WorkTile work = {};
  bool operator==(const WorkSpan&) const = default;
};

}  // namespace tilewright
