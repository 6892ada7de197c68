#include "model/tile_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/math.hpp"
#include "tile/family/sm90.hpp"

namespace tilewright {

namespace {

// Clocks of a tile hardly depend on the problem's kind.
const Problem kAnyProblem{.shape = {4096, 4096, 4096}};
constexpr double kOverlapNorm = 6.7;
// The share of late stages over that of missed bytes.
constexpr double kLateStages = 1.4;
// Between two stages, for each warpgroup beyond the first that multiplies them together.
constexpr double kWarpgroupClocks = 54;
// Accumulators to shared memory and out: a fixed part, one a store, and the bytes.
constexpr double kEpilogueClocks = 130;
constexpr double kStoreClocks = 160;
constexpr double kEpilogueBytesPerClock = 62;
// Ping-pong's warpgroups hand the tensor cores over between tiles.
constexpr double kHandOverClocks = 570;

// What multicast slices of few rows cost: 1 for none and for thick ones.
double slice_cost(const TileConfig& c, const TileRates& rates) {
  double rows = rates.multicast_rows;
  if (c.cluster.n > 1) rows = static_cast<double>(c.cta.m) / c.cluster.n;
  if (c.cluster.m > 1) rows = std::min(rows, static_cast<double>(c.cta.n) / c.cluster.m);
  return 1 + rates.thin_slice_share * std::max(0.0, rates.multicast_rows / rows - 1);
}

// Rows of an operand that lie so many bytes apart, and whose boxes begin at multiples of `origin`
// bytes in them where that is not 0.
void add_rows(StageRows& all, double rows, int64_t apart, int64_t origin) {
  constexpr int64_t kSectorBytes = 32;
  constexpr int64_t kLineBytes = 128;
  const double misaligned =
      origin % kSectorBytes != 0
          ? 1
          : 1 - static_cast<double>(std::gcd(apart, kSectorBytes)) / kSectorBytes;
  const bool across = apart % kLineBytes != 0 || origin % kLineBytes != 0;
  all.misaligned += rows * misaligned;
  if (across && misaligned == 0) all.across += rows;
}

// A CTA's own rows of kernel operands: those that TMA loads for it.
double own_rows_of_a(const TileConfig& c) {
  return static_cast<double>(c.cta.m) / c.cluster.n;
}

double own_rows_of_b(const TileConfig& c) {
  return static_cast<double>(c.cta.n) / c.cluster.m;
}

}  // namespace

double overlapped(double a, double b, double c) {
  const double most = std::max({a, b, c});
  if (most <= 0) return 0;
  const auto part = [most](double t) { return std::pow(t / most, kOverlapNorm); };
  return most * std::pow(part(a) + part(b) + part(c), 1 / kOverlapNorm);
}

double stage_clocks(const TileConfig& c, const DeviceSpec& d, const StageCopies& copies) {
  const tw::Sm90Params params = sm90_params(c, kAnyProblem);
  // A stage is as many bytes deep in any type, and the tensor cores take operands by bytes.
  constexpr int kMeasuredK = tw::Sm90Params::kStageRowBytes / 2;
  const double tensor = 2.0 * c.cta.m * c.cta.n * kMeasuredK / d.tensor_flops_per_clock_per_sm;
  // Each row of A is read by one warpgroup, B by every block of 64 rows.
  const double read =
      params.a_stage_bytes() + static_cast<double>(params.b_stage_bytes()) * c.cta.m / params.kMmaM;
  const double shared = (read + params.stage_bytes()) / d.tile.shared_bytes_per_clock;
  const double asking = d.tile.misaligned_row_clocks * copies.misaligned_rows;
  const double flowing = overlapped(tensor, shared, asking) * slice_cost(c, d.tile);
  // A stage waits for its last line, so that a few misses make it late.
  const double late = std::min(1.0, kLateStages * copies.missed);
  const double flight = d.tile.hit_clocks + params.stage_bytes() / d.tile.receive_bytes_per_clock +
                        d.tile.miss_clocks * late + asking;
  // Once around the ring: the copy, and the multiplication that gives the stage back.
  const double around = (flight + flowing) / c.stages;
  const double handed = d.tile.step_clocks + kWarpgroupClocks * (params.warpgroups_per_tile() - 1);
  return overlapped(flowing, around, handed);
}

StageRows rows_of_stage(const Plan& plan) {
  const Problem& p = plan.product;
  const TileConfig& c = plan.config;
  double rows_of_a = own_rows_of_a(c);
  double rows_of_b = own_rows_of_b(c);
  StageRows rows{.all = rows_of_a + rows_of_b};
  int64_t tile_of_a = c.cta.m;
  int64_t tile_of_b = c.cta.n;
  if (c.swap_ab) {
    std::swap(rows_of_a, rows_of_b);
    std::swap(tile_of_a, tile_of_b);
  }
  const int64_t bytes = bytes_of(p.kind.dtype);
  const auto add = [&](double own, bool k_contiguous, int64_t lines, int64_t tile) {
    if (k_contiguous) {
      add_rows(rows, own, p.shape.k * bytes, 0);
    } else {
      add_rows(rows, own, lines * bytes, tile * bytes);
    }
  };
  if (!plan.copies.a) add(rows_of_a, k_contiguous_a(p.kind.layout), p.shape.m, tile_of_a);
  if (!plan.copies.b) add(rows_of_b, k_contiguous_b(p.kind.layout), p.shape.n, tile_of_b);
  return rows;
}

double epilogue_clocks(const TileConfig& c, bool mirrored) {
  const tw::Sm90Params params = sm90_params(c, kAnyProblem);
  const double stores = params.mma_rows() * params.mma_parts() * params.store_pieces();
  const double once = kStoreClocks * stores + 2.0 * c.cta.m * c.cta.n / kEpilogueBytesPerClock;
  return kEpilogueClocks + (mirrored ? 2 : 1) * once;
}

double exposed_epilogue_clocks(const TileConfig& c, bool last_tile, bool mirrored) {
  const bool hidden = c.schedule == KernelSchedule::PingPong && !last_tile;
  return hidden ? kHandOverClocks : epilogue_clocks(c, mirrored);
}

double hand_over_clocks() {
  return kHandOverClocks;
}

double raster_clocks(const Raster& raster) {
  return tw::record_of(raster.kind).clocks;
}

double multicast_overhead(const TileConfig& c, const DeviceSpec& d) {
  const double all = c.cta.m + c.cta.n;
  const double own = own_rows_of_a(c) + own_rows_of_b(c);
  return (own + d.tile.multicast_share * (all - own)) / own;
}

}  // namespace tilewright
