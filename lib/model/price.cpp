#include "model/price.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/math.hpp"
#include "model/output_sectors.hpp"
#include "model/peer_rounds.hpp"
#include "model/roofline.hpp"
#include "model/shared_bandwidth.hpp"
#include "model/tile_cost.hpp"
#include "model/triangle_search.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {

namespace {

// Power limits the clock: a device with only a share of its multiprocessors busy clocks higher, and
// one that multiplies for long clocks lower.
double clock_hz(const Price& price, double active) {
  const DeviceSpec& device = *price.device;
  const double busy = std::clamp(active / device.sm_count, 1e-3, 1.0);
  return device.sustained_clock_hz * price.clock_share *
         std::min(device.clock.most_gain, std::pow(1 / busy, device.clock.idle_exponent));
}

// Share of the sustained clock, by the time that all tensor cores would multiply at that clock.
double clock_share_of(const Workload& workload, const DeviceSpec& device) {
  const ClockModel& clock = device.clock;
  const double length = std::max(1.0, roofline(workload, device).tensor_us / clock.brief_us);
  return std::max(clock.least_share, std::pow(length, -clock.length_exponent));
}

// Where L2 is the limit it runs on its own clock, which no power limit slows.
double l2_us(const DeviceSpec& device, double bytes) {
  return bytes / (device.l2_bytes_per_clock * device.sustained_clock_hz) * kMicroseconds;
}

// Time of the kernel that copies operands that TMA cannot address.
double repack_us(const Plan& plan, const DeviceSpec& device) {
  constexpr double kReadAndWritten = 2;
  if (plan.copies == Repacked{}) return 0;
  const GemmShape& shape = plan.workload.shapes.front();
  const double lines = (plan.copies.a ? static_cast<double>(shape.m) : 0) +
                       (plan.copies.b ? static_cast<double>(shape.n) : 0);
  const double bytes =
      kReadAndWritten * lines * static_cast<double>(shape.k) * bytes_of(plan.workload.kind.dtype);
  return device.launch_us +
         bytes / (device.memory.repack_share * device.dram_bytes_per_s) * kMicroseconds;
}

// Bytes that epilogues of a plan of one problem read, C above all. A launch reads them once, and no
// replay of operands counts them.
double addend_bytes(const Plan& plan) {
  return product_bytes(plan.workload, 0).addends;
}

// Bytes that DRAM takes while the launch runs: L2 keeps a share of a small output's lines until
// later launches need their room.
double written_in_launch(const L2Traffic& traffic, const DeviceSpec& device) {
  const double room =
      device.memory.late_write_room * static_cast<double>(device.l2_effective_bytes);
  const double late =
      device.memory.late_write_share * std::max(0.0, 1 - traffic.dram_write_bytes / room);
  return (1 - late) * traffic.dram_write_bytes;
}

// Time of DRAM for a plan's writes, and for what its epilogues read.
double output_us(const Plan& plan, const L2Traffic& traffic, const DeviceSpec& device) {
  const double bytes = written_in_launch(traffic, device) + addend_bytes(plan);
  return bytes / device.dram_bytes_per_s * kMicroseconds +
         shared_sectors(plan) * device.memory.shared_sector_us;
}

// State of the operands' copies into a stage.
StageCopies copies_of(const Plan& plan, const L2Traffic& traffic) {
  const double missed = traffic.l2_read_bytes > 0 ? 1 - traffic.hit_rate : 0;
  return {rows_of_stage(plan).misaligned, missed};
}

// Bytes that keep L2 as busy, per k-step of a CTA, as the rows of its boxes that begin within a
// sector or lie outside an operand: TMA fills the latter with zeros but still requests them.
double request_overhead_bytes(const Plan& plan, const DeviceSpec& device) {
  const PlannedProblem& p = plan.problems.front();
  const TileConfig& c = plan.config;
  const auto outside = [](int64_t tiles, int64_t tile, int64_t extent) {
    return static_cast<double>(tiles * tile - extent) / static_cast<double>(tiles);
  };
  const double rows = outside(p.tiles.m, c.cta.m, p.shape.m) / c.cluster.n +
                      outside(p.tiles.n, c.cta.n, p.shape.n) / c.cluster.m;
  return rows * device.l2.zero_row_bytes +
         rows_of_stage(plan).misaligned * device.l2.misaligned_row_bytes;
}

// Bytes between L2 and the GPCs. A share of the reads is merged: multiprocessors of a GPC that read
// the same lines at the same time read L2 once. The share is smaller for rows that cross lines, and
// 0 for rows that begin within a sector.
double l2_to_gpc_bytes(const WaveTraffic& wave, const Plan& plan, const DeviceSpec& device) {
  const StageRows rows = rows_of_stage(plan);
  const double merged =
      (device.l2.merged_share * (rows.all - rows.misaligned - rows.crossing_lines) +
       device.l2.merged_across_share * rows.crossing_lines) /
      rows.all;
  return (1 - merged) * wave.l2_read_bytes * multicast_overhead(plan, device) +
         merged * wave.distinct_bytes;
}

// The same of all rounds.
double moved_bytes(const Plan& plan, const L2Traffic& traffic, const DeviceSpec& device) {
  double moved = 0;
  for (const WaveTraffic& wave : traffic.waves)
    moved += static_cast<double>(wave.rounds) * l2_to_gpc_bytes(wave, plan, device);
  return moved;
}

// K-steps of all tiles of a problem; a ragged last step counts by its depth, a single step as a
// whole one.
double all_steps(const PlannedProblem& p, const TileConfig& config, int phase_count) {
  const double of_tile = static_cast<double>(p.shape.k) * phase_count / config.cta.k;
  return static_cast<double>(p.tiles.m) * p.tiles.n * std::max(1.0, of_tile);
}

void add_traffic(Estimate& e, const Plan& plan, const L2Traffic& traffic) {
  e.dram_read_bytes += traffic.dram_read_bytes + addend_bytes(plan);
  e.dram_write_bytes += traffic.dram_write_bytes;
  e.slots += traffic.slots;
  e.l2_hit_rate = traffic.hit_rate;
}

// Time of one k-step of a CTA.
double k_step_us(const Price& price, const StepLoad& load) {
  const DeviceSpec& device = *price.device;
  const auto active = static_cast<double>(load.active);
  const double tensor =
      stage_clocks(price.kernel, device, load.copies, sharers_of(load.active, device)) /
      clock_hz(price, active) * kMicroseconds;
  const double dram = load.dram_bytes * active / device.dram_bytes_per_s * kMicroseconds;
  return overlapped(tensor, l2_us(device, load.l2_bytes * active), dram);
}

// Whole tiles of one problem: rounds with one tile per CTA.
void add_rounds(Price& price, const Plan& plan, const L2Traffic& traffic) {
  const DeviceSpec& device = *price.device;
  Estimate& e = price.totals;
  const StageCopies copies = copies_of(plan, traffic);
  const double steps = static_cast<double>(plan.problems.front().shape.k) *
                       phases(plan.workload.op) / plan.config.cta.k;
  const double unaligned = unaligned_clocks(plan, price.kernel, device);
  const double epilogue = epilogue_clocks(price.kernel, device) + price.addend_clocks +
                          odd_store_clocks(plan, price.kernel, device);
  const double request_overhead = request_overhead_bytes(plan, device) *
                                  static_cast<double>(plan.problems.front().work.k_steps);
  const double around = raster_clocks(plan.config.raster, device);
  const double factors =
      (1 - device.scheduling.hidden_share) * factors_clocks(plan.config.raster, device);
  int64_t tiles = 0;
  for (const WaveTraffic& wave : traffic.waves) tiles += wave.rounds * wave.tiles;
  const double output_us_per_tile = output_us(plan, traffic, device) / static_cast<double>(tiles);
  for (const WaveTraffic& wave : traffic.waves) {
    const auto at_work = static_cast<double>(wave.tiles);
    const double clock = clock_hz(price, at_work) / kMicroseconds;
    const int64_t sharers = sharers_of(wave.tiles, device);
    const double tensor =
        (steps * stage_clocks(price.kernel, device, copies, sharers) + factors) / clock;
    const double l2 =
        l2_us(device, l2_to_gpc_bytes(wave, plan, device) + at_work * request_overhead);
    const double dram = wave.dram_read_bytes / device.dram_bytes_per_s * kMicroseconds +
                        output_us_per_tile * at_work;
    const auto rounds = static_cast<double>(wave.rounds);
    e.tensor_us += rounds * tensor;
    e.l2_us += rounds * l2;
    e.dram_us += rounds * dram;
    const double main_loop = overlapped(tensor, l2, dram);
    const double exposed = exposed_epilogue_clocks(
        price.kernel, device, epilogue, main_loop * clock, &wave == &traffic.waves.back());
    const double tile = main_loop + exposed / clock;
    // TMA loads and stores one row after the other, also while a tile ends.
    const double delay = std::max(0.0, static_cast<double>(sharers) * unaligned / clock - tile);
    add_round(price, {main_loop + delay, (exposed + around) / clock, wave.rounds});
  }
  e.waves = ceil_div(traffic.slots, traffic.ctas);
  e.wave_efficiency = static_cast<double>(tiles) / static_cast<double>(e.waves * traffic.ctas);
}

// Divided tiles of one problem: every k-step costs the mean of all.
void add_divided(Price& price, const Plan& plan, const L2Traffic& traffic) {
  const DeviceSpec& device = *price.device;
  const PlannedProblem& p = plan.problems.front();
  const double steps = static_cast<double>(p.tiles.m) * p.tiles.n * p.work.k_steps;
  const double streamed = traffic.dram_read_bytes + written_in_launch(traffic, device) +
                          addend_bytes(plan) +
                          device.memory.repeat_share * traffic.hit_rate * traffic.l2_read_bytes;
  const int64_t active = plan.launched_workers * plan.cluster_size;
  const double moved = moved_bytes(plan, traffic, device);
  const StepLoad load{moved / steps + request_overhead_bytes(plan, device), streamed / steps,
                      active, copies_of(plan, traffic)};
  price.loads = {load};
  const bool streams = std::holds_alternative<StreamK>(price.config.decomposition);
  // The busiest CTA's units and k-steps.
  const int64_t units = plan.most_units;
  const double busiest = std::max<double>(
      steps / static_cast<double>(active),
      streams ? 0 : static_cast<double>(units * ceil_div(p.work.k_steps, p.work.slices)));
  Estimate& e = price.totals;
  e.tensor_us = busiest * k_step_us(price, {0, 0, active, load.copies});
  e.l2_us = busiest * k_step_us(price, {load.l2_bytes, 0, active, load.copies}) - e.tensor_us;
  e.dram_us = busiest * load.dram_bytes * static_cast<double>(active) / device.dram_bytes_per_s *
              kMicroseconds;
  e.waves = units;
  e.wave_efficiency = steps / (busiest * static_cast<double>(active));
}

// The round of a unit index; indices after the last round belong to it.
const RoundCost& round_of(const Price& price, int64_t unit_index) {
  const auto round =
      std::partition_point(price.rounds.begin(), price.rounds.end() - 1,
                           [unit_index](const RoundCost& one) { return one.end <= unit_index; });
  return *round;
}

// A corner of a large output has the traffic of the whole, and takes less time to replay.
GemmShape corner_of(GemmShape shape, const TileConfig& config) {
  constexpr int64_t kMaxTiles = 512;
  shape.m = std::min(shape.m, kMaxTiles * config.cta.m);
  shape.n = std::min(shape.n, kMaxTiles * config.cta.n);
  return shape;
}

// Cost of our own kernels, by their way to find units; none where a given mapping deals the units
// out.
SchedulingCost grouping_cost(const Plan& plan, const SchedulingRates& rates) {
  if (!runs_groups(plan.config.family) || plan.options.external) return {};
  SchedulingCost cost;
  switch (grouping_of(plan.workload, plan.config)) {
    case tw::Grouping::None: return {};
    case tw::Grouping::Search:
      cost = {.first_us = rates.search_first_us, .unit_us = rates.search_unit_us};
      break;
    case tw::Grouping::Table: cost = {.first_us = rates.table_first_us}; break;
    // The atomic is in flight while a tile is loaded; only handing the unit on costs time.
    case tw::Grouping::Counter:
      cost = {
          .first_us = rates.counter_first_us,
          .unit_us = plan.cluster_size > 1 ? rates.counter_cluster_unit_us : rates.counter_unit_us};
      break;
  }
  if (has_per_problem_shapes(plan.workload)) cost.problem_us = rates.own_maps_us;
  return cost;
}

SchedulingCost scheduling_of(const Plan& plan, const DeviceSpec& device) {
  SchedulingCost cost = grouping_cost(plan, device.scheduling);
  if (plan.options.external) return cost;
  const double triangle_us = triangle_search_us(plan, device);
  cost.first_us += triangle_us + factors_clocks(plan.config.raster, device) /
                                     device.sustained_clock_hz * kMicroseconds;
  cost.unit_us += triangle_us;
  return cost;
}

// Time of the kernel that lists problems with sizes known only on the device, and the gap after it.
double list_us(const Plan& plan, const DeviceSpec& device) {
  const auto* const kernel = std::get_if<tw::Sm90Params>(&plan.kernel);
  const bool lists = kernel != nullptr && kernel->has_preparing_kernel() && !plan.options.external;
  return lists ? device.scheduling.list_us : 0;
}

// Mean traffic of a k-step of one of a group's problems; bytes.
struct StepTraffic {
  StepLoad load;
  double dram_reads = 0;
  double dram_writes = 0;
  double l2_reads = 0;
  double l2_hits = 0;
};

StepTraffic step_traffic(const Price& price, const L2Traffic& traffic, const Plan& alone) {
  const DeviceSpec& device = *price.device;
  const double moved = moved_bytes(alone, traffic, device);
  const double steps = all_steps(alone.problems.front(), alone.config, phases(alone.workload.op));
  const double read = traffic.dram_read_bytes + addend_bytes(alone);
  const double dram = read + traffic.dram_write_bytes;
  const double l2 = moved / steps + request_overhead_bytes(alone, device);
  return {.load = {l2, dram / steps, 0, copies_of(alone, traffic)},
          .dram_reads = read / steps,
          .dram_writes = traffic.dram_write_bytes / steps,
          .l2_reads = traffic.l2_read_bytes / steps,
          .l2_hits = traffic.hit_rate * traffic.l2_read_bytes / steps};
}

// A tile without k-steps, as one step: its epilogue reads and writes as ever.
StepTraffic step_without_k(const Plan& plan, size_t index) {
  const ProductBytes bytes = product_bytes(plan.workload, index);
  const double tiles = all_steps(plan.problems[index], plan.config, phases(plan.workload.op));
  return {.load = {.dram_bytes = (bytes.addends + bytes.output) / tiles},
          .dram_reads = bytes.addends / tiles,
          .dram_writes = bytes.output / tiles};
}

// A group: every k-step has its own problem's operations, and the traffic of those around it.
// `replays` may be null.
void add_group(Price& price, const Plan& plan, ReplayDetail detail, ReplayCache* replays) {
  const DeviceSpec& device = *price.device;
  TileConfig whole = price.config;
  whole.decomposition = DataParallel{};
  std::map<std::tuple<int64_t, int64_t, int64_t>, StepTraffic> known;
  Estimate& e = price.totals;
  double l2_reads = 0;
  double l2_hits = 0;
  for (size_t i = 0; i < plan.problems.size(); ++i) {
    const GemmShape& shape = plan.workload.shapes[i];
    const PlannedProblem& p = plan.problems[i];
    const auto key = std::make_tuple(shape.m, shape.n, shape.k);
    if (p.work.slots == 0) {
      price.loads.push_back({});
      continue;
    }
    const bool is_external = plan.options.external != nullptr;
    if (shape.k == 0) {
      known[key] = step_without_k(plan, i);
    } else if (known.count(key) == 0 || is_external) {
      Workload corner = plan.workload;
      corner.shapes = {corner_of(shape, price.config)};
      PlanOptions options;
      if (is_external) options.external = of_problem(*plan.options.external, static_cast<int>(i));
      const Plan alone = make_plan(corner, whole, device, options);
      const bool is_shared = replays != nullptr && !is_external && detail == ReplayDetail::Fine;
      known[key] = step_traffic(
          price, is_shared ? replays->replay(alone) : replay_l2(alone, device, detail), alone);
    }
    const StepTraffic& step = known[key];
    price.loads.push_back(step.load);
    const double steps = all_steps(p, whole, phases(plan.workload.op));
    e.dram_read_bytes += step.dram_reads * steps;
    e.dram_write_bytes += step.dram_writes * steps;
    l2_reads += step.l2_reads * steps;
    l2_hits += step.l2_hits * steps;
    e.slots += p.work.slots * plan.cluster_size;
  }
  share_bandwidth(price.loads, plan);
  e.dram_read_bytes += static_cast<double>(table_bytes(plan));
  e.dram_us = (e.dram_read_bytes + e.dram_write_bytes) / device.dram_bytes_per_s * kMicroseconds;
  if (l2_reads > 0) e.l2_hit_rate = l2_hits / l2_reads;
  e.waves = plan.most_units;
}

void price_sm90(Price& price, const Plan& plan, const L2Traffic& traffic) {
  const DeviceSpec& device = *price.device;
  price.launch_us = launch_us(plan, device);
  price.copies_us = repack_us(plan, device);
  price.scheduling = scheduling_of(plan, device);
  if (std::holds_alternative<DataParallel>(plan.config.decomposition)) {
    add_rounds(price, plan, traffic);
    add_exchange(price, plan);
  } else {
    add_divided(price, plan, traffic);
  }
}

/// What one product costs on a family's kernels.
struct FamilyCost {
  Family family;
  void (*add)(Price& price, const Plan& plan, const L2Traffic& traffic);
};

constexpr std::array kCosts = {FamilyCost{Family::Sm90, price_sm90},
                               FamilyCost{Family::Sm80, price_sm80},
                               FamilyCost{Family::Skinny, price_skinny}};

const FamilyCost& cost_of(Family family) {
  const auto* const found = std::find_if(
      kCosts.begin(), kCosts.end(), [family](const FamilyCost& c) { return c.family == family; });
  if (found == kCosts.end()) throw internal_error("a family without a cost");
  return *found;
}

Price price_without_work(const Plan& plan, const DeviceSpec& device) {
  Price price;
  price.config = plan.config;
  price.device = &device;
  price.join = device.join;
  price.clock_share = clock_share_of(plan.workload, device);
  price.resident = plan.resident;
  price.kernel = sm90_constants(plan);
  if (plan.workload.kind.epilogue.beta != 0) {
    price.addend_clocks =
        addend_clocks(price.kernel, device, kernel_shape(plan.product.shape, plan.config));
  }
  return price;
}

// Parts join at once.
FixupRates free_joins() {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  return {.part_bytes_per_us = kAny,
          .atomic_bytes_per_us = kAny,
          .workspace_bytes_per_us = kAny,
          .cluster_bytes_per_us = kAny};
}

// The price as it is printed and ranked by: without a time where the device's rates predict none.
// The traffic stays.
Price believed(Price price, const Plan& plan) {
  if (predicts_time(*price.device)) return price;
  price.counts_k_steps = true;
  price.copies_us = price.launch_us = price.tail_us = 0;
  price.scheduling = {};
  price.join = free_joins();
  for (RoundCost& round : price.rounds) {
    round.main_loop_us = static_cast<double>(longest_part(plan));
    round.epilogue_us = 0;
  }
  price.totals.tensor_us = price.totals.l2_us = price.totals.dram_us = 0;
  return price;
}

}  // namespace

