// Clocks that a tile costs a multiprocessor: in its main loop and around it.
//
// The device's file has the rates (TileRates). They were fitted to recorded times; other recorded
// times were kept back to check them.
#pragma once

#include <cstdint>

#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// The kernel constants that price a tile: those of the sm90 family, the one priced part by part.
using TileKernel = tw::Sm90Params;

/// State of the copies into a stage.
struct StageCopies {
  double misaligned_rows = 0;  // per stage, as rows_of_stage() counts them
  double missed = 0;           // share of the bytes that L2 misses
};

/// Clocks of one stage: the tensor core's, or shared memory's or TMA's if those are more; at least
/// the trip around the ring of stages divided by their number, and the time to hand on a stage.
/// With `sharers` CTAs on the multiprocessor, each of them computes a stage in that time.
double stage_clocks(const TileKernel& kernel, const DeviceSpec& device,
                    const StageCopies& copies = {}, int64_t sharers = 1);

/// CTAs on the fullest multiprocessor if `ctas` run at once.
int64_t sharers_of(int64_t ctas, const DeviceSpec& device);

/// The constants of the plan's kernel; for another family, those of an sm90 kernel of the same
/// config.
TileKernel sm90_constants(const Plan& plan);

/// A line of L2, and a sector, the least part of one that is read or written.
inline constexpr int64_t kL2LineBytes = 128;
inline constexpr int64_t kL2SectorBytes = 32;

/// Rows of a stage's boxes of A and B by their alignment in L2 that a CTA loads: its share of its
/// cluster's, and all of those that it loads before the cluster synchronises. TMA and L2 take
/// longer for rows that begin within a sector of 32 bytes.
struct StageRows {
  double once = 0;  // if the cluster loaded every row once
  double all = 0;
  double misaligned = 0;      // begin within a sector
  double crossing_lines = 0;  // cross cache lines, in operands without misaligned rows
};

/// If an operand's rows are not along K and its tiles begin within a sector, all its rows count:
/// those of every second tile do, and the other tiles wait for them.
StageRows rows_of_stage(const Plan& plan);

/// Clocks that TMA takes for a tile's rows that lie across sectors or lines of L2: those of all
/// its stages, and those of the boxes that it stores.
double unaligned_clocks(const Plan& plan, const TileKernel& kernel, const DeviceSpec& device);

/// Clocks that the epilogue of a whole tile takes longer where a row of D has an odd number of
/// 16-bit elements, which threads store one by one.
double odd_store_clocks(const Plan& plan, const TileKernel& kernel, const DeviceSpec& device);

/// Clocks from the last multiplication to the last store's issue, without any operation.
double store_clocks(const TileKernel& kernel, const DeviceSpec& device);

/// Clocks that bias and activation add to an epilogue over `rows` x `columns` of D: the bias's
/// bytes from L2, once per column, and the instructions of the busiest unit.
double operation_clocks(const tw::EpilogueParams& epilogue, double rows, double columns,
                        const DeviceSpec& device);
/// The same of the kernel's whole tile.
double operation_clocks(const TileKernel& kernel, const DeviceSpec& device);

/// store_clocks() and operation_clocks().
double epilogue_clocks(const TileKernel& kernel, const DeviceSpec& device);

/// Clocks that loads of C add to an epilogue, in a product of the sizes that the kernel computes.
/// Elements outside of D are not loaded.
double addend_clocks(const TileKernel& kernel, const DeviceSpec& device, const GemmShape& shape);

/// Clocks of an epilogue of `whole` clocks that nothing hides, where a tile's main loop takes
/// `main_loop`. Ping-pong's two warpgroups take turns in the main loop, so that a tile takes the
/// longer of a main loop and half of a main loop and an epilogue; nothing hides the last epilogue.
double exposed_epilogue_clocks(const TileKernel& kernel, const DeviceSpec& device, double whole,
                               double main_loop, bool last_tile);

/// Clocks until a tile's coordinates are known: curves are walked digit by digit.
double raster_clocks(const Raster& raster, const DeviceSpec& device);

/// The same for a list of factors, which the main loops of later tiles hide in part.
double factors_clocks(const Raster& raster, const DeviceSpec& device);

/// Bytes moved over the bytes of StageRows::once: a CTA loads some rows alone, and a share of the
/// others that a cluster's CTAs have in common still counts for each of them on the way from L2.
double multicast_overhead(const Plan& plan, const DeviceSpec& device);

/// Clocks that the promotion of one stage's sums takes of a multiprocessor: fp32 additions, and
/// what the scales of columns add; 0 unless promoted.
double promotion_clocks(const TileKernel& kernel, const DeviceSpec& device);

/// Duration of times that overlap: near the greatest, a little more where they are close.
double overlapped(double a, double b, double c = 0);

}  // namespace tilewright
