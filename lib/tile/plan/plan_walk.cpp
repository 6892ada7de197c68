// The walk of a plan on the host, by the functions and classes that kernels use.

#include <algorithm>
#include <queue>
#include <utility>

#include "base/interruption.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

using Unit = tw::WorkUnit<int64_t>;

// Pairs of load and worker: the least load first, ties by worker number.
using Loads = std::priority_queue<std::pair<int64_t, int64_t>,
                                  std::vector<std::pair<int64_t, int64_t>>, std::greater<>>;

bool walks_group(const Plan& plan) {
  return plan.problems.size() != 1 || plan.options.emulation != Emulation::None;
}

bool assigns_by_load(const Plan& plan) {
  return plan.config.group_schedule == GroupSchedule::Dynamic ||
         (plan.config.group_schedule == GroupSchedule::HostPrecompute &&
          plan.config.problem_order == ProblemOrder::Lpt);
}

// Kernels that are not persistent have the slices of a tile side by side in their grids.
bool goes_slice_by_slice(const Plan& plan) {
  return !is_group(plan.workload) && record_of(plan.config.family).persistent &&
         tw::walks_slices(plan.reduction, static_cast<int>(plan.cluster_size));
}

template <tw::WalkKind K>
typename tw::UnitWalk<K, int64_t>::Work work_of(const Plan& plan) {
  if constexpr (K.grouped) {
    return {.problems = plan.ordered.data(),
            .problem_count = static_cast<int>(plan.ordered.size()),
            .unit_count = plan.stream_k_tiles + plan.units,
            .stream_k_tiles = plan.stream_k_tiles,
            .steps = plan.stream_k_steps};
  } else {
    const tw::ProblemWork<int64_t>& work = plan.ordered.front();
    return {.slots = work.slots,
            .k_steps = work.k_steps,
            .slices = work.slices,
            .stream_k_tiles = plan.stream_k_tiles};
  }
}

// Calls `walk` with the plan's WalkKind as its template argument.
template <class Walk>
void with_kind(const Plan& plan, Walk walk) {
  using tw::Division;
  using tw::WalkKind;
  const bool grouped = walks_group(plan);
  switch (plan.division()) {
    case Division::None:
      return grouped ? walk.template operator()<WalkKind{Division::None, true}>()
                     : walk.template operator()<WalkKind{Division::None}>();
    case Division::SplitK:
      if (grouped) return walk.template operator()<WalkKind{Division::SplitK, true}>();
      return goes_slice_by_slice(plan)
                 ? walk.template operator()<WalkKind{Division::SplitK, false, true}>()
                 : walk.template operator()<WalkKind{Division::SplitK}>();
    case Division::StreamK:
      return grouped ? walk.template operator()<WalkKind{Division::StreamK, true}>()
                     : walk.template operator()<WalkKind{Division::StreamK}>();
  }
}

// One walk per worker.
template <tw::WalkKind K>
std::vector<tw::UnitWalk<K, int64_t>> walks_of(
    const Plan& plan, const typename tw::UnitWalk<K, int64_t>::Work& work) {
  std::vector<tw::UnitWalk<K, int64_t>> walks;
  const auto workers = static_cast<int>(plan.workers);
  walks.reserve(static_cast<size_t>(workers));
  for (int worker = 0; worker < workers; ++worker) walks.emplace_back(work, worker, workers);
  return walks;
}

// Round by round: the first unit of every worker, then the second, until no worker takes one.
template <class TakeNext>
void for_each_round(size_t workers, const TakeNext& take_next) {
  for (bool any = true; any;) {
    throw_if_interrupted();
    any = false;
    for (size_t worker = 0; worker < workers; ++worker) any |= take_next(worker);
  }
}

// True where the cluster computes anything. Where the whole square is visited for its triangle
// (clusters are single CTAs there), the tile must also lie in the triangle.
bool computes(const Plan& plan, int problem, TileCoord cluster) {
  if (!tw::is_computed(plan.problem(problem).map, cluster)) return false;
  return !visits_square(plan) || is_in_output(plan, problem, cluster);
}