double start_us(int64_t ctas, const DeviceSpec& device) {
  const double filled = std::min(1.0, static_cast<double>(ctas) / device.sm_count);
  return device.launch_us - device.launch.fill_us * (1 - filled);
}

double launch_us(const Plan& plan, const DeviceSpec& device) {
  const int64_t ctas = plan.launched_workers * plan.cluster_size;
  // The first loads are issued before any division; a cluster synchronizes after those loads.
  return start_us(ctas, device) - device.launch.first_load_sooner_us +
         device.launch.further_cta_us * static_cast<double>(sharers_of(ctas, device) - 1) +
         device.launch.cluster_us * std::log2(plan.cluster_size) +
         (plan.config.schedule == KernelSchedule::PingPong ? device.launch.ping_pong_us : 0);
}

Price price_of(const Plan& plan, const DeviceSpec& device, ReplayDetail detail,
               ReplayCache* replays) {
  if (plan.problems.size() == 1) {
    const bool rereads = record_of(plan.config.family).rereads_operands;
    return price_of(plan, device, rereads ? replay_l2(plan, device, detail) : L2Traffic{});
  }
  Price price = price_without_work(plan, device);
  price.launch_us = launch_us(plan, device);
  price.copies_us = list_us(plan, device);
  price.scheduling = scheduling_of(plan, device);
  add_group(price, plan, detail, replays);
  return believed(std::move(price), plan);
}

