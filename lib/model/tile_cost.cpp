#include "model/tile_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tilewright {
namespace {

// Clocks of a tile hardly depend on the problem's kind.
const Problem kAnyProblem{.shape = {4096, 4096, 4096}};
constexpr double kOverlapNorm = 12;
// Shared memory moves 128 bytes a clock and port; reads of the tensor core and writes of the copies
// share them and overlap in part.
constexpr double kSharedBytesPerClock = 180;
// What a multiprocessor takes in from L2, whatever multicast saves there.
constexpr double kReceiveBytesPerClock = 79;
// What TMA takes to ask for one cache line, where rows lie in two: 3000x3000x3000 took 80 us with
// tiles of 192x128 in pairs, 100 us with 128x256.
constexpr double kLineClocks = 2.1;
// Clocks from a copy's issue to its data, and the loss where no stage is ahead.
constexpr double kLoadLatencyClocks = 500;
constexpr double kLoadLatencyCost = 0.19;
// From a copy's issue under load to the next into its stage, and what a miss in L2 adds. Measured
// at 256x256x65536: 0.44 us a k-step with 3 stages, 0.32 with 4.
constexpr double kHitClocks = 1500;
constexpr double kMissClocks = 500;
constexpr double kLateStages = 2;  // share of late stages over that of missed bytes
// Multicast in slices of fewer rows than this costs the main loop a share.
constexpr double kSliceRows = 64;
constexpr double kThinSliceCost = 0.14;
// Of the bytes that multicast saves in L2, the share that the way to the SMs still carries.
constexpr double kMulticastShare = 0.39;
// Accumulators to shared memory and out: a fixed part, one a store, and the bytes.
constexpr double kEpilogueClocks = 400;
constexpr double kStoreClocks = 160;
constexpr double kEpilogueBytesPerClock = 64;
// Ping-pong's warpgroups hand the tensor cores over between tiles.
constexpr double kHandOverClocks = 550;
constexpr double kHilbertClocks = 1100;
constexpr double kMortonClocks = 700;

// What multicast slices of few rows cost: 1 for none and for thick ones.
double slice_cost(const TileConfig& c) {
  double rows = kSliceRows;
  if (c.cluster.n > 1) rows = static_cast<double>(c.cta.m) / c.cluster.n;
  if (c.cluster.m > 1) rows = std::min(rows, static_cast<double>(c.cta.n) / c.cluster.m);
  return 1 + kThinSliceCost * std::max(0.0, kSliceRows / rows - 1);
}

// Of a box's rows of a line's length, the share that lies in two lines.
double straddling_rows(int64_t contiguous, DataType dtype) {
  constexpr int64_t kLineBytes = 128;
  const int64_t aligned = std::gcd(contiguous * element_bytes(dtype), kLineBytes);
  return 1 - static_cast<double>(aligned) / kLineBytes;
}

}  // namespace

double overlapped(double a, double b, double c) {
  const double most = std::max({a, b, c});
  if (most <= 0) return 0;
  const auto part = [most](double t) { return std::pow(t / most, kOverlapNorm); };
  return most * std::pow(part(a) + part(b) + part(c), 1 / kOverlapNorm);
}

double stage_clocks(const TileConfig& c, const DeviceSpec& d, const StageCopies& copies) {
  const tw::TileParams params = kernel_params(c, kAnyProblem);
  const double tensor = 2.0 * c.cta.m * c.cta.n * c.cta.k / d.tensor_flops_per_clock_per_sm;
  // Each row of A is read by one warpgroup, B by every block of 64 rows.
  const double read =
      params.a_stage_bytes() + static_cast<double>(params.b_stage_bytes()) * c.cta.m / params.kMmaM;
  const double shared = (read + params.stage_bytes()) / kSharedBytesPerClock;
  const double receive = params.stage_bytes() / kReceiveBytesPerClock;
  const double ahead = (c.stages - 1) * tensor / kLoadLatencyClocks;
  const double flowing = overlapped(overlapped(tensor, shared, receive), copies.straddle_clocks) /
                         (1 - kLoadLatencyCost * std::exp(-ahead)) * slice_cost(c);
  // A stage waits for its last line, so that a few misses make it late; one stage is multiplied.
  const double late = std::min(1.0, kLateStages * copies.missed);
  const double flight = kHitClocks + kMissClocks * late + copies.straddle_clocks;
  return std::max(flowing, flight / std::max(c.stages - 1, 1));
}

double straddle_clocks(const Problem& p, const TileConfig& c) {
  const Repacked repacked = repacked_operands(p);
  const double of_a =
      repacked.a ? 0 : straddling_rows(k_contiguous_a(p.layout) ? p.shape.k : p.shape.m, p.dtype);
  const double of_b =
      repacked.b ? 0 : straddling_rows(k_contiguous_b(p.layout) ? p.shape.k : p.shape.n, p.dtype);
  if (of_a == 0 && of_b == 0) return 0;
  double rows_of_a = static_cast<double>(c.cta.m) / c.cluster.n;
  double rows_of_b = static_cast<double>(c.cta.n) / c.cluster.m;
  if (c.swap_ab) std::swap(rows_of_a, rows_of_b);
  return kLineClocks * (rows_of_a * (1 + of_a) + rows_of_b * (1 + of_b));
}

double epilogue_clocks(const TileConfig& c) {
  const tw::TileParams params = kernel_params(c, kAnyProblem);
  const double stores = params.mma_rows() * params.mma_parts() * params.store_pieces();
  return kEpilogueClocks + kStoreClocks * stores + 2.0 * c.cta.m * c.cta.n / kEpilogueBytesPerClock;
}

double exposed_epilogue_clocks(const TileConfig& c, bool last_tile) {
  const bool hidden = c.schedule == KernelSchedule::PingPong && !last_tile;
  return hidden ? kHandOverClocks : epilogue_clocks(c);
}

double raster_clocks(const Raster& raster) {
  if (raster.kind == tw::RasterKind::Hilbert) return kHilbertClocks;
  return raster.kind == tw::RasterKind::Morton ? kMortonClocks : 0;
}

double multicast_overhead(const TileConfig& c) {
  const double all = c.cta.m + c.cta.n;
  const double own =
      static_cast<double>(c.cta.m) / c.cluster.n + static_cast<double>(c.cta.n) / c.cluster.m;
  return (own + kMulticastShare * (all - own)) / own;
}

}  // namespace tilewright
