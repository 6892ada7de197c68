// A piece of work: one output tile of one problem, over a range of its main loop.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interruption.hpp"

namespace tilewright {

/// Tile (m, n) of a problem of a group, over k-steps [k_begin, k_end); a k-step is a CTA tile deep.
struct WorkTile {
  int32_t problem = 0;
  int32_t m = 0;
  int32_t n = 0;
  int32_t k_begin = 0;
  int32_t k_end = 0;
  bool operator==(const WorkTile&) const = default;
};

/// A kind of activity of a CTA, as a model predicts it or a kernel recorded it.
enum class SpanKind {
  Launch,    // before the first load, or before a second kernel
  MainLoop,  // of a tile of the output
  Tile,      // main loop and epilogue together, where they cannot be separated
  Padding,   // a unit that computes nothing
  Epilogue,
  Waiting,    // for the part before it at the turnstile
  FixUp,      // moving a partial tile
  Reduction,  // the second kernel, which sums partial tiles
};

/// True where a span belongs to a unit of a CTA, and so has a tile and a unit index.
constexpr bool is_unit(SpanKind kind) {
  return kind != SpanKind::Launch && kind != SpanKind::Reduction;
}

/// One activity; microseconds. `unit_index` is the unit's number in the CTA, early exits counted.
/// `work` and `unit_index` are meaningless in Launch and Reduction.
struct WorkSpan {
  SpanKind kind = SpanKind::MainLoop;
  int64_t cta = 0;
  int64_t lane = 0;  // row of the timeline: a place for one CTA on a multiprocessor, from 0
  int64_t unit_index = 0;
  double begin_us = 0;
  double end_us = 0;
  WorkTile work = {};
  bool operator==(const WorkSpan&) const = default;
};

/// Simulates CTAs on a device that holds some of them at once. Starts CTAs in order of their number
/// while fewer than `resident` run (0: no limit). advance(cta, ready) runs one as far as possible:
/// it returns false where the CTA waits, true where it ends and leaves its place, and appends to
/// `ready` the CTAs that it wakes. The order in which woken CTAs continue does not change the
/// outcome as long as a wait that has ended stays ended.
template <class Advance>
void simulate_ctas(int64_t ctas, int64_t resident, const Advance& advance) {
  std::vector<int64_t> ready;
  int64_t started = 0;
  int64_t free = resident > 0 ? resident : ctas;
  while (!ready.empty() || (free > 0 && started < ctas)) {
    throw_if_interrupted();
    if (ready.empty()) {
      --free;
      ready.push_back(started++);
    }
    const int64_t cta = ready.back();
    ready.pop_back();
    if (advance(cta, ready)) ++free;
  }
}

}  // namespace tilewright
