#include "model/replay_schedule.hpp"

namespace tilewright {
namespace {

// Each CTA of a cluster along K reads slabs of its own.
std::vector<ReplayWorker> idle_workers(const ReplayScope& scope) {
  std::vector<ReplayWorker> workers;
  const auto size = static_cast<int>(scope.whole.cluster_size);
  for (const Placement& placement : placements(scope.device, scope.clusters, size)) {
    for (int slice = 0; slice < scope.whole.cluster_k(); ++slice) {
      workers.push_back({.pieces = {}, .placement = placement});
    }
  }
  return workers;
}

// Gives the worker its next piece.
void assign(size_t worker, const TilePiece& piece, ReplaySchedule& schedule,
            RoundCounter& counter) {
  schedule.workers[worker].pieces.push_back(piece);
  counter.add(schedule.workers[worker]);
}

void assign_whole_tiles(const ReplayScope& scope, ReplaySchedule& schedule, RoundCounter& counter) {
  const auto at_once = static_cast<int64_t>(schedule.workers.size());
  for_each_whole_tile(scope.plan, 0, at_once, [&](int64_t number, TileCoord cluster) {
    const auto worker = static_cast<size_t>(number);
    assign(worker, {cluster, 0, scope.depth}, schedule, counter);
    return std::ssize(schedule.workers[worker].pieces) < scope.rounds;
  });
}

void assign_parts(const ReplayScope& scope, ReplaySchedule& schedule, RoundCounter& counter) {
  const ClusterShape& shape = scope.whole.config.cluster;
  const int64_t of_cluster = int64_t{shape.m} * shape.n;
  for_each_unit(scope.plan, [&](const ScheduledUnit& unit) {
    const WorkTile& w = unit.work;
    const bool leads = w.m % shape.m == 0 && w.n % shape.n == 0;
    if (unit.kind != UnitKind::Work || !leads) return;
    const size_t worker = static_cast<size_t>(unit.cta / of_cluster) % schedule.workers.size();
    assign(worker, piece_of(scope.plan, w), schedule, counter);
  });
}

}  // namespace

ReplaySchedule schedule_pieces(const ReplayScope& scope) {
  ReplaySchedule schedule{.workers = idle_workers(scope), .rounds = {}};
  RoundCounter counter(scope, schedule.rounds);
  if (scope.in_parts) {
    assign_parts(scope, schedule, counter);
  } else {
    assign_whole_tiles(scope, schedule, counter);
  }
  return schedule;
}

}  // namespace tilewright
