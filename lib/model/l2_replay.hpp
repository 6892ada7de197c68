// Which operand reads hit L2 when a persistent launch walks its tiles: an LRU replay.
//
// The CTAs of a wave run in lockstep over K. In every step of 256 elements each CTA reads one slab
// of A (its tile's rows x 256) and one of B (its tile's columns x 256); after the last step its
// output tile goes through the same cache. Slabs are kept or dropped whole, least recently used
// first.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/device_spec.hpp"
#include "tile/problem.hpp"
#include "tile/tile_config.hpp"

namespace tilewright {

/// Elements of K in one step of the replay.
inline constexpr int kReplaySlabK = 256;

/// What one wave does; bytes.
struct WaveTraffic {
  int64_t tiles = 0;  // inside the output; the other CTAs of the wave idle
  double dram_read_bytes = 0;
  double l2_read_bytes = 0;
  bool operator==(const WaveTraffic&) const = default;
};

/// Traffic of a whole run; bytes.
struct L2Traffic {
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double l2_read_bytes = 0;  // L2 to SMs; a multicast read counts once a cluster
  double hit_rate = 0;       // of l2_read_bytes
  int64_t slots = 0;         // of CTAs, overhang included
  int64_t ctas = 0;          // running at once
  std::vector<WaveTraffic> waves;
  bool operator==(const L2Traffic&) const = default;
};

/// CTAs that run at once: one a multiprocessor, in whole clusters; at least one cluster.
int64_t persistent_ctas(const TileConfig& config, const DeviceSpec& device);

/// Replays a legal config against `device.l2_effective_bytes`. Long runs are replayed in part: the
/// waves beyond some million slab reads repeat the mean of the later half of those before.
L2Traffic replay_l2(const Problem& problem, const TileConfig& config, const DeviceSpec& device);

}  // namespace tilewright
