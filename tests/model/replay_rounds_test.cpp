#include "model/replay_rounds.hpp"

#include <doctest/doctest.h>

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

}  // namespace
}  // namespace tilewright
