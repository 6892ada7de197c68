#include "tile/plan/schedule_report.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/math.hpp"
#include "tile/plan/external_schedule.hpp"

namespace tilewright {
namespace {

// Heights of our kernels' tiles.
constexpr int kTileRows[] = {8, 16, 32, 64, 128, 256};

constexpr std::string_view kWhyNoWaves = "stream-K gives every CTA an equal share instead of waves";

void count_padding(const Plan& s, ScheduleReport& report) {
  report.padding = row_padding(s.workload, tile_rows_of(s.config));
  std::set<int> heights(std::begin(kTileRows), std::end(kTileRows));
  heights.insert(report.padding.tile_rows);
  report.paddings.reserve(heights.size());
  for (const int rows : heights) report.paddings.push_back(row_padding(s.workload, rows));
  report.empty_problems =
      std::count_if(s.workload.shapes.begin(), s.workload.shapes.end(),
                    [](const GemmShape& shape) { return shape.m == 0 || shape.n == 0; });
}

struct CtaTotals {
  int64_t k_steps = 0;
  int64_t units = 0;
};

void sum_loads(const std::vector<CtaTotals>& ctas, ScheduleReport& report) {
  int64_t total = 0;
  report.k_steps.min = ctas.front().k_steps;
  for (const CtaTotals& cta : ctas) {
    total += cta.k_steps;
    report.k_steps.min = std::min(report.k_steps.min, cta.k_steps);
    report.k_steps.max = std::max(report.k_steps.max, cta.k_steps);
    if (cta.units == 0) ++report.idle_ctas;
  }
  report.k_steps.mean = static_cast<double>(total) / static_cast<double>(ctas.size());
  if (total > 0) report.imbalance = static_cast<double>(report.k_steps.max) / report.k_steps.mean;
}

// Global-memory traffic of the parts of one tile, in tiles: fp32, or D's type where added in place.
int64_t tiles_moved(Reduction reduction, int64_t parts) {
  switch (tw::partial_storage_of(reduction)) {
    // store, adding copies..., read; without TMA: write, (read, write)..., read
    case tw::PartialStorage::OneTile:
      return tw::record_of(reduction).bulk_copies ? parts : 2 * (parts - 1);
    case tw::PartialStorage::ZeroedTile: return parts + 2;  // zeros, adds, read
    case tw::PartialStorage::TilePerPart: return 2 * parts;
    case tw::PartialStorage::SharedMemory: return 0;
    case tw::PartialStorage::Output: return parts;  // store, adds...
  }
  return 0;
}

FixUp count_fix_up(const Plan& s, std::span<const TilePart> parts) {
  const tw::PartialStorage partial_storage_of = tw::partial_storage_of(s.reduction);
  const bool in_place = partial_storage_of == tw::PartialStorage::Output;
  const int64_t counter_bytes = tw::sums_later(s.reduction) ? 0 : 4;
  const int64_t tile_bytes = int64_t{s.config.cta.m} * s.config.cta.n * (in_place ? 2 : 4);
  FixUp f;
  f.parts = static_cast<int64_t>(parts.size());
  for (size_t begin = 0; begin < parts.size();) {
    size_t end = begin + 1;
    while (end < parts.size() && parts[end].tile == parts[begin].tile) ++end;
    const auto count = static_cast<int64_t>(end - begin);
    ++f.divided_tiles;
    f.traffic_bytes += tiles_moved(s.reduction, count) * tile_bytes;
    if (partial_storage_of != tw::PartialStorage::SharedMemory) {
      const int64_t tiles = in_place                                                ? 0
                            : partial_storage_of == tw::PartialStorage::TilePerPart ? count
                                                                                    : 1;
      f.workspace_bytes += tiles * tile_bytes + counter_bytes;
    }
    begin = end;
  }
  return f;
}

}  // namespace

ScheduleReport report_schedule(const Plan& s) {
  require_walkable(s);
  ScheduleReport report;
  report.problem = shapes_text(s.workload);
  report.ctas = s.ctas();
  std::vector<CtaTotals> ctas(static_cast<size_t>(report.ctas));
  CoverageTally tally(s);
  for_each_unit(s, [&](const ScheduledUnit& unit) {
    ++report.units;
    CtaTotals& cta = ctas[static_cast<size_t>(unit.cta)];
    if (unit.kind == UnitKind::EarlyExit) {
      ++report.early_exit;
      return;
    }
    cta.k_steps += unit.work.k_end - unit.work.k_begin;
    if (unit.kind == UnitKind::Padded) {
      ++report.padded;
      return;
    }
    tally.add(unit.cta, cta.units++, unit.work);
  });
  for_each_outside(s, [&](int64_t cta, const WorkTile& work) { tally.add(cta, 0, work); });
  if (s.options.external) report.units = s.units;
  sum_loads(ctas, report);
  count_padding(s, report);
  if (s.stream_k_tiles == 0) report.waves = ceil_div(report.units, report.ctas);
  report.proof = tally.finish();
  report.fix_up = count_fix_up(s, tally.parts());
  if (is_turnstile(s.reduction)) {
    report.turnstiles = prove_turnstiles(tally.parts(), report.ctas, s.resident);
  }
  if (tw::waits_for_all_in_memory(s.reduction)) {
    report.exchanges = prove_exchanges(tally.parts(), report.ctas, s.resident);
  }
  if (is_across_gpus(s.workload)) {
    PlanOptions options = s.options;
    options.resident = s.resident;
    report.peers = prove_peers(plans_of_ranks(s.workload, s.config, {}, options));
  }
  if (s.config.group_schedule == GroupSchedule::HostPrecompute) {
    const ScheduleTable table = schedule_table(s);
    report.table_entries = table.entry_count();
    report.table_bytes = table.bytes();
  }
  return report;
}

std::vector<NamedNumber> numbers_of(const ScheduleReport& r) {
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  std::vector<NamedNumber> numbers = {
      {"units", number(r.units)},
      {"ctas", number(r.ctas)},
      {"early_exit", number(r.early_exit)},
      {"padded", number(r.padded)},
      {"idle_ctas", number(r.idle_ctas)},
      {"waves", number(r.waves.value_or(0)), false, r.waves ? "" : kWhyNoWaves},
      {"imbalance", r.imbalance},
      {"padding_pct", padding_pct(r.padding)},
      {"empty_problems", number(r.empty_problems)},
      {"k_steps.min", number(r.k_steps.min)},
      {"k_steps.mean", r.k_steps.mean},
      {"k_steps.max", number(r.k_steps.max)},
      {"proof.complete", r.proof.complete ? 1.0 : 0.0, true},
      {"proof.missing", number(r.proof.missing_count)},
      {"proof.duplicated", number(r.proof.duplicated_count)},
      {"proof.outside", number(r.proof.outside_count)},
      {"fix_up.divided_tiles", number(r.fix_up.divided_tiles)},
      {"fix_up.parts", number(r.fix_up.parts)},
      {"fix_up.workspace_bytes", number(r.fix_up.workspace_bytes)},
      {"fix_up.traffic_bytes", number(r.fix_up.traffic_bytes)},
      {"turnstiles.waits", number(r.turnstiles.waits)},
      {"turnstiles.longest_chain", number(r.turnstiles.longest_chain)},
      {"turnstiles.ends", r.turnstiles.ends ? 1.0 : 0.0, true},
      {"meetings.parts", number(r.exchanges.parts)},
      {"meetings.ends", r.exchanges.ends ? 1.0 : 0.0, true},
  };
  if (r.peers) {
    numbers.push_back({"parallel.parts", number(r.peers->parts)});
    numbers.push_back({"parallel.complete", r.peers->complete ? 1.0 : 0.0, true});
    numbers.push_back({"parallel.ends", r.peers->ends ? 1.0 : 0.0, true});
    numbers.push_back({"parallel.busiest_link_bytes", number(busiest_link(*r.peers).bytes)});
  }
  if (r.table_entries > 0) {
    numbers.push_back({"table.entries", number(r.table_entries)});
    numbers.push_back({"table.bytes", number(r.table_bytes)});
  }
  if (r.predicted_us) {
    numbers.push_back({"predicted_us", *r.predicted_us});
  } else if (r.ends && !r.device.empty()) {
    numbers.push_back({"predicted_us", 0, false, kWhyNoTime});
  }
  return numbers;
}

}  // namespace tilewright
