// Which operand reads hit L2 when a persistent launch walks its tiles: a replay in time.
//
// Each cluster takes its tiles one after the other, and reads slabs of A (its tiles' rows x a step
// of K) and B (their columns) step by step. A step starts when the step before is done and its
// slabs have arrived; DRAM and L2 serve one read after the other at their rates. So clusters that
// wait for DRAM fall behind clusters that hit the cache, as on the device; so do parts of a tile
// that wait for other parts.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Elements of K in one step of the replay: about what a pipeline holds, more where K is long.
inline constexpr int64_t kReplaySlabK = 256;

/// Traffic of one round: the first tiles of all clusters, or the second ones, ...; bytes.
struct WaveTraffic {
  int64_t tiles = 0;  // inside the output; the other CTAs of the wave idle
  double dram_read_bytes = 0;
  double l2_read_bytes = 0;
  double distinct_bytes = 0;  // lines that a GPC reads count once per GPC
  int64_t rounds = 1;         // consecutive rounds like this; the last of a run may be short
  bool operator==(const WaveTraffic&) const = default;
};

/// Traffic of a whole run; bytes.
struct L2Traffic {
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double l2_read_bytes = 0;       // L2 to SMs; a multicast read counts once per cluster
  double hit_rate = 0;            // of l2_read_bytes
  double partial_read_bytes = 0;  // of dram_read_bytes: reads of partial tiles
  int64_t slots = 0;              // of CTAs, overhang included
  int64_t ctas = 0;               // running at once
  std::vector<WaveTraffic> waves;
  bool operator==(const L2Traffic&) const = default;
};

/// Detail of a replay. Coarse takes a fraction of the time, to sort candidates: its clusters run in
/// lockstep over a few steps of K, and each partition of L2 reads a line once per round.
enum class ReplayDetail { Fine, Coarse };

/// Replays the tiles of a plan of one problem on the CTAs that the device runs at once; neither
/// stages nor schedule matter. Parts of divided tiles come in the plan's order, with the sums that
/// joining moves. A coarse replay, and one of very many parts, takes tiles as whole and assumes
/// that L2 holds all partial tiles. Long runs are replayed in part: the rounds beyond some 200,000
/// steps (coarse: 10,000) repeat the later half of the rounds before, so that no problem takes much
/// longer than another.
L2Traffic replay_l2(const Plan& plan, const DeviceSpec& device,
                    ReplayDetail detail = ReplayDetail::Fine);

}  // namespace tilewright
