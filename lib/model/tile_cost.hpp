// What a tile costs a multiprocessor: clocks of its main loop and around it.
//
// What the device does stands in its file (TileRates), fitted to recorded times, others of which
// were kept back to check.
#pragma once

#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// The constants that the cost of a tile is read from: those of the family whose tiles are priced
/// part by part.
using TileKernel = tw::Sm90Params;

/// How the copies into a stage fare on their way.
struct StageCopies {
  double misaligned_rows = 0;  // of a stage, as rows_of_stage() counts them
  double missed = 0;           // share of the bytes that L2 has not got
};

/// Clocks of one stage: the tensor core's, or what shared memory or TMA needs when that is more;
/// and at least a trip around the ring of stages over their number, and what handing a stage on
/// takes.
double stage_clocks(const TileKernel& kernel, const DeviceSpec& device,
                    const StageCopies& copies = {});

/// The constants of the plan's kernel; of a plan of another family those that a kernel of this one
/// would have.
TileKernel sm90_constants(const Plan& plan);

/// Rows of a stage's boxes of A and B by how they lie in L2: a CTA's own share of what its cluster
/// loads. TMA and L2 take longer for those that begin within a sector of 32 bytes.
struct StageRows {
  double all = 0;
  double misaligned = 0;  // begin within a sector
  double across = 0;      // lie across cache lines, in operands that have no misaligned ones
};

/// Where tiles of an operand whose rows are not along K begin within a sector, all its rows count:
/// those of every second tile do, and the others wait for them.
StageRows rows_of_stage(const Plan& plan);

/// Clocks from the last multiplication to the last store's issue.
double epilogue_clocks(const TileKernel& kernel, const DeviceSpec& device);

/// Of those what the bias and the activation add, of so many rows and columns of D: the bias's
/// bytes from L2, once a column, and instructions by the unit that they keep busy longest.
double operation_clocks(const tw::EpilogueParams& epilogue, double rows, double columns,
                        const DeviceSpec& device);

/// Of an epilogue: in ping-pong the other warpgroup's main loop hides it, but for the last tile.
double exposed_epilogue_clocks(const TileKernel& kernel, const DeviceSpec& device, bool last_tile);

/// Clocks that a tile waits until its coordinates are known: curves are walked digit by digit.
double raster_clocks(const Raster& raster, const DeviceSpec& device);

/// Of what the CTAs of a cluster share, a part still counts for each of them on the way from L2:
/// bytes moved, over bytes read.
double multicast_overhead(const TileConfig& config, const DeviceSpec& device);

/// Times that overlap: near the greatest, a little more where they are close.
double overlapped(double a, double b, double c = 0);

}  // namespace tilewright
