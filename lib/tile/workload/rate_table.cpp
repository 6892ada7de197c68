#include "tile/workload/rate_table.hpp"

#include "base/text.hpp"

namespace tilewright {
namespace {

// Rates of the device as a whole.
std::vector<RateKey> device_keys(DeviceSpec& d) {
  return {
      {"launch", "first_load_sooner_us", &d.launch.first_load_sooner_us, RateRange::NotNegative},
      {"launch", "cluster_us", &d.launch.cluster_us, RateRange::NotNegative},
      {"launch", "ping_pong_us", &d.launch.ping_pong_us, RateRange::NotNegative},
      {"launch", "further_cta_us", &d.launch.further_cta_us, RateRange::NotNegative},
      {"launch", "fill_us", &d.launch.fill_us, RateRange::NotNegative},
      {"clock", "idle_exponent", &d.clock.idle_exponent, RateRange::NotNegative},
      {"clock", "most_gain", &d.clock.most_gain, RateRange::Positive},
      {"clock", "brief_us", &d.clock.brief_us, RateRange::Positive},
      {"clock", "length_exponent", &d.clock.length_exponent, RateRange::NotNegative},
      {"clock", "least_share", &d.clock.least_share, RateRange::UpToOne},
      {"l2", "partitions", &d.l2.partitions, RateRange::OneOrTwo},
      {"l2", "ways", &d.l2.ways, RateRange::UpTo1024},
      {"l2", "write_room", &d.l2.write_room, RateRange::Positive},
      {"l2", "merged_share", &d.l2.merged_share, RateRange::BelowOne},
      {"l2", "merged_across_share", &d.l2.merged_across_share, RateRange::BelowOne},
      {"l2", "evict_first_share", &d.l2.evict_first_share, RateRange::Positive},
      {"l2", "evict_first_ways", &d.l2.evict_first_ways, RateRange::UpTo1024},
      {"l2", "zero_row_bytes", &d.l2.zero_row_bytes, RateRange::NotNegative},
      {"l2", "misaligned_row_bytes", &d.l2.misaligned_row_bytes, RateRange::NotNegative},
      {"memory", "repack_share", &d.memory.repack_share, RateRange::UpToOne},
      {"memory", "repeat_share", &d.memory.repeat_share, RateRange::NotNegative},
      {"memory", "shared_sector_us", &d.memory.shared_sector_us, RateRange::NotNegative},
      {"memory", "late_write_share", &d.memory.late_write_share, RateRange::BelowOne},
      {"memory", "late_write_room", &d.memory.late_write_room, RateRange::Positive},
      {"sm", "threads", &d.sm.threads, RateRange::Positive},
      {"sm", "reserved_smem_bytes", &d.sm.reserved_smem_bytes, RateRange::NotNegative},
      {"sm", "fp32_per_clock", &d.sm.fp32_per_clock, RateRange::Positive},
      {"sm", "specials_per_clock", &d.sm.specials_per_clock, RateRange::Positive},
      {"groups", "cluster_fill_share", &d.groups.cluster_fill_share, RateRange::UpToOne},
      {"groups", "pace", &d.groups.pace, RateRange::Positive},
      {"groups", "lone_cta_runs", &d.groups.lone_cta_runs, RateRange::Positive},
  };
}

std::vector<RateKey> tile_keys(DeviceSpec& d) {
  return {
      {"tile", "shared_bytes_per_clock", &d.tile.shared_bytes_per_clock, RateRange::Positive},
      {"tile", "misaligned_row_clocks", &d.tile.misaligned_row_clocks, RateRange::NotNegative},
      {"tile", "misaligned_store_clocks", &d.tile.misaligned_store_clocks, RateRange::NotNegative},
      {"tile", "crossing_store_clocks", &d.tile.crossing_store_clocks, RateRange::NotNegative},
      {"tile", "step_clocks", &d.tile.step_clocks, RateRange::NotNegative},
      {"tile", "hit_clocks", &d.tile.hit_clocks, RateRange::NotNegative},
      {"tile", "receive_bytes_per_clock", &d.tile.receive_bytes_per_clock, RateRange::Positive},
      {"tile", "miss_clocks", &d.tile.miss_clocks, RateRange::NotNegative},
      {"tile", "multicast_rows", &d.tile.multicast_rows, RateRange::Positive},
      {"tile", "thin_slice_share", &d.tile.thin_slice_share, RateRange::NotNegative},
      {"tile", "late_stages", &d.tile.late_stages, RateRange::NotNegative},
      {"tile", "warpgroup_clocks", &d.tile.warpgroup_clocks, RateRange::NotNegative},
      {"tile", "epilogue_clocks", &d.tile.epilogue_clocks, RateRange::NotNegative},
      {"tile", "store_clocks", &d.tile.store_clocks, RateRange::NotNegative},
      {"tile", "epilogue_bytes_per_clock", &d.tile.epilogue_bytes_per_clock, RateRange::Positive},
      {"tile", "odd_store_bytes_per_clock", &d.tile.odd_store_bytes_per_clock, RateRange::Positive},
      {"tile", "hand_over_clocks", &d.tile.hand_over_clocks, RateRange::NotNegative},
      {"tile", "multicast_share", &d.tile.multicast_share, RateRange::NotNegative},
      {"tile", "promotion_share", &d.tile.promotion_share, RateRange::UpToOne},
      {"tile", "scale_clocks", &d.tile.scale_clocks, RateRange::NotNegative},
      {"tile", "line_scale_clocks", &d.tile.line_scale_clocks, RateRange::NotNegative},
      {"tile", "crossing_clocks", &d.tile.crossing_clocks, RateRange::NotNegative},
      {"tile", "exchange_clocks", &d.tile.exchange_clocks, RateRange::NotNegative},
      {"tile", "addend_clocks", &d.tile.addend_clocks, RateRange::NotNegative},
      {"tile", "addend_piece_clocks", &d.tile.addend_piece_clocks, RateRange::NotNegative},
  };
}

std::vector<RateKey> family_keys(DeviceSpec& d) {
  return {
      {"scheduling", "search_first_us", &d.scheduling.search_first_us, RateRange::NotNegative},
      {"scheduling", "search_unit_us", &d.scheduling.search_unit_us, RateRange::NotNegative},
      {"scheduling", "table_first_us", &d.scheduling.table_first_us, RateRange::NotNegative},
      {"scheduling", "counter_first_us", &d.scheduling.counter_first_us, RateRange::NotNegative},
      {"scheduling", "counter_unit_us", &d.scheduling.counter_unit_us, RateRange::NotNegative},
      {"scheduling", "counter_cluster_unit_us", &d.scheduling.counter_cluster_unit_us,
       RateRange::NotNegative},
      {"scheduling", "own_maps_us", &d.scheduling.own_maps_us, RateRange::NotNegative},
      {"scheduling", "list_us", &d.scheduling.list_us, RateRange::NotNegative},
      {"scheduling", "triangle_us", &d.scheduling.triangle_us, RateRange::NotNegative},
      {"scheduling", "hilbert_clocks", &d.scheduling.hilbert_clocks, RateRange::NotNegative},
      {"scheduling", "morton_clocks", &d.scheduling.morton_clocks, RateRange::NotNegative},
      {"scheduling", "factors_clocks", &d.scheduling.factors_clocks, RateRange::NotNegative},
      {"scheduling", "hidden_share", &d.scheduling.hidden_share, RateRange::BelowOne},
      {"join", "sm90_turn_us", &d.join.sm90_turn_us, RateRange::NotNegative},
      {"join", "part_bytes_per_us", &d.join.part_bytes_per_us, RateRange::Positive},
      {"join", "bulk_us", &d.join.bulk_us, RateRange::NotNegative},
      {"join", "meet_us", &d.join.meet_us, RateRange::NotNegative},
      {"join", "atomic_bytes_per_us", &d.join.atomic_bytes_per_us, RateRange::Positive},
      {"join", "workspace_bytes_per_us", &d.join.workspace_bytes_per_us, RateRange::Positive},
      {"join", "second_kernel_us", &d.join.second_kernel_us, RateRange::NotNegative},
      {"join", "share_us", &d.join.share_us, RateRange::NotNegative},
      {"join", "cluster_meet_us", &d.join.cluster_meet_us, RateRange::NotNegative},
      {"join", "cluster_bytes_per_us", &d.join.cluster_bytes_per_us, RateRange::Positive},
      {"mma", "issue_share", &d.mma.issue_share, RateRange::UpToOne},
      {"mma", "warps_wanted", &d.mma.warps_wanted, RateRange::Positive},
      {"mma", "narrow_copy_share", &d.mma.narrow_copy_share, RateRange::NotNegative},
      {"mma", "register_copy_share", &d.mma.register_copy_share, RateRange::NotNegative},
      {"mma", "memory_share", &d.mma.memory_share, RateRange::Positive},
      {"mma", "latency_us", &d.mma.latency_us, RateRange::NotNegative},
      {"mma", "epilogue_clocks", &d.mma.epilogue_clocks, RateRange::NotNegative},
      {"mma", "store_bytes_per_clock", &d.mma.store_bytes_per_clock, RateRange::Positive},
      {"mma", "sm80_turn_us", &d.mma.sm80_turn_us, RateRange::NotNegative},
      {"mma", "second_kernel_us", &d.mma.second_kernel_us, RateRange::NotNegative},
      {"skinny", "memory_share", &d.skinny.memory_share, RateRange::Positive},
      {"skinny", "latency_us", &d.skinny.latency_us, RateRange::NotNegative},
      {"skinny", "start_us", &d.skinny.start_us, RateRange::NotNegative},
      {"skinny", "wave_us", &d.skinny.wave_us, RateRange::NotNegative},
      {"skinny", "cta_bytes_per_us", &d.skinny.cta_bytes_per_us, RateRange::Positive},
      {"skinny", "cta_crossing_share", &d.skinny.cta_crossing_share, RateRange::NotNegative},
      {"skinny", "misaligned_line_share", &d.skinny.misaligned_line_share, RateRange::NotNegative},
      {"skinny", "more_rows_share", &d.skinny.more_rows_share, RateRange::NotNegative},
      {"skinny", "arrival_us", &d.skinny.arrival_us, RateRange::NotNegative},
  };
}

std::vector<RateKey> link_keys(DeviceSpec& d) {
  return {
      {"links", "store_bytes_per_us", &d.links.store_bytes_per_us, RateRange::Positive},
      {"links", "cta_store_bytes_per_us", &d.links.cta_store_bytes_per_us, RateRange::Positive},
      {"links", "add_bytes_per_us", &d.links.add_bytes_per_us, RateRange::Positive},
      {"links", "load_bytes_per_us", &d.links.load_bytes_per_us, RateRange::Positive},
      {"links", "copy_bytes_per_us", &d.links.copy_bytes_per_us, RateRange::Positive},
      {"links", "copy_us", &d.links.copy_us, RateRange::Positive},
      {"links", "flag_us", &d.links.flag_us, RateRange::Positive},
  };
}

}  // namespace

std::vector<RateKey> rate_keys(DeviceSpec& d) {
  std::vector<RateKey> keys = device_keys(d);
  for (const std::vector<RateKey>& more : {tile_keys(d), family_keys(d), link_keys(d)}) {
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

std::string path_of(const RateKey& key) {
  return format("{}.{}", key.section, key.key);
}

}  // namespace tilewright
