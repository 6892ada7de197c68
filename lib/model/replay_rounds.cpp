#include "model/replay_rounds.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "base/math.hpp"
#include "model/placement.hpp"
#include "tile/plan/tile_count.hpp"

namespace tilewright {
namespace {

// The sum of the waves; `rounds` is their number.
WaveTraffic sum_of(std::span<const WaveTraffic> waves) {
  WaveTraffic sum{.rounds = 0};
  for (const WaveTraffic& wave : waves) {
    ++sum.rounds;
    sum.tiles += wave.tiles;
    sum.dram_read_bytes += wave.dram_read_bytes;
    sum.l2_read_bytes += wave.l2_read_bytes;
    sum.distinct_bytes += wave.distinct_bytes;
  }
  return sum;
}

// Every cluster column reads all rows of A, every cluster row all columns of B.
double all_read_bytes(const ReplayScope& scope) {
  const PlannedProblem& problem = scope.whole.problems.front();
  const GemmShape& s = problem.shape;
  const TileCoord grid = problem.map.clusters;
  constexpr int kFirstRow = 0;
  const double rows = static_cast<double>(s.m) * grid.n * element_bytes(scope, kFirstRow);
  const double columns =
      static_cast<double>(s.n) * grid.m * element_bytes(scope, scope.panels.column(0));
  return (rows + columns) * static_cast<double>(s.k);
}

}  // namespace

void RoundCounter::add(const ReplayWorker& worker) {
  if (worker.pieces.size() > rounds_.waves.size()) rounds_.waves.emplace_back();
  WaveTraffic& wave = rounds_.waves[worker.pieces.size() - 1];
  const TilePiece& piece = worker.pieces.back();
  const int64_t tiles = scope_.panels.tile_count(piece.cluster);
  wave.tiles += tiles;
  rounds_.tiles += tiles;
  scope_.panels.for_each(piece.cluster, [&](int panel) {
    const int64_t bytes = slab_bytes(scope_, panel, piece.k_end - piece.k_begin);
    wave.l2_read_bytes += static_cast<double>(bytes);
  });
  add_distinct(worker);
  if (piece.k_end == scope_.depth) rounds_.written_bytes += stored_bytes(scope_, piece.cluster);
}

// Counts the panels that no cluster of the GPC has read in this round.
void RoundCounter::add_distinct(const ReplayWorker& worker) {
  const size_t round = worker.pieces.size() - 1;
  const TilePiece& piece = worker.pieces.back();
  scope_.panels.for_each(piece.cluster, [&](int panel) {
    if (!is_distinct(worker, panel)) return;
    rounds_.waves[round].distinct_bytes +=
        static_cast<double>(slab_bytes(scope_, panel, piece.k_end - piece.k_begin));
  });
}

// Parts read the same lines at the same time only if they begin at the same k, and only in the
// first round: later parts begin when others have ended.
bool RoundCounter::is_distinct(const ReplayWorker& worker, int panel) {
  const auto round = static_cast<int>(worker.pieces.size()) - 1;
  const int gpc = worker.placement.gpc;
  if (scope_.in_parts) {
    const int64_t panel_of_gpc = int64_t{gpc} * scope_.panels.count() + panel;
    const int64_t part = panel_of_gpc * (scope_.depth + 1) + worker.pieces.back().k_begin;
    return round > 0 || first_parts_.insert(part).second;
  }
  const bool is_row = scope_.panels.is_row(panel);
  const int of_side = is_row ? panel : panel - scope_.panels.column(0);
  const auto place = static_cast<size_t>(of_side) * kGpcCount + static_cast<size_t>(gpc);
  std::vector<int>& last_rounds = last_rounds_[is_row ? 0 : 1];
  if (place >= last_rounds.size()) last_rounds.resize(place + 1, -1);
  return std::exchange(last_rounds[place], round) != round;
}

void add_misses(const ReplayScope& scope, const std::vector<double>& missed_bytes,
                ReplayRounds& rounds) {
  const double deeper = static_cast<double>(scope.whole.problems.front().shape.k) /
                        static_cast<double>(scope.plan.problems.front().shape.k);
  for (size_t round = 0; round < rounds.waves.size(); ++round) {
    WaveTraffic& wave = rounds.waves[round];
    wave.dram_read_bytes = missed_bytes[round] * deeper;
    wave.l2_read_bytes *= deeper;
    wave.distinct_bytes *= deeper;
  }
}

void add_later_rounds(const ReplayScope& scope, ReplayRounds& rounds) {
  const int64_t left = scope.in_parts ? 0 : visited_tiles(scope.whole, 0) - rounds.tiles;
  if (left <= 0) return;
  const std::span<const WaveTraffic> waves = rounds.waves;
  const double read_bytes = sum_of(waves).l2_read_bytes;
  const WaveTraffic half = sum_of(waves.subspan(waves.size() / 2));
  const double tile_read_bytes =
      is_square(scope) ? (all_read_bytes(scope) - read_bytes) / static_cast<double>(left)
                       : read_bytes / static_cast<double>(rounds.tiles);
  const auto go_on = [&](int64_t round_tiles, int64_t alike) {
    const double read = tile_read_bytes * static_cast<double>(round_tiles);
    const double share = read / half.l2_read_bytes;
    rounds.waves.push_back(
        {round_tiles, share * half.dram_read_bytes, read, share * half.distinct_bytes, alike});
  };
  const int64_t full = half.tiles / half.rounds;
  const int64_t full_rounds = ceil_div(left, full) - 1;
  if (full_rounds > 0) go_on(full, full_rounds);
  go_on(left - full_rounds * full, 1);
  rounds.written_bytes +=
      std::llround(static_cast<double>(rounds.written_bytes) / static_cast<double>(rounds.tiles) *
                   static_cast<double>(left));
  rounds.tiles += left;
}

}  // namespace tilewright