// In a cluster along k each CTA takes its slice of a unit.
tw::Span<int> k_of(const Plan& plan, const PlannedProblem& p, const Unit& unit, int rank) {
  if (plan.cluster_k() == 1) return unit.k;
  return tw::slice_unit<int64_t>(p.work.k_steps, p.work.slices, unit.slot, rank).k;
}

// Calls visit(rank, work, kind) for every CTA of a cluster, with its part of a unit.
template <class Visit>
void for_each_rank(const Plan& plan, const Unit& unit, const Visit& visit) {
  const int number = plan.order[static_cast<size_t>(unit.problem)];
  const PlannedProblem& p = plan.problem(number);
  const TileConfig& c = plan.config;
  const TileCoord at = tw::slot_tile<long long>(p.map, unit.slot);
  const bool cluster_works =
      tw::is_computed(p.map, at) || tw::record_of(p.map.raster.kind).runs_padding;
  const UnitKind otherwise =
      cluster_works && !visits_square(plan) ? UnitKind::Padded : UnitKind::EarlyExit;
  for (int rank = 0; rank < static_cast<int>(plan.cluster_size); ++rank) {
    const TileCoord tile = tw::cta_tile_coord(c.cluster.m, c.cluster.n, at, rank);
    const tw::Span<int> k = k_of(plan, p, unit, rank);
    visit(rank, WorkTile{number, tile.m, tile.n, k.begin, k.end},
          is_in_output(plan, number, tile) ? UnitKind::Work : otherwise);
  }
}

// The k-steps for which a unit keeps its cluster busy: 0 where it exits early. An output without
// k-steps is still stored, which counts as one.
int64_t busy_steps(const Plan& plan, const Unit& unit) {
  int64_t busy = 0;
  for_each_rank(plan, unit, [&](int, const WorkTile& work, UnitKind kind) {
    if (kind == UnitKind::EarlyExit) return;
    busy = std::max<int64_t>({busy, work.k_end - work.k_begin, 1});
  });
  return busy;
}

// Assigns all units: calls stream_k(worker, unit) for shares of stream-K tiles and whole(worker,
// unit) for the others, round by round or to the worker that is free first.
template <tw::WalkKind K, class StreamK, class Whole>
void assign_units(const Plan& plan, const StreamK& stream_k, const Whole& whole) {
  const auto work = work_of<K>(plan);
  auto walks = walks_of<K>(plan, work);
  const bool by_load = assigns_by_load(plan);
  std::vector<int64_t> load(walks.size());
  for (size_t worker = 0; worker < walks.size(); ++worker) {
    for (Unit unit; walks[worker].next_stream_k(unit);) {
      stream_k(static_cast<int64_t>(worker), unit);
      if (by_load) load[worker] += busy_steps(plan, unit);
    }
  }
  if (!by_load) {
    for_each_round(walks.size(), [&](size_t worker) {
      Unit unit;
      if (!walks[worker].next(unit)) return false;
      whole(static_cast<int64_t>(worker), unit);
      return true;
    });
    return;
  }
  Loads loads;
  for (size_t i = 0; i < load.size(); ++i) loads.push({load[i], static_cast<int64_t>(i)});
  typename tw::UnitWalk<K, int64_t>::Finder finder(work);
  for (int64_t at = plan.stream_k_tiles; at < plan.stream_k_tiles + plan.units; ++at) {
    throw_if_interrupted();
    const auto [steps, worker] = loads.top();
    loads.pop();
    const Unit unit =
        tw::walked_unit<K>(work, static_cast<int>(plan.workers), finder.holding_unit(at), at);
    whole(worker, unit);
    loads.push({steps + busy_steps(plan, unit), worker});
  }
}

// Calls the visitor for every CTA of a worker, with its part of a unit.
class Emitter {
 public:
  Emitter(const Plan& plan, const UnitVisitor& visit) : plan_(plan), visit_(visit) {}

  void operator()(int64_t worker, const Unit& unit) const {
    for_each_rank(plan_, unit, [&](int rank, const WorkTile& work, UnitKind kind) {
      visit_({worker * plan_.cluster_size + rank, work, kind});
    });
  }

 private:
  const Plan& plan_;
  const UnitVisitor& visit_;
};

}  // namespace

