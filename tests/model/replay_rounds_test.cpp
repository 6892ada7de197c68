#include "model/replay_rounds.hpp"

#include <doctest/doctest.h>

#include <set>
#include <tuple>
#include <vector>

#include "model/replay_schedule.hpp"
#include "support/plans.hpp"
#include "tile/plan/tile_count.hpp"

namespace tilewright {
namespace {

TEST_CASE("remaining rounds complete the tiles and their reads; DRAM continues as before") {
  const DeviceSpec device = testing::h200();
  const Plan plan =
      testing::plan_of({.problem = "65536x65536x4096", .ctas = 132, .raster = "swizzle-merge:8"});
  const ReplayScope scope = scope_of(plan, plan, device, ReplayDetail::Coarse);
  ReplayRounds rounds = schedule_pieces(scope).rounds;
  const size_t walked = rounds.waves.size();
  const int64_t tiles = rounds.tiles;
  const int64_t written = rounds.written_bytes;
  CHECK(written == tiles * 128 * 128 * 2);
  add_misses(scope, std::vector<double>(walked, 1000), rounds);
  add_later_rounds(scope, rounds);
  REQUIRE(rounds.waves.size() > walked);
  CHECK(rounds.tiles == visited_tiles(plan, 0));
  CHECK(rounds.written_bytes == rounds.tiles * 128 * 128 * 2);
  int64_t counted = 0;
  double read = 0;
  for (const WaveTraffic& wave : rounds.waves) {
    counted += wave.rounds * wave.tiles;
    read += static_cast<double>(wave.rounds) * wave.l2_read_bytes;
  }
  CHECK(counted == rounds.tiles);
  CHECK(read == doctest::Approx(static_cast<double>(counted) * 256 * 4096 * 2));
  CHECK(rounds.waves[walked].dram_read_bytes == doctest::Approx(1000));
}

// Counted by hand: sets of (GPC, panel, first element of K) of what each worker reads first.
TEST_CASE("parts that begin together in a GPC share their reads, parts of later rounds do not") {
  const DeviceSpec device = testing::h200();
  for (const char* const decomposition : {"split-k:2:workspace", "split-k:7:atomic", "stream-k"}) {
    for (const char* const problem : {"1024x1024x4096", "512x2048x8192"}) {
      CAPTURE(decomposition);
      CAPTURE(problem);
      const Plan plan =
          testing::plan_of({.problem = problem, .ctas = 132, .decomposition = decomposition});
      const ReplayScope scope = scope_of(plan, plan, device, ReplayDetail::Fine);
      REQUIRE(scope.in_parts);
      const ReplaySchedule schedule = schedule_pieces(scope);
      std::set<std::tuple<int, int, int64_t>> read;
      double distinct = 0;
      for (const ReplayWorker& worker : schedule.workers) {
        if (worker.pieces.empty()) continue;
        const TilePiece& piece = worker.pieces.front();
        scope.panels.for_each(piece.cluster, [&](int panel) {
          if (!read.insert({worker.placement.gpc, panel, piece.k_begin}).second) return;
          distinct += static_cast<double>(128 * (piece.k_end - piece.k_begin) * 2);
        });
      }
      const std::vector<WaveTraffic>& waves = schedule.rounds.waves;
      CHECK(waves.front().distinct_bytes == doctest::Approx(distinct));
      CHECK(waves.front().distinct_bytes < waves.front().l2_read_bytes);
      for (size_t round = 1; round < waves.size(); ++round) {
        CHECK(waves[round].distinct_bytes == doctest::Approx(waves[round].l2_read_bytes));
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