Price price_of(const Plan& plan, const DeviceSpec& device, const L2Traffic& traffic) {
  if (plan.problems.size() != 1) return price_of(plan, device);
  Price price = price_without_work(plan, device);
  add_traffic(price.totals, plan, traffic);
  cost_of(plan.config.family).add(price, plan, traffic);
  return believed(std::move(price), plan);
}

void add_round(Price& price, RoundCost round) {
  round.end = (price.rounds.empty() ? 0 : price.rounds.back().end) + round.count;
  price.rounds.push_back(round);
}

double main_loop_us(const Price& price, int problem, int64_t k_steps, int64_t unit_index,
                    int64_t active) {
  if (!price.rounds.empty()) {
    return round_of(price, unit_index).main_loop_us;
  }
  if (price.counts_k_steps) return static_cast<double>(k_steps);
  StepLoad load = price.loads[static_cast<size_t>(problem)];
  load.active = std::max<int64_t>(active, 1);
  if (k_steps == 0) {
    return load.dram_bytes * static_cast<double>(load.active) / price.device->dram_bytes_per_s *
           kMicroseconds;
  }
  return static_cast<double>(k_steps) * k_step_us(price, load);
}

double epilogue_us(const Price& price, int64_t unit_index, int64_t active, double finished) {
  if (!price.rounds.empty()) {
    return round_of(price, unit_index).epilogue_us;
  }
  if (price.counts_k_steps) return 0;
  const double finishing = operation_clocks(price.kernel, *price.device) + price.addend_clocks;
  return (store_clocks(price.kernel, *price.device) + finished * finishing) /
         clock_hz(price, static_cast<double>(active)) * kMicroseconds;
}

double hand_over_us(const Price& price, int64_t active) {
  if (price.counts_k_steps) return 0;
  return price.device->tile.hand_over_clocks / clock_hz(price, static_cast<double>(active)) *
         kMicroseconds;
}

}  // namespace tilewright
