// What the units of a plan cost on a device: terms that estimate() sums up and a timeline shows.
#pragma once

#include <cstdint>
#include <vector>

#include "model/estimate.hpp"
#include "model/l2_replay.hpp"
#include "model/replay_cache.hpp"
#include "model/tile_cost.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/link_span.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Bytes that one k-step of a CTA moves, the number of CTAs at once, and the state of the copies.
struct StepLoad {
  double l2_bytes = 0;    // between L2 and the multiprocessors
  double dram_bytes = 0;  // reads and writes
  int64_t active = 0;
  StageCopies copies = {};
};

/// Consecutive rounds of equal length; round n runs unit n of every CTA. Microseconds.
struct RoundCost {
  double main_loop_us = 0;  // of a whole tile
  double epilogue_us = 0;
  int64_t count = 1;  // number of equal rounds
  int64_t end = 0;    // index of the first round after them
  bool operator==(const RoundCost&) const = default;
};

/// Time to find the units of a group or a triangle, besides their tiles; microseconds.
struct SchedulingCost {
  double first_us = 0;    // of a CTA's first unit
  double unit_us = 0;     // of every later one
  double problem_us = 0;  // added where the problem changes: its tensor maps
  bool operator==(const SchedulingCost&) const = default;
};

/// A plan's costs; microseconds. `device` outlives it. Where the device's rates predict no time, a
/// price counts k-steps instead: a k-step of any CTA lasts 1, and nothing else lasts.
struct Price {
  bool counts_k_steps = false;
  double copies_us = 0;           // kernels before it: copies of operands, a group's list
  double launch_us = 0;           // from a kernel's start to its first k-step, and its drain
  std::vector<RoundCost> rounds;  // of whole tiles of one problem, in order; else empty
  int64_t resident = 1;           // CTAs at once: those that start later begin at a later round
  std::vector<StepLoad> loads;    // by problem, where there are no rounds
  std::vector<LinkSpan> links;    // what the GPU sends, or receives of A, in order
  SchedulingCost scheduling;      // of a group, or a triangle
  double tail_us = 0;             // joining parts, where no CTA's share of it is modelled
  Estimate totals;                // all except the time
  TileConfig config;
  TileKernel kernel;  // its constants price k-steps, and epilogues outside rounds
  const DeviceSpec* device = nullptr;
  FixupRates join;           // of the device
  double addend_clocks = 0;  // of an epilogue that loads C
  double clock_share = 1;    // of the sustained clock, at which multiprocessors run
};

/// Prices a plan; `detail` is the detail of its L2 replays, of which a group takes fine ones from
/// `replays` unless that is null. A plan that none of our kernels runs (reject_plan() gives the
/// reason) is priced as the sm90 family would run it.
Price price_of(const Plan& plan, const DeviceSpec& device, ReplayDetail detail = ReplayDetail::Fine,
               ReplayCache* replays = nullptr);
/// The same from traffic replayed for the same tile, cluster and raster, for a plan of one problem.
Price price_of(const Plan& plan, const DeviceSpec& device, const L2Traffic& traffic);

/// Appends rounds, and sets their `end`.
void add_round(Price& price, RoundCost round);

/// Microseconds of the main loop over `k_steps` of a CTA's unit `unit_index`, while `active` CTAs
/// run.
double main_loop_us(const Price& price, int problem, int64_t k_steps, int64_t unit_index,
                    int64_t active);
/// Microseconds that a tile's epilogue adds, where its operations and loads of C are for the share
/// `finished` of its elements.
double epilogue_us(const Price& price, int64_t unit_index, int64_t active, double finished = 1);
/// Microseconds from a main loop to the next one, by ping-pong's other warpgroup.
double hand_over_us(const Price& price, int64_t active);

/// Adds the cost of a family's CTAs: generations of CTAs, with one unit each; divided tiles are
/// joined after the last generation.
void price_sm80(Price& price, const Plan& plan, const L2Traffic& traffic);
void price_skinny(Price& price, const Plan& plan, const L2Traffic& traffic);

/// Microseconds from the start of an sm_90a kernel to its first k-step, and of its drain.
double launch_us(const Plan& plan, const DeviceSpec& device);

/// The part of it that all families share: DeviceSpec::launch_us, less for launches of few CTAs.
double start_us(int64_t ctas, const DeviceSpec& device);

}  // namespace tilewright
