// Which operand reads hit L2 when a persistent launch walks its tiles: a replay in time.
//
// Each cluster takes its tiles one after the other, and the slabs of A (its tiles' rows x a step of
// K) and B (their columns) step by step. A step starts when the one before is done and its slabs
// are there: DRAM and L2 serve one read after the other at their rates. So clusters that wait for
// DRAM fall behind those that find their slabs in the cache, as on the device. So do parts of a
// tile that wait for others.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Elements of K in one step of the replay, which is about what a pipeline holds; more where K is
/// long.
inline constexpr int64_t kReplaySlabK = 256;

/// What the clusters' tiles of one round (the first of each, the second, ...) do; bytes.
struct WaveTraffic {
  int64_t tiles = 0;  // inside the output; the other CTAs of the wave idle
  double dram_read_bytes = 0;
  double l2_read_bytes = 0;
  double distinct_bytes = 0;  // read by each group of multiprocessors, once a group
  int64_t rounds = 1;         // alike, one after the other; only the last of a run may be short
  bool operator==(const WaveTraffic&) const = default;
};

/// Traffic of a whole run; bytes.
struct L2Traffic {
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double l2_read_bytes = 0;       // L2 to SMs; a multicast read counts once a cluster
  double hit_rate = 0;            // of l2_read_bytes
  double partial_read_bytes = 0;  // of dram_read_bytes: partial tiles, not operands
  int64_t slots = 0;              // of CTAs, overhang included
  int64_t ctas = 0;               // running at once
  std::vector<WaveTraffic> waves;
  bool operator==(const L2Traffic&) const = default;
};

/// How closely a replay looks: Coarse takes a fraction of the time, for sorting out. Its clusters
/// run in lockstep over a few steps of K, each line is read once a round on each side of L2.
enum class Grain { Fine, Coarse };

/// Replays the tiles of a plan of one problem, in turns over the CTAs that the device runs at once;
/// neither stages nor schedule matter. Parts of divided tiles come as the plan deals them, with
/// what joining them moves; of a coarse replay, and of very many, as if tiles were whole and L2
/// held all partial ones. Long runs are replayed in part: the rounds beyond some 200,000 steps
/// (coarse: 10,000) go on like the later half of those before, so that no problem takes much longer
/// than any other.
L2Traffic replay_l2(const Plan& plan, const DeviceSpec& device, Grain grain = Grain::Fine);

}  // namespace tilewright