ScheduleTable schedule_table(const Plan& plan) {
  ScheduleTable table;
  table.of_worker.resize(static_cast<size_t>(plan.workers));
  const auto enter = [&](int64_t worker, const Unit& unit) {
    const int64_t slices = plan.ordered[static_cast<size_t>(unit.problem)].slices;
    table.of_worker[static_cast<size_t>(worker)].push_back(
        {unit.problem, static_cast<int>(unit.slot * slices + unit.part)});
  };
  const auto skip = [](int64_t, const Unit&) {};
  with_kind(plan, [&]<tw::WalkKind K>() { assign_units<K>(plan, skip, enter); });
  return table;
}

void for_each_unit(const Plan& plan, const UnitVisitor& visit) {
  if (plan.problems.empty()) return;
  if (plan.options.external) return for_each_external_unit(plan, visit);
  const Emitter emit(plan, visit);
  with_kind(plan, [&]<tw::WalkKind K>() {
    if (plan.config.group_schedule != GroupSchedule::HostPrecompute) {
      return assign_units<K>(plan, emit, emit);
    }
    const auto work = work_of<K>(plan);
    auto walks = walks_of<K>(plan, work);
    for (size_t worker = 0; worker < walks.size(); ++worker) {
      for (Unit unit; walks[worker].next_stream_k(unit);) emit(static_cast<int64_t>(worker), unit);
    }
    const ScheduleTable table = schedule_table(plan);
    std::vector<size_t> read(walks.size());
    for_each_round(walks.size(), [&](size_t worker) {
      const std::vector<tw::TableEntry>& entries = table.of_worker[worker];
      if (read[worker] == entries.size()) return false;
      emit(static_cast<int64_t>(worker),
           tw::table_unit<K.division, int64_t>(plan.ordered.data(), entries[read[worker]++]));
      return true;
    });
  });
}

void for_each_whole_tile(const Plan& plan, int problem, int64_t workers,
                         const std::function<bool(int64_t, TileCoord)>& visit) {
  if (plan.options.external) return for_each_external_tile(plan, problem, workers, visit);
  const PlannedProblem& p = plan.problem(problem);
  const tw::LaunchWork<int64_t> work{.slots = p.work.slots, .k_steps = p.work.k_steps};
  std::vector<tw::UnitWalk<tw::WalkKind{}, int64_t>> walks;
  walks.reserve(static_cast<size_t>(workers));
  for (int worker = 0; worker < static_cast<int>(workers); ++worker) {
    walks.emplace_back(work, worker, static_cast<int>(workers));
  }
  std::vector<bool> done(walks.size());
  for_each_round(walks.size(), [&](size_t worker) {
    Unit unit;
    if (done[worker] || !walks[worker].next(unit)) return false;
    const TileCoord at = tw::slot_tile<long long>(p.map, unit.slot);
    if (computes(plan, problem, at)) {
      done[worker] = !visit(static_cast<int64_t>(worker), at);
    }
    return true;
  });
}

std::vector<std::optional<WorkTile>> first_units(const Plan& plan, int64_t count) {
  std::vector<std::optional<WorkTile>> first(static_cast<size_t>(count));
  const PlannedProblem& p = plan.problems.front();
  const auto workers = static_cast<int>(plan.launched_workers);
  with_kind(plan, [&]<tw::WalkKind K>() {
    const auto work = work_of<K>(plan);
    for (int64_t cta = 0; cta < count; ++cta) {
      const auto rank = static_cast<int>(cta % plan.cluster_size);
      tw::UnitWalk<K, int64_t> walk(work, static_cast<int>(cta / plan.cluster_size), workers);
      for (Unit unit; walk.next(unit);) {
        const TileCoord at = tw::slot_tile<long long>(p.map, unit.slot);
        if (!computes(plan, 0, at)) continue;
        const tw::Span<int> k = k_of(plan, p, unit, rank);
        const TileCoord tile =
            tw::cta_tile_coord(plan.config.cluster.m, plan.config.cluster.n, at, rank);
        first[static_cast<size_t>(cta)] = {0, tile.m, tile.n, k.begin, k.end};
        break;
      }
    }
  });
  return first;
}

}  // namespace tilewright
