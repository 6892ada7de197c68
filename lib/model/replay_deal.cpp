#include "model/replay_deal.hpp"

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
void deal(size_t worker, const TilePiece& piece, ReplayDeal& dealt, RoundTally& tally) {
  dealt.workers[worker].pieces.push_back(piece);
  tally.add(dealt.workers[worker]);
}

void deal_whole_tiles(const ReplayScope& scope, ReplayDeal& dealt, RoundTally& tally) {
  const auto at_once = static_cast<int64_t>(dealt.workers.size());
  for_each_whole_tile(scope.plan, 0, at_once, [&](int64_t number, TileCoord cluster) {
    const auto worker = static_cast<size_t>(number);
    deal(worker, {cluster, 0, scope.depth}, dealt, tally);
    return std::ssize(dealt.workers[worker].pieces) < scope.rounds;
  });
}

void deal_parts(const ReplayScope& scope, ReplayDeal& dealt, RoundTally& tally) {
  const ClusterShape& shape = scope.whole.config.cluster;
  const int64_t of_cluster = int64_t{shape.m} * shape.n;
  for_each_unit(scope.plan, [&](const ScheduledUnit& unit) {
    const WorkTile& w = unit.work;
    const bool leads = w.m % shape.m == 0 && w.n % shape.n == 0;
    if (unit.kind != UnitKind::Work || !leads) return;
    const size_t worker = static_cast<size_t>(unit.cta / of_cluster) % dealt.workers.size();
    deal(worker, piece_of(scope.plan, w), dealt, tally);
  });
}

}  // namespace

ReplayDeal deal_pieces(const ReplayScope& scope) {
  ReplayDeal dealt{.workers = idle_workers(scope), .rounds = {}};
  RoundTally tally(scope, dealt.rounds);
  if (scope.in_parts) {
    deal_parts(scope, dealt, tally);
  } else {
    deal_whole_tiles(scope, dealt, tally);
  }
  return dealt;
}

}  // namespace tilewright
