// for_each_unit: from counted problems to units, with the functions that kernels call.

#include <algorithm>
#include <queue>
#include <utility>

#include "base/interruption.hpp"
#include "problem_visitor.cuh"
#include "tile/schedule.hpp"
#include "triangle.cuh"

namespace tilewright {
namespace {

// The load of every worker, least first; equals by number.
using Loads = std::priority_queue<std::pair<int64_t, int64_t>,
                                  std::vector<std::pair<int64_t, int64_t>>, std::greater<>>;

class Walk {
 public:
  Walk(const Schedule& schedule, const UnitVisitor& visit)
      : s_(schedule),
        r_(schedule.request),
        visit_(visit),
        raster_(tw::in_clusters(r_.raster, r_.cluster.m, r_.cluster.n)) {}

  void run() {
    std::vector<int64_t> load(static_cast<size_t>(s_.workers));
    if (s_.streamed > 0) {
      for (int64_t worker = 0; worker < s_.workers; ++worker) {
        load[static_cast<size_t>(worker)] = stream(worker);
      }
    }
    const bool by_load = r_.group_schedule == GroupSchedule::Dynamic ||
                         (r_.group_schedule == GroupSchedule::HostPrecompute &&
                          r_.problem_order == ProblemOrder::Lpt);
    if (by_load) {
      deal_by_load(load);
    } else {
      deal_in_turn();
    }
  }

 private:
  // A unit of the concatenation of all problems, in scheduling order.
  struct Unit {
    int problem = 0;
    int64_t slot = 0;
    tw::Span<int> k;
  };

  const ScheduledProblem& problem(int number) const {
    return s_.problems[static_cast<size_t>(number)];
  }
  int ordered(int place) const { return s_.order[static_cast<size_t>(place)]; }

  Unit decode(tw::ProblemStart<int64_t> start, int64_t unit) const {
    const int number = ordered(start.problem);
    const ScheduledProblem& p = problem(number);
    const int64_t within = unit - start.first;
    const auto slice = static_cast<int>(within % p.slices);
    return {number, within / p.slices, tw::even_share(p.k_steps, p.slices, slice)};
  }

  template <class Deal>
  void for_dealt_units(Deal deal) {
    const auto units_of = [this](int place) { return problem(ordered(place)).units(); };
    tw::ProblemVisitor<int64_t> visitor(static_cast<int>(s_.problems.size()), units_of);
    for (int64_t dealt = 0; dealt < s_.units; ++dealt) {
      const int64_t unit = s_.streamed + dealt;
      deal(dealt, decode(visitor.find(unit, units_of), unit));
    }
  }

  void deal_in_turn() {
    int64_t worker = 0;
    for_dealt_units([&](int64_t, const Unit& unit) {
      emit(worker, unit);
      if (++worker == s_.workers) worker = 0;
    });
  }

  void deal_by_load(const std::vector<int64_t>& load) {
    Loads loads;
    for (size_t i = 0; i < load.size(); ++i) loads.push({load[i], static_cast<int64_t>(i)});
    for_dealt_units([&](int64_t, const Unit& unit) {
      auto [steps, worker] = loads.top();
      loads.pop();
      loads.push({steps + emit(worker, unit), worker});
    });
  }

  // The worker's share of the streamed tiles, from its last tile to its first: so the part that
  // waits for a neighbour's comes last. Returns its k-steps.
  int64_t stream(int64_t worker) {
    std::vector<int64_t> first_slot(s_.order.size() + 1);
    std::vector<int64_t> first_step(s_.order.size() + 1);
    for (size_t i = 0; i < s_.order.size(); ++i) {
      const ScheduledProblem& p = problem(s_.order[i]);
      const int64_t slots = std::min(p.slots, s_.streamed - first_slot[i]);
      first_slot[i + 1] = first_slot[i] + slots;
      first_step[i + 1] = first_step[i] + slots * p.k_steps;
    }
    const auto share = tw::even_share<int64_t>(first_step.back(), s_.workers, worker);
    int64_t load = 0;
    auto place = static_cast<int>(s_.order.size()) - 1;
    for (int64_t end = share.end; end > share.begin;) {
      while (first_step[static_cast<size_t>(place)] >= end) --place;
      const int number = ordered(place);
      const int steps = problem(number).k_steps;
      const int64_t base = first_step[static_cast<size_t>(place)];
      const int64_t slot = (end - 1 - base) / steps;
      const int64_t tile_begin = base + slot * steps;
      const int64_t begin = std::max(share.begin, tile_begin);
      load += emit(worker,
                   {number,
                    slot,
                    {static_cast<int>(begin - tile_begin), static_cast<int>(end - tile_begin)}});
      end = begin;
    }
    return load;
  }

  TileCoord cluster_tile(const ScheduledProblem& p, int64_t slot) const {
    if (r_.problem.op == MatrixOp::Gemm || r_.plain) {
      return tw::tile_at<long long>(raster_, p.clusters, slot);
    }
    const tw::Triangle triangle{.lower = r_.problem.uplo == Uplo::Lower,
                                .grid = p.tiles,
                                .cta_m = r_.cta.m,
                                .cta_n = r_.cta.n};
    return tw::triangle_tile_at<long long>(triangle, slot);
  }

  // Visits the unit of every CTA of the cluster; returns the k-steps that it keeps the cluster
  // busy.
  int64_t emit(int64_t worker, const Unit& unit) {
    throw_if_interrupted();
    const ScheduledProblem& p = problem(unit.problem);
    const TileCoord at = cluster_tile(p, unit.slot);
    const bool cluster_works = tw::is_inside(p.clusters, at) || tw::runs_padding(raster_);
    const UnitKind otherwise =
        cluster_works && r_.problem.op == MatrixOp::Gemm ? UnitKind::Padded : UnitKind::EarlyExit;
    int64_t busy = 0;
    for (int64_t rank = 0; rank < s_.cluster_size; ++rank) {
      const TileCoord tile{at.m * r_.cluster.m + static_cast<int>(rank % r_.cluster.m),
                           at.n * r_.cluster.n + static_cast<int>(rank / r_.cluster.m)};
      const bool wanted = is_wanted(s_, unit.problem, tile);
      const UnitKind kind = wanted ? UnitKind::Work : otherwise;
      if (kind != UnitKind::EarlyExit) busy = unit.k.size();
      visit_({worker * s_.cluster_size + rank,
              {unit.problem, tile.m, tile.n, unit.k.begin, unit.k.end},
              kind});
    }
    return busy;
  }

  const Schedule& s_;
  const ScheduleRequest& r_;
  const UnitVisitor& visit_;
  Raster raster_;
};

}  // namespace

void for_each_unit(const Schedule& schedule, const UnitVisitor& visit) {
  Walk(schedule, visit).run();
}

}  // namespace tilewright
