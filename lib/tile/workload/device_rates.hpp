// Rates of a device for the cost model, beyond its limits and sustained rates. The numbers are in
// device files only: presets/devices/h200.yaml has an H200's, with their sources.
#pragma once

#include <array>
#include <vector>

namespace tilewright {

/// The start of a kernel, in addition to DeviceSpec::launch_us.
struct LaunchRates {
  double first_load_sooner_us = 0;  // saved from launch_us where loads precede any division
  double cluster_us = 0;      // added for each doubling of a cluster, which synchronises first
  double ping_pong_us = 0;    // added by the warpgroups of a ping-pong kernel
  double further_cta_us = 0;  // added for each CTA but the first of a multiprocessor
  double fill_us = 0;         // of launch_us, for the share of multiprocessors with a CTA
  bool operator==(const LaunchRates&) const = default;
};

/// The clock as a function of the load; power limits it. Where the tensor cores multiply for t
/// microseconds, more than brief_us, it is (t / brief_us)^-length_exponent of the sustained one.
struct ClockModel {
  double idle_exponent = 0;  // with a busy share f of the device: clock times f^-idle_exponent
  double most_gain = 0;      // limit of that factor over the sustained clock
  double brief_us = 0;
  double length_exponent = 0;
  double least_share = 0;  // lower limit, as a share of the sustained clock
  bool operator==(const ClockModel&) const = default;
};

/// The L2 cache, in addition to its size and bandwidth.
struct L2Model {
  int partitions = 0;              // with 2, each serves half of the multiprocessors
  int ways = 0;                    // per set, fitted to counted DRAM reads
  double write_room = 0;           // cache room per written byte, kept until DRAM has taken it
  double merged_share = 0;         // of a GPC's reads of one line at one time, merged into one
  double merged_across_share = 0;  // the same for rows that lie across lines
  double zero_row_bytes = 0;       // cost of a TMA row outside of the operand, as bytes of L2 reads
  double misaligned_row_bytes = 0;  // extra bytes for a row that begins within a sector
  double evict_first_share = 0;     // of the cache, for lines that are evicted first
  int evict_first_ways = 0;         // per set, that these lines use
  bool operator==(const L2Model&) const = default;
};

/// Memory, in addition to its bandwidth.
struct MemoryRates {
  double repack_share = 0;      // of the bandwidth, in copies of operands that TMA cannot address
  double repeat_share = 0;      // of bytes re-read from L2 during streaming, counted as DRAM reads
  double shared_sector_us = 0;  // of the device, for a sector of D to which two tiles write
  // L2 keeps lines of D after the launch: late_write_share of a small D, none of one that is
  // late_write_room times the L2.
  double late_write_share = 0;
  double late_write_room = 0;
  bool operator==(const MemoryRates&) const = default;
};

/// Limits of one multiprocessor.
struct SmLimits {
  int threads = 0;
  int reserved_smem_bytes = 0;    // per CTA, by the driver
  double fp32_per_clock = 0;      // operations
  double specials_per_clock = 0;  // special function unit: exponentials, reciprocals
  bool operator==(const SmLimits&) const = default;
};

/// GPCs in the model.
inline constexpr int kGpcCount = 8;

/// A run of consecutive CTAs that fill one GPC.
struct GpcRun {
  int gpc = 0;
  int end = 0;  // the CTA after the last one, counted over a whole launch
  bool operator==(const GpcRun&) const = default;
};

/// The placement of CTAs on GPCs.
struct GpcModel {
  double cluster_fill_share = 0;            // of multiprocessors, usable by clusters of more than 2
  std::array<double, kGpcCount> pace = {};  // relative time of a main loop on each GPC
  std::vector<GpcRun> lone_cta_runs;
  bool operator==(const GpcModel&) const = default;
};

/// The main loop of the sm90 family on one multiprocessor: its stages are a ring, and each waits
/// for its copy, its multiplication and the stage before it.
struct TileRates {
  double shared_bytes_per_clock = 0;   // reads by the tensor core plus writes by copies
  double misaligned_row_clocks = 0;    // of TMA, for a row that begins within a sector of L2
  double misaligned_store_clocks = 0;  // the same, for a row of a box that it stores
  double crossing_store_clocks = 0;    // the same, for another row, if rows cross lines of L2
  double hit_clocks = 0;               // from a copy's issue under load to its multiplication
  double receive_bytes_per_clock = 0;  // of a copy; its time adds to hit_clocks
  double miss_clocks = 0;              // added by a miss in L2
  double step_clocks = 0;              // least time between two stages
  double multicast_rows = 0;           // multicast slices with fewer rows than this cost more
  double thin_slice_share = 0;         // of the main loop, for slices of half as many rows
  double late_stages = 0;  // share of stages that are late, over the share of bytes that miss L2
  double warpgroup_clocks = 0;  // between stages, for each warpgroup of a tile beyond the first
  double epilogue_clocks = 0;   // a fixed part, besides stores and bytes
  double store_clocks = 0;      // per store of an epilogue
  double epilogue_bytes_per_clock = 0;   // accumulators to shared memory and out
  double odd_store_bytes_per_clock = 0;  // into D, element by element
  double hand_over_clocks = 0;           // of the tensor cores, between ping-pong's warpgroups
  double multicast_share = 0;    // of the L2 reads that multicast saves, still carried to the SMs
  double promotion_share = 1;    // of the clocks of promotion, not hidden by multiplications
  double scale_clocks = 0;       // least clocks of a stage whose scales a CTA loads
  double line_scale_clocks = 0;  // more of it where rows and columns both have scales of their own
  double crossing_clocks = 0;    // of a row block, for each place where a block of scales may end
  double exchange_clocks = 0;    // of lanes, for the scale of one column of 64 rows
  double addend_clocks = 0;      // of an epilogue, for each element of C that a thread loads alone
  double addend_piece_clocks = 0;  // the same for a piece of 64 rows that comes at once
  bool operator==(const TileRates&) const = default;
};

/// Times of a CTA of the sm90 family to find its units.
struct SchedulingRates {
  double search_first_us = 0;   // a CTA's first unit, where it searches the problems' rows
  double search_unit_us = 0;    // every later one
  double table_first_us = 0;    // the first unit from the host's table; later ones are read ahead
  double counter_first_us = 0;  // the first unit from a counter
  double counter_unit_us = 0;   // every later one of a CTA without a cluster
  double counter_cluster_unit_us = 0;  // the same in a cluster: one CTA passes it to the others
  double own_maps_us = 0;              // the tensor maps, for a unit of another problem
  double list_us = 0;                  // the kernel that lists problems with sizes in device memory
  double triangle_us = 0;     // a unit of a triangle, if neither side of a tile divides the other
  double hilbert_clocks = 0;  // to turn a slot into a tile, beyond a division
  double morton_clocks = 0;
  double factors_clocks = 0;  // the same of a raster of several factors
  double hidden_share = 0;    // of these clocks, by ping-pong's other warpgroup
  bool operator==(const SchedulingRates&) const = default;
};

/// Reducing the parts of a tile in the sm90 family.
struct FixupRates {
  double sm90_turn_us = 0;       // a turnstile: release, and acquire by a spinning CTA, through L2
  double part_bytes_per_us = 0;  // of one CTA: in and out, while the others wait
  double bulk_us = 0;            // of a part that TMA adds, beyond one that its threads add
  double meet_us = 0;            // atomic: fence, count, and the last one's reads
  double atomic_bytes_per_us = 0;     // of the device, into L2
  double workspace_bytes_per_us = 0;  // of the device
  double second_kernel_us = 0;        // for a workspace
  double share_us = 0;                // reduce-scatter: fence, count, first reads of the shares
  double cluster_meet_us = 0;         // the exchange barriers of a cluster
  double cluster_bytes_per_us = 0;    // of one CTA, into the others' shared memory
  bool operator==(const FixupRates&) const = default;
};

/// The sm80 family, on mma.sync.
struct MmaRates {
  double issue_share = 0;            // of the tensor peak
  double warps_wanted = 0;           // per multiprocessor, to keep its tensor cores busy
  double narrow_copy_share = 0;      // of the time, for copies of 8 bytes; 4 take twice that
  double register_copy_share = 0;    // of the time, for copies of 2 bytes through registers
  double memory_share = 0;           // of DRAM's bandwidth
  double latency_us = 0;             // of a stage's loads, while the bandwidth is not the limit
  double epilogue_clocks = 0;        // per CTA tile
  double store_bytes_per_clock = 0;  // of a multiprocessor, into D by half sectors
  double sm80_turn_us = 0;           // a slice's sums to L2 and back; the next slice waits
  double second_kernel_us = 0;       // for a workspace
  bool operator==(const MmaRates&) const = default;
};

/// The skinny family: weights streamed from DRAM.
struct SkinnyRates {
  double memory_share = 0;           // of DRAM's copy bandwidth, by reads alone
  double latency_us = 0;             // of a warp's loads, while the bandwidth is not the limit
  double start_us = 0;               // until the first loads arrive, and to sum the warps' results
  double wave_us = 0;                // from a CTA's last loads to those of the CTA in its place
  double cta_bytes_per_us = 0;       // of one multiprocessor's CTAs, into registers
  double cta_crossing_share = 0;     // of that time, where B's lines begin inside of lines of L2
  double misaligned_line_share = 0;  // of DRAM's time, where B's lines begin inside of lines of L2
  double more_rows_share = 0;        // of DRAM's time, for every 8 rows of A behind the first
  double arrival_us = 0;             // for slices: counting arrivals
  bool operator==(const SkinnyRates&) const = default;
};

/// One direction of the links between the GPUs of a host, while the other direction is as busy.
struct LinkRates {
  double store_bytes_per_us = 0;      // stores of all multiprocessors into a peer's memory
  double cta_store_bytes_per_us = 0;  // of one multiprocessor
  double add_bytes_per_us = 0;        // fp32 sums that TMA adds to a peer's memory
  double load_bytes_per_us = 0;       // from a peer's memory; no L2 of the reader keeps them
  double copy_bytes_per_us = 0;       // of a copy engine
  double copy_us = 0;                 // before a copy's first byte, and after its last
  double flag_us = 0;                 // a release, until another GPU's acquire sees it
  bool operator==(const LinkRates&) const = default;
};

}  // namespace tilewright
