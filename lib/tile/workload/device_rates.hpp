// What the cost model knows of a device beyond its limits and sustained rates. The defaults are an
// H200's, as measured; presets/devices/h200.yaml tells how. A device's file gives its own.
#pragma once

#include <array>
#include <vector>

namespace tilewright {

/// The start of a kernel beside DeviceSpec::launch_us.
struct LaunchRates {
  double first_load_sooner_us = 0.17;  // of launch_us, saved where loads leave before any division
  double cluster_us = 0.37;            // added where CTAs of a cluster meet first
  bool operator==(const LaunchRates&) const = default;
};

/// How the clock follows the load: power is what limits it. Where the tensor cores multiply for t
/// microseconds, more than brief_us, it is (t / brief_us)^-length_exponent of the sustained one.
struct ClockModel {
  double idle_exponent = 0.081;  // with a share f of the device busy it is f^-this times as high
  double most_gain = 1.2;        // over the sustained clock
  double brief_us = 150;
  double length_exponent = 0.085;
  double least_share = 0.79;  // of the sustained clock, however long
  bool operator==(const ClockModel&) const = default;
};

/// The L2 cache, beside its bytes and its bandwidth.
struct L2Model {
  int ways = 40;                     // of a set, as counted DRAM reads show
  double write_room = 1.15;          // of a written line, which stays until DRAM has taken it
  double merged_share = 0.62;        // of reads of one line at one time by one group, asked once
  double merged_across_share = 0.3;  // of those of rows that lie across lines
  double zero_row_bytes = 460;  // as many as TMA's asking for a row outside of an operand takes
  double misaligned_row_bytes = 80;  // as many more as a row takes that begins within a sector
  double evict_first_share = 0.07;   // of the cache, that holds lines which are to go first
  int evict_first_ways = 4;          // of a set, that they spread over
  bool operator==(const L2Model&) const = default;
};

/// Memory, beside its bandwidth.
struct MemoryRates {
  double repack_share = 0.75;   // of the bandwidth, in copies of operands that TMA cannot address
  double repeat_share = 0.034;  // of bytes read again from L2 while they stream, counted as DRAM's
  bool operator==(const MemoryRates&) const = default;
};

/// A multiprocessor's room for CTAs.
struct SmLimits {
  int threads = 2048;
  int reserved_smem_bytes = 1024;  // of each CTA, by the driver
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
  double cluster_fill_share = 0.9375;  // of multiprocessors, that clusters of more than 2 can use
  std::array<double, kGroupCount> pace = {1.0022, 1.0005, 1.0003, 0.9999,
                                          1.0005, 0.9975, 0.9960, 1.0002};  // a main loop's time
  std::vector<GroupRun> lone_cta_runs = {{0, 8},  {6, 26},  {7, 44},  {0, 52}, {1, 68},
                                         {2, 84}, {3, 100}, {4, 116}, {5, 132}};
  bool operator==(const GroupModel&) const = default;
};

/// The main loop of the sm90 family on one multiprocessor: its stages are a ring, and each waits
/// for its copy, its multiplication and the one before.
struct TileRates {
  double shared_bytes_per_clock = 201;   // reads by the tensor core plus writes by copies
  double misaligned_row_clocks = 5.5;    // TMA's for a row that begins within a sector of L2
  double hit_clocks = 1300;              // from a copy's issue under load to its multiplication
  double receive_bytes_per_clock = 126;  // of a copy's, on top of that
  double miss_clocks = 540;              // what a miss in L2 adds
  double step_clocks = 232;              // least time between two stages
  double multicast_rows = 42;            // slices of fewer rows cost
  double thin_slice_share = 0.085;       // of the main loop, for slices of half as many rows
  double multicast_share = 0.7;          // of what multicast saves in L2, still carried to the SMs
  bool operator==(const TileRates&) const = default;
};

/// Joining the parts of a tile of the sm90 family.
struct JoinRates {
  double sm90_turn_us = 1.14;  // a turn's release and its acquire by a spinning CTA, through L2
  double part_bytes_per_us = 66e3;        // of one CTA: in and out, while the others wait
  double meet_us = 1.15;                  // atomic: fence, count, and the last one's reads
  double atomic_bytes_per_us = 1.59e6;    // of the device, into L2
  double workspace_bytes_per_us = 8.4e6;  // of the device
  double second_kernel_us = 1.54;         // of a workspace
  double share_us = 3.5;                  // reduce-scatter: fence, count, first reads of the shares
  double cluster_meet_us = 1.33;          // a cluster's
  double cluster_bytes_per_us = 43.4e3;   // of one CTA, into the others' shared memory
  bool operator==(const JoinRates&) const = default;
};

/// The sm80 family, on mma.sync.
struct MmaRates {
  double issue_share = 0.57;          // of the tensor peak
  double warps_wanted = 8;            // by a multiprocessor's tensor cores
  double narrow_copy_share = 0.06;    // of the time, for copies of 8 bytes; 4 take twice that
  double register_copy_share = 0.35;  // of the time, for copies of 2 bytes through registers
  double memory_share = 0.8;          // of DRAM's bandwidth
  double sm80_turn_us = 1.5;          // a slice's sums to L2 and back; the next slice waits
  double second_kernel_us = 3;        // of a workspace
  bool operator==(const MmaRates&) const = default;
};

/// The skinny family: weights streamed from DRAM.
struct SkinnyRates {
  double memory_share = 1.02;       // of DRAM's copy bandwidth, by reads alone
  double full_rate_s = 1.4e-6;      // bytes under way over the bandwidth, for the full rate
  double warps_wanted = 8;          // by a multiprocessor
  double wave_share = 0.35;         // of what a last wave leaves empty
  double wide_lines_share = 0.03;   // of the time: half the CTAs to even out the end
  double sliced_wave_share = 0.15;  // of the time, for each wave of slices: starts and ends
  double one_batch_share = 0.2;     // of the time, with one batch at a time
  double activation_share = 0.04;   // of the time, for as many bytes of A from L2 as of B
  double arrival_us = 1.5;          // of slices
  bool operator==(const SkinnyRates&) const = default;
};

}  // namespace tilewright
