// What the cost model knows of a device beyond its limits and sustained rates. Numbers stand in
// device files alone: presets/devices/h200.yaml gives an H200's and tells how they were found.
#pragma once

#include <array>
#include <vector>

namespace tilewright {

/// The start of a kernel beside DeviceSpec::launch_us.
struct LaunchRates {
  double first_load_sooner_us = 0;  // of launch_us, saved where loads leave before any division
  double cluster_us = 0;            // added where CTAs of a cluster meet first
  bool operator==(const LaunchRates&) const = default;
};

/// How the clock follows the load: power is what limits it. Where the tensor cores multiply for t
/// microseconds, more than brief_us, it is (t / brief_us)^-length_exponent of the sustained one.
struct ClockModel {
  double idle_exponent = 0;  // with a share f of the device busy it is f^-this times as high
  double most_gain = 0;      // over the sustained clock
  double brief_us = 0;
  double length_exponent = 0;
  double least_share = 0;  // of the sustained clock, however long
  bool operator==(const ClockModel&) const = default;
};

/// The L2 cache, beside its bytes and its bandwidth.
struct L2Model {
  int partitions = 0;               // each with half of the multiprocessors where there are 2
  int ways = 0;                     // of a set, as counted DRAM reads show
  double write_room = 0;            // of a written line, which stays until DRAM has taken it
  double merged_share = 0;          // of reads of one line at one time by one group, asked once
  double merged_across_share = 0;   // of those of rows that lie across lines
  double zero_row_bytes = 0;        // as many as TMA's asking for a row outside of an operand takes
  double misaligned_row_bytes = 0;  // as many more as a row takes that begins within a sector
  double evict_first_share = 0;     // of the cache, that holds lines which are to go first
  int evict_first_ways = 0;         // of a set, that they spread over
  bool operator==(const L2Model&) const = default;
};

/// Memory, beside its bandwidth.
struct MemoryRates {
  double repack_share = 0;  // of the bandwidth, in copies of operands that TMA cannot address
  double repeat_share = 0;  // of bytes read again from L2 while they stream, counted as DRAM's
  bool operator==(const MemoryRates&) const = default;
};

/// A multiprocessor's room for CTAs.
struct SmLimits {
  int threads = 0;
  int reserved_smem_bytes = 0;    // of each CTA, by the driver
  double fp32_per_clock = 0;      // operations
  double specials_per_clock = 0;  // of the special function unit: exponentials, reciprocals
  bool operator==(const SmLimits&) const = default;
};

/// Groups of multiprocessors (GPC) that are told apart.
inline constexpr int kGroupCount = 8;

/// CTAs that fill one group behind each other.
struct GroupRun {
  int group = 0;
  int end = 0;  // the CTA behind the last one, of a whole launch
  bool operator==(const GroupRun&) const = default;
};

/// Where CTAs sit.
struct GroupModel {
  double cluster_fill_share = 0;  // of multiprocessors, that clusters of more than 2 can use
  std::array<double, kGroupCount> pace = {};  // a main loop's time
  std::vector<GroupRun> lone_cta_runs;
  bool operator==(const GroupModel&) const = default;
};

/// The main loop of the sm90 family on one multiprocessor: its stages are a ring, and each waits
/// for its copy, its multiplication and the one before.
struct TileRates {
  double shared_bytes_per_clock = 0;   // reads by the tensor core plus writes by copies
  double misaligned_row_clocks = 0;    // TMA's for a row that begins within a sector of L2
  double hit_clocks = 0;               // from a copy's issue under load to its multiplication
  double receive_bytes_per_clock = 0;  // of a copy's, on top of that
  double miss_clocks = 0;              // what a miss in L2 adds
  double step_clocks = 0;              // least time between two stages
  double multicast_rows = 0;           // slices of fewer rows cost
  double thin_slice_share = 0;         // of the main loop, for slices of half as many rows
  double late_stages = 0;  // share of stages that are late, over the share of bytes that miss L2
  double warpgroup_clocks = 0;  // between stages, for each warpgroup of a tile beyond the first
  double epilogue_clocks = 0;   // a fixed part, beside stores and bytes
  double store_clocks = 0;      // of one store of an epilogue
  double epilogue_bytes_per_clock = 0;  // accumulators to shared memory and out
  double hand_over_clocks = 0;          // of the tensor cores, between ping-pong's warpgroups
  double multicast_share = 0;           // of what multicast saves in L2, still carried to the SMs
  bool operator==(const TileRates&) const = default;
};

/// How a CTA of the sm90 family finds its units.
struct SchedulingRates {
  double search_first_us = 0;  // a CTA's first unit, where it searches the problems' rows
  double search_unit_us = 0;   // every later one
  double table_first_us = 0;  // the first of a table that the host wrote; later ones are read ahead
  double counter_first_us = 0;         // the first that a counter deals out
  double counter_unit_us = 0;          // every later one of a lone CTA
  double counter_cluster_unit_us = 0;  // of a cluster, whose CTAs are told
  double own_maps_us = 0;              // a unit of another problem: its tensor maps
  double list_us = 0;      // the kernel that lists problems whose sizes the device alone knows
  double triangle_us = 0;  // a unit of a triangle of tiles of which neither side divides the other
  double hilbert_clocks = 0;  // to turn a slot into a tile, beyond a division
  double morton_clocks = 0;
  bool operator==(const SchedulingRates&) const = default;
};

/// Joining the parts of a tile of the sm90 family.
struct JoinRates {
  double sm90_turn_us = 0;         // a turn's release and its acquire by a spinning CTA, through L2
  double part_bytes_per_us = 0;    // of one CTA: in and out, while the others wait
  double meet_us = 0;              // atomic: fence, count, and the last one's reads
  double atomic_bytes_per_us = 0;  // of the device, into L2
  double workspace_bytes_per_us = 0;  // of the device
  double second_kernel_us = 0;        // of a workspace
  double share_us = 0;                // reduce-scatter: fence, count, first reads of the shares
  double cluster_meet_us = 0;         // a cluster's
  double cluster_bytes_per_us = 0;    // of one CTA, into the others' shared memory
  bool operator==(const JoinRates&) const = default;
};

/// The sm80 family, on mma.sync.
struct MmaRates {
  double issue_share = 0;          // of the tensor peak
  double warps_wanted = 0;         // by a multiprocessor's tensor cores
  double narrow_copy_share = 0;    // of the time, for copies of 8 bytes; 4 take twice that
  double register_copy_share = 0;  // of the time, for copies of 2 bytes through registers
  double memory_share = 0;         // of DRAM's bandwidth
  double epilogue_clocks = 0;      // of a CTA's tile
  double sm80_turn_us = 0;         // a slice's sums to L2 and back; the next slice waits
  double second_kernel_us = 0;     // of a workspace
  bool operator==(const MmaRates&) const = default;
};

/// The skinny family: weights streamed from DRAM.
struct SkinnyRates {
  double memory_share = 0;       // of DRAM's copy bandwidth, by reads alone
  double full_rate_s = 0;        // bytes under way over the bandwidth, for the full rate
  double warps_wanted = 0;       // by a multiprocessor
  double wave_share = 0;         // of what a last wave leaves empty
  double wide_lines_share = 0;   // of the time: half the CTAs to even out the end
  double sliced_wave_share = 0;  // of the time, for each wave of slices: starts and ends
  double one_batch_share = 0;    // of the time, with one batch at a time
  double activation_share = 0;   // of the time, for as many bytes of A from L2 as of B
  double arrival_us = 0;         // of slices
  bool operator==(const SkinnyRates&) const = default;
};

}  // namespace tilewright
