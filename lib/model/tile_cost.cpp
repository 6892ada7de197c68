#include "model/tile_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "base/math.hpp"
#include "tile/family/sm90.hpp"

namespace tilewright {

namespace {

// Exponent of the norm that combines overlapping times: part of the model, equal for all devices.
constexpr double kOverlapNorm = 6.7;

// Factor for multicast slices of few rows: 1 without multicast and for thick slices.
double slice_cost(const TileKernel& kernel, const TileRates& rates) {
  double rows = rates.multicast_rows;
  if (kernel.cluster_n > 1) rows = static_cast<double>(kernel.cta_m) / kernel.cluster_n;
  if (kernel.cluster_m > 1) {
    rows = std::min(rows, static_cast<double>(kernel.cta_n) / kernel.cluster_m);
  }
  return 1 + rates.thin_slice_share * std::max(0.0, rates.multicast_rows / rows - 1);
}

// Share of the rows `apart` bytes apart that begin within a sector.
double misaligned_share(int64_t apart) {
  return 1 - static_cast<double>(std::gcd(apart, kL2SectorBytes)) / kL2SectorBytes;
}

int64_t row_bytes_of_d(const Plan& plan) {
  const ProductKind& kind = plan.product.kind;
  return pitches_of(plan.product, plan.options.places).d * bytes_of(output_type(kind));
}

// Adds rows of an operand that lie `apart` bytes apart. Unless `origin` is 0, their boxes begin at
// multiples of `origin` bytes in them.
void add_rows(StageRows& all, double rows, int64_t apart, int64_t origin) {
  const double misaligned = origin % kL2SectorBytes != 0 ? 1 : misaligned_share(apart);
  const bool across = apart % kL2LineBytes != 0 || origin % kL2LineBytes != 0;
  all.misaligned += rows * misaligned;
  if (across && misaligned == 0) all.crossing_lines += rows;
}

// Rows of the kernel's operands that TMA loads for one CTA.
double own_rows_of_a(const TileConfig& c) {
  return static_cast<double>(c.cta.m) / c.cluster.n;
}

double own_rows_of_b(const TileConfig& c) {
  return static_cast<double>(c.cta.n) / c.cluster.m;
}

// The share of a CTA's stages that it loads alone although it shares operands: those of its first
// unit that fill the pipeline before the CTAs of the cluster have synchronised.
double alone_share(const Plan& plan) {
  const TileConfig& c = plan.config;
  if (c.cluster.m * c.cluster.n == 1 || is_group(plan.workload)) return 0;
  const PlannedProblem& p = plan.problems.front();
  const double steps = static_cast<double>(p.work.slots) * static_cast<double>(p.work.k_steps);
  const int64_t units = plan.stream_k_steps > 0 ? plan.workers : plan.units;
  const double of_unit = steps / static_cast<double>(units);
  const double of_worker = steps / static_cast<double>(std::min(units, plan.workers));
  return std::min<double>(sm90_constants(plan).stages_alone(), of_unit) / of_worker;
}

// Tiles that the warpgroups of one CTA work on at the same time.
int tiles_at_once(const TileKernel& kernel) {
  return kernel.ping_pong() ? 2 : 1;
}

// Stores beside one another, of up to 64 columns each, that cover a tile's columns.
int stores_across(const TileKernel& kernel) {
  return kernel.mma_tiles_n() * kernel.store_pieces();
}

// True where every line of an operand has scales of its own, or loads them so.
bool has_scales_of_lines(ScaleForm form, bool in_blocks) {
  return tw::has_k_blocks(form) && !in_blocks;
}

// Places where a block of scales may end inside a tile, times its row blocks: consumers branch by
// them while they promote.
int crossings(const TileKernel& kernel) {
  if (!kernel.scales_column_blocks() || kernel.column_blocks() == 1) return 0;
  return tw::kScaleBlock / 8 / kernel.least_split() * kernel.mma_rows();
}

// Clocks of a k-step in which the consumers promote their sums. `flowing`: clocks of its wgmmas,
// which hide a share of the promotion.
double promoted_clocks(const TileKernel& kernel, const DeviceSpec& d, double flowing,
                       double sharers) {
  const TileRates& rates = d.tile;
  const double wait = kernel.ping_pong() ? rates.step_clocks / tiles_at_once(kernel) : 0;
  const double own = rates.promotion_share * promotion_clocks(kernel, d) +
                     rates.crossing_clocks * crossings(kernel);
  const double in_turn = flowing + sharers * own + wait;
  if (kernel.scales_b == ScaleForm::None) return in_turn;
  const bool lines = has_scales_of_lines(kernel.scales_a, kernel.scales_row_blocks()) &&
                     has_scales_of_lines(kernel.scales_b, kernel.scales_column_blocks());
  const double loading = rates.scale_clocks + (lines ? rates.line_scale_clocks : 0);
  return overlapped(in_turn, loading / tiles_at_once(kernel));
}

}  // namespace

double overlapped(double a, double b, double c) {
  const double most = std::max({a, b, c});
  if (most <= 0) return 0;
  const auto part = [most](double t) { return std::pow(t / most, kOverlapNorm); };
  return most * std::pow(part(a) + part(b) + part(c), 1 / kOverlapNorm);
}

TileKernel sm90_constants(const Plan& plan) {
  if (const auto* const own = std::get_if<TileKernel>(&plan.kernel)) return *own;
  return std::get<TileKernel>(kSm90Family.params(plan.workload, plan.config, {}));
}

double promotion_clocks(const TileKernel& kernel, const DeviceSpec& d) {
  if (!kernel.promoted) return 0;
  const double additions = 1.0 * kernel.cta_m * kernel.cta_n / d.sm.fp32_per_clock;
  if (!has_scales_of_lines(kernel.scales_b, kernel.scales_column_blocks())) return additions;
  // Lanes of a warp exchange their columns' scales, by which each sum is multiplied.
  return 2 * additions + d.tile.exchange_clocks * kernel.cta_n * kernel.cta_m / TileKernel::kMmaM;
}

int64_t sharers_of(int64_t ctas, const DeviceSpec& d) {
  return std::max<int64_t>(ceil_div<int64_t>(ctas, d.sm_count), 1);
}

double stage_clocks(const TileKernel& kernel, const DeviceSpec& d, const StageCopies& copies,
                    int64_t sharers) {
  const TileRates& rates = d.tile;
  // A stage has equally many bytes of K in every type, and the tensor cores take operands by bytes.
  constexpr int kMeasuredK = TileKernel::kStageRowBytes / 2;
  const double tensor =
      2.0 * kernel.cta_m * kernel.cta_n * kMeasuredK / d.tensor_flops_per_clock_per_sm;
  // Each row of A is read by one warpgroup, B by every block of 64 rows.
  const double read = kernel.a_stage_bytes() + static_cast<double>(kernel.b_stage_bytes()) *
                                                   kernel.cta_m / TileKernel::kMmaM;
  const double shared = (read + kernel.stage_bytes()) / rates.shared_bytes_per_clock;
  const double asking = rates.misaligned_row_clocks * copies.misaligned_rows;
  // CTAs of one multiprocessor share all three, and the port that receives copies.
  const auto shares = static_cast<double>(sharers);
  double flowing = shares * overlapped(tensor, shared, asking) * slice_cost(kernel, rates);
  if (kernel.promoted) flowing = promoted_clocks(kernel, d, flowing, shares);
  // A stage waits for its last line, so a few misses make it late.
  const double late = std::min(1.0, rates.late_stages * copies.missed);
  const double flight = rates.hit_clocks +
                        shares * kernel.stage_bytes() / rates.receive_bytes_per_clock +
                        rates.miss_clocks * late + asking;
  // Once around the ring: the copy, and the multiplication that frees the stage.
  const double around = (flight + flowing) / kernel.stages;
  const double handed =
      rates.step_clocks + rates.warpgroup_clocks * (kernel.warpgroups_per_tile() - 1);
  return overlapped(flowing, around, handed);
}

StageRows rows_of_stage(const Plan& plan) {
  const Problem& p = plan.product;
  const TileConfig& c = plan.config;
  const double alone = alone_share(plan);
  double rows_of_a = own_rows_of_a(c);
  double rows_of_b = own_rows_of_b(c);
  StageRows rows{.once = rows_of_a + rows_of_b};
  rows_of_a += alone * (c.cta.m - rows_of_a);
  rows_of_b += alone * (c.cta.n - rows_of_b);
  rows.all = rows_of_a + rows_of_b;
  int64_t tile_of_a = c.cta.m;
  int64_t tile_of_b = c.cta.n;
  if (c.swap_ab) {
    std::swap(rows_of_a, rows_of_b);
    std::swap(tile_of_a, tile_of_b);
  }
  const int64_t bytes = bytes_of(p.kind.dtype);
  const Pitches pitch = pitches_of(p, plan.options.places);
  const auto add = [&](double own, bool k_contiguous, int64_t elements, int64_t tile) {
    add_rows(rows, own, elements * bytes, k_contiguous ? 0 : tile * bytes);
  };
  if (!plan.copies.a) add(rows_of_a, is_k_major_a(p.kind.layout), pitch.a, tile_of_a);
  if (!plan.copies.b) add(rows_of_b, is_k_major_b(p.kind.layout), pitch.b, tile_of_b);
  return rows;
}

double unaligned_clocks(const Plan& plan, const TileKernel& kernel, const DeviceSpec& d) {
  const TileRates& rates = d.tile;
  const double loads = rates.misaligned_row_clocks * rows_of_stage(plan).misaligned *
                       static_cast<double>(plan.problems.front().work.k_steps);
  const int64_t apart = row_bytes_of_d(plan);
  if (kernel.direct_store || apart % kL2LineBytes == 0) return loads;
  const double misaligned = misaligned_share(apart);
  const double of_row =
      misaligned * rates.misaligned_store_clocks + (1 - misaligned) * rates.crossing_store_clocks;
  return loads + of_row * kernel.cta_m * stores_across(kernel);
}

double odd_store_clocks(const Plan& plan, const TileKernel& kernel, const DeviceSpec& d) {
  constexpr int kPairBytes = 2 * TileKernel::kStoredBytes;
  if (!kernel.direct_store || row_bytes_of_d(plan) % kPairBytes == 0) return 0;
  return 1.0 * TileKernel::kStoredBytes * kernel.cta_m * kernel.cta_n /
         kernel.epilogue.sum_columns_per_output() / d.tile.odd_store_bytes_per_clock;
}

double operation_clocks(const tw::EpilogueParams& epilogue, double rows, double columns,
                        const DeviceSpec& d) {
  constexpr double kBiasBytes = 2;
  const tw::ActivationRecord& record = tw::record_of(epilogue.activation);
  const int added = epilogue.adds_bias() ? tw::kBiasOperations : 0;
  const double bias = epilogue.bias ? columns : epilogue.row_bias ? rows : 0;
  const double read = kBiasBytes * bias * d.sm_count / d.l2_bytes_per_clock;
  const double sums = rows * columns;
  const double outputs = sums / epilogue.sum_columns_per_output();
  const int of_output = record.operations + (epilogue.scale_d ? tw::kScaleOperations : 0) +
                        (epilogue.absmax ? tw::kAbsmaxOperations : 0);
  return read + std::max((added * sums + of_output * outputs) / d.sm.fp32_per_clock,
                         record.specials * outputs / d.sm.specials_per_clock);
}

double operation_clocks(const TileKernel& kernel, const DeviceSpec& d) {
  const int rows = kernel.swap_ab ? kernel.cta_n : kernel.cta_m;
  const int columns = kernel.swap_ab ? kernel.cta_m : kernel.cta_n;
  return operation_clocks(kernel.epilogue, rows, columns, d);
}

double store_clocks(const TileKernel& kernel, const DeviceSpec& d) {
  const double once = d.tile.store_clocks * kernel.mma_rows() * stores_across(kernel) +
                      2.0 * kernel.cta_m * kernel.cta_n / kernel.epilogue.sum_columns_per_output() /
                          d.tile.epilogue_bytes_per_clock;
  return d.tile.epilogue_clocks + (kernel.mirrored ? 2 : 1) * once;
}

double epilogue_clocks(const TileKernel& kernel, const DeviceSpec& d) {
  return store_clocks(kernel, d) + operation_clocks(kernel, d);
}

double exposed_epilogue_clocks(const TileKernel& kernel, const DeviceSpec& d, double whole,
                               double main_loop, bool last_tile) {
  if (!kernel.ping_pong() || last_tile) return whole;
  return std::max(d.tile.hand_over_clocks, (whole - main_loop) / tiles_at_once(kernel));
}

double addend_clocks(const TileKernel& kernel, const DeviceSpec& d, const GemmShape& shape) {
  if (kernel.stages_c()) {
    return d.tile.addend_piece_clocks * kernel.mma_rows() * stores_across(kernel);
  }
  // With swap_ab a thread's neighbouring elements lie in two rows of C.
  const int lines = kernel.swap_ab ? 2 : 1;
  const int64_t inside = std::min<int64_t>(shape.n, kernel.cta_n);
  if (kernel.loads_c()) {
    const int64_t pieces = kernel.mma_rows() * ceil_div<int64_t>(inside, kernel.kMaxColumnsOfC);
    return d.tile.addend_piece_clocks * lines * static_cast<double>(pieces);
  }
  const int threads = TileKernel::kWarpgroupThreads * kernel.warpgroups_per_tile();
  const auto columns = static_cast<double>(inside);
  // A thread's elements lie in rows r and r + 8 of a warp's 16.
  const double rows_share = shape.m <= 8 ? 0.5 : 1;
  const double of_thread = rows_share * kernel.cta_m * columns / threads;
  return d.tile.addend_clocks * lines * of_thread;
}

double raster_clocks(const Raster& raster, const DeviceSpec& d) {
  switch (raster.kind) {
    case tw::RasterKind::Hilbert: return d.scheduling.hilbert_clocks;
    case tw::RasterKind::Morton: return d.scheduling.morton_clocks;
    default: return 0;
  }
}

double factors_clocks(const Raster& raster, const DeviceSpec& d) {
  return tw::family_of(raster) == tw::RasterFamily::Factors ? d.scheduling.factors_clocks : 0;
}

double multicast_overhead(const Plan& plan, const DeviceSpec& d) {
  const StageRows rows = rows_of_stage(plan);
  const double received = plan.config.cta.m + plan.config.cta.n;
  return (rows.all + d.tile.multicast_share * (received - rows.all)) / rows.once;
}

}  // namespace tilewright
