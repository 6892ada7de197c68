// What the units of a plan cost on a device: the terms that estimate() sums up and a timeline
// shows.
#pragma once

#include <cstdint>
#include <vector>

#include "model/estimate.hpp"
#include "model/l2_replay.hpp"
#include "model/tile_cost.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// What one CTA's k-step moves, bytes, how many CTAs run at once, and how the copies fare.
struct StepLoad {
  double l2_bytes = 0;    // between L2 and the multiprocessors
  double dram_bytes = 0;  // reads and writes
  int64_t active = 0;
  StageCopies copies = {};
};

/// Units that CTAs take as their first, second, ... and that last equally long; microseconds.
struct RoundCost {
  double main_loop_us = 0;  // of a whole tile
  double epilogue_us = 0;
  int64_t count = 1;  // rounds alike, one after the other
  int64_t end = 0;    // the turn behind its last one
  bool operator==(const RoundCost&) const = default;
};

/// What the units of a group or a triangle cost beside their tiles: finding them; microseconds.
struct SchedulingCost {
  double first_us = 0;    // of a CTA's first unit
  double unit_us = 0;     // of every later one
  double problem_us = 0;  // of a unit of another problem than the one before: its tensor maps
  bool operator==(const SchedulingCost&) const = default;
};

/// A plan's costs; microseconds. `device` outlives it.
struct Price {
  double copies_us = 0;           // of operands that the kernel cannot address, before it; and
                                  // of the kernel that lists a group's problems
  double launch_us = 0;           // from a kernel's start to its first k-step, and its drain
  std::vector<RoundCost> rounds;  // of whole tiles of one problem, by turn; else empty
  int64_t resident = 1;           // CTAs at once: those that start later begin at a later round
  std::vector<StepLoad> loads;    // by problem, where there are no rounds
  SchedulingCost scheduling;      // of a group, or a triangle
  double tail_us = 0;             // joining parts, where the model knows no CTA's share of it
  Estimate totals;                // all but the time
  TileConfig config;
  TileKernel kernel;  // whose constants k-steps and epilogues without rounds are priced by
  const DeviceSpec* device = nullptr;
  double clock_share = 1;  // of the sustained clock, at which multiprocessors run
};

/// What no kernel of ours runs is priced as the sm90 family would: reject_plan() says so. The grain
/// is of the replays that it rests on.
Price price_of(const Plan& plan, const DeviceSpec& device, Grain grain = Grain::Fine);
/// The same from a replay of the same tile, cluster and raster, of a plan of one problem.
Price price_of(const Plan& plan, const DeviceSpec& device, const L2Traffic& traffic);

/// Adds rounds behind those there are; their end follows.
void add_round(Price& price, RoundCost round);

/// The main loop over `k_steps` of a unit that its CTA takes as `turn`, with so many CTAs at work.
double main_loop_us(const Price& price, int problem, int64_t k_steps, int64_t turn, int64_t active);
/// Time that a tile's epilogue adds behind it.
double epilogue_us(const Price& price, int64_t turn, int64_t active);
/// From a main loop to the next one of ping-pong's other warpgroup.
double hand_over_us(const Price& price, int64_t active);

/// Adds to the price what the CTAs of a plan of the family cost: generations of them, of which each
/// runs one unit; divided tiles are joined behind the last.
void price_sm80(Price& price, const Plan& plan, const L2Traffic& traffic);
void price_skinny(Price& price, const Plan& plan, const L2Traffic& traffic);

/// From the start of an sm_90a kernel to its first k-step, and its drain; microseconds.
double launch_us(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
