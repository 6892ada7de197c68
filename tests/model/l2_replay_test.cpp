#include "model/l2_replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/devices.hpp"
#include "support/plans.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/tile_count.hpp"

namespace tilewright {
namespace {

using testing::config_with;

L2Traffic replay(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                 ReplayDetail detail = ReplayDetail::Fine) {
  return replay_l2(make_plan(problem, config, device), device, detail);
}

TEST_CASE("SMs read what their clusters' tiles need; a large cache misses each byte once") {
  Random random(1);
  const char* const rasters[] = {
      "row", "col", "split-merge:3", "swizzle-merge:2", "split-merge:2x2", "swizzle-merge:4,2@n"};
  const char* const ctas[] = {"64x64x64", "128x80x64", "128x256x64"};
  const char* const clusters[] = {"1x1", "2x1", "1x2"};
  for (int i = 0; i < 120; ++i) {
    const Problem p{{1 + random.below(1500), 1 + random.below(1500), 1 + random.below(900)}};
    const TileConfig c =
        config_with(ctas[random.below(3)], clusters[random.below(3)], rasters[random.below(6)]);
    DeviceSpec d = testing::h200();
    d.sm_count = 2 + static_cast<int>(random.below(12));
    CAPTURE(to_string(p));
    CAPTURE(to_string(c));
    for (const ReplayDetail detail : {ReplayDetail::Fine, ReplayDetail::Coarse}) {
      const L2Traffic t = replay(p, c, d, detail);
      const TileCoord grid = cluster_grid(p.shape, c);
      // Every cluster column reads all rows of A, every cluster row all columns of B.
      const int64_t read = (p.shape.m * grid.n + p.shape.n * grid.m) * p.shape.k * 2;
      CHECK(t.l2_read_bytes == static_cast<double>(read));
      const auto once = static_cast<double>((p.shape.m + p.shape.n) * p.shape.k * 2);
      CHECK(t.dram_read_bytes == doctest::Approx(once));
    }
  }
}

// Partial tiles' bytes, counted from the units of every CTA: bytes that parts write first, without
// adding, and tiles of the workspace that are zero before the launch.
struct PartialBytes {
  double written = 0;
  double zeros = 0;
};

PartialBytes partial_bytes(const Plan& plan) {
  PartialBytes bytes;
  const double of_tile = 4.0 * plan.config.cta.m * plan.config.cta.n;
  std::map<std::pair<int, int>, int> parts;
  for (const std::vector<WorkTile>& list : assignments(plan)) {
    for (const WorkTile& w : list) {
      if (w.k_end - w.k_begin < plan.problems.front().work.k_steps) ++parts[{w.m, w.n}];
    }
  }
  for (const auto& tile : parts) {
    switch (plan.reduction) {
      case Reduction::Workspace:
      case Reduction::ReduceScatter: bytes.written += tile.second * of_tile; break;
      case Reduction::Atomic:
      case Reduction::AtomicTma:
        bytes.written += of_tile;
        bytes.zeros += of_tile;
        break;
      case Reduction::Serial:
      case Reduction::SerialTma: bytes.written += of_tile; break;
      case Reduction::Cluster:
      case Reduction::InPlace: break;
    }
  }
  return bytes;
}

TEST_CASE("with divided tiles, a large cache moves operands, sums and output once") {
  Random random(3);
  const char* const decompositions[] = {
      "split-k:2",          "split-k:3:serial-tma",     "split-k:4:workspace",
      "split-k:5:atomic",   "split-k:2:reduce-scatter", "split-k:4:cluster",
      "split-k:3:in-place", "split-k:6:atomic-tma",     "stream-k",
      "stream-k:workspace", "stream-k:one-tile:atomic"};
  for (int i = 0; i < 66; ++i) {
    TileConfig c = config_with("128x80x64", "1x1", "swizzle-merge:2");
    c.decomposition = parse_decomposition(decompositions[i % 11]);
    const Problem p{
        {1 + random.below(900), 8 * (1 + random.below(100)), 8 * (50 + random.below(400))}};
    DeviceSpec d = testing::h200();
    d.sm_count = 4 + static_cast<int>(random.below(60));
    d.l2_effective_bytes = int64_t{1} << 33;
    const Plan plan = make_plan(p, c, d);
    CAPTURE(to_string(p));
    CAPTURE(to_string(c));
    const L2Traffic t = replay_l2(plan, d);
    const PartialBytes parts = partial_bytes(plan);
    const double once = 2.0 * static_cast<double>((p.shape.m + p.shape.n) * p.shape.k);
    CHECK(t.dram_read_bytes == doctest::Approx(once + parts.zeros));
    CHECK(t.partial_read_bytes == doctest::Approx(parts.zeros));
    const double output = 2.0 * static_cast<double>(p.shape.m * p.shape.n);
    CHECK(t.dram_write_bytes == doctest::Approx(output + parts.written));
    const TileCoord grid = cluster_grid(p.shape, c);
    CHECK(t.l2_read_bytes ==
          2.0 * static_cast<double>((p.shape.m * grid.n + p.shape.n * grid.m) * p.shape.k));
  }
}

TEST_CASE("partial sums that do not fit in the cache go to DRAM and come back") {
  TileConfig c = config_with("128x128x64", "1x1", "row");
  c.decomposition = parse_decomposition("split-k:4:workspace");
  const Problem p{{4096, 4096, 1024}};
  const L2Traffic t = replay(p, c, testing::h200());
  const double sums = 4.0 * 4 * 4096 * 4096;
  // The cache holds at most its own size of these sums when the second kernel starts.
  CHECK(t.partial_read_bytes >= sums - static_cast<double>(testing::h200().l2_bytes));
  CHECK(t.partial_read_bytes <= sums);
}

TEST_CASE("evict-first lines are read again more often and leave room for the others") {
  for (const char* const raster : {"row", "swizzle-merge:8", "hilbert"}) {
    TileConfig c = config_with("128x128x64", "1x1", raster);
    const Problem p{{4096, 8192, 4096}};
    const double usual = replay(p, c, testing::h200()).dram_read_bytes;
    c.evict_first = {.a = true, .b = true};
    CHECK(replay(p, c, testing::h200()).dram_read_bytes > usual);
  }
  // B is read once, so A stays, as if it had the cache to itself.
  TileConfig c = config_with("128x128x64", "1x1", "col");
  const Problem p{{8 * 1024, 16 * 1024, 2048}};
  const double usual = replay(p, c, testing::h200()).dram_read_bytes;
  c.evict_first = {.b = true};
  CHECK(replay(p, c, testing::h200()).dram_read_bytes < usual);
}

TEST_CASE(
    "an operand that is evicted first is read once where one cluster alone loads each panel") {
  // Rows of K within, across and along lines.
  for (const int64_t k : {1176, 2256, 5584, 4096}) {
    struct Case {
      GemmShape shape;
      const char* cluster;
      bool of_a;
      bool alone;
    };
    for (const Case& each :
         {Case{{9000, 120, k}, "1x1", true, true}, Case{{9000, 250, k}, "1x2", true, true},
          Case{{250, 9000, k}, "2x2", false, true}, Case{{9000, 250, k}, "1x1", true, false},
          Case{{9000, 600, k}, "1x2", true, false}}) {
      CAPTURE(to_string(each.shape));
      CAPTURE(each.cluster);
      TileConfig c = config_with("128x128x64", each.cluster, "row");
      const Problem p{each.shape};
      const double usual = replay(p, c, testing::h200()).dram_read_bytes;
      (each.of_a ? c.evict_first.a : c.evict_first.b) = true;
      const double first = replay(p, c, testing::h200()).dram_read_bytes;
      if (each.alone) CHECK(first == doctest::Approx(usual).epsilon(0.02));
      if (!each.alone && k % 64 != 0) CHECK(first > 1.05 * usual);
    }
  }
}

TEST_CASE("the distinct bytes of a GPC are at most its reads") {
  for (const char* const raster : {"row", "swizzle-merge:8", "hilbert"}) {
    const L2Traffic t =
        replay({{4096, 4096, 1024}}, config_with("128x128x64", "1x1", raster), testing::h200());
    for (const WaveTraffic& wave : t.waves) {
      CHECK(wave.distinct_bytes <= wave.l2_read_bytes);
      CHECK(wave.distinct_bytes >= wave.l2_read_bytes / 17);
    }
  }
}

TEST_CASE("the coarse replay in lockstep reads about as much as the fine one") {
  const DeviceSpec d = testing::h200();
  for (const char* const shape : {"8192x8192x4096", "4096x14336x1024", "3000x3000x3000"}) {
    for (const char* const raster : {"col", "swizzle-merge:8", "split-merge:5@n"}) {
      const TileConfig c = config_with("128x256x64", "2x1", raster);
      const Problem p{parse_shape(shape)};
      CHECK(replay(p, c, d, ReplayDetail::Coarse).dram_read_bytes ==
            doctest::Approx(replay(p, c, d).dram_read_bytes).epsilon(0.2));
    }
  }
}

TEST_CASE("traffic is at least every operand once, and no more than every read") {
  const DeviceSpec d = testing::h200();
  for (const char* const shape : {"3000x3000x3000", "8192x1280x8192", "5x9000x777"}) {
    for (const char* const raster : {"row", "col", "swizzle-merge:8", "split-merge:5"}) {
      const Problem p{parse_shape(shape)};
      const L2Traffic t = replay(p, config_with("128x192x64", "2x1", raster), d);
      const auto compulsory = static_cast<double>((p.shape.m + p.shape.n) * p.shape.k * 2);
      CHECK(t.dram_read_bytes >= compulsory);
      CHECK(t.dram_read_bytes <= t.l2_read_bytes);
      CHECK(t.dram_write_bytes == static_cast<double>(p.shape.m * p.shape.n * 2));
      CHECK(t.hit_rate == doctest::Approx(1 - t.dram_read_bytes / t.l2_read_bytes));
    }
  }
}

TEST_CASE("a cache that holds everything misses each line once, and a smaller one no less") {
  const Problem p{{2048, 4096, 2048}};
  const TileConfig c = config_with("128x128x64", "1x1", "row");
  double before = 0;
  for (const int64_t capacity : {int64_t{1} << 32, int64_t{20'000'000}, int64_t{9'000'000}}) {
    DeviceSpec d = testing::h200();
    d.l2_effective_bytes = capacity;
    const double missed = replay(p, c, d).dram_read_bytes;
    CHECK(missed >= before);
    if (before == 0) CHECK(missed == 2.0 * 2048 * (2048 + 4096));
    before = missed;
  }
}

TEST_CASE("with a larger cache reads rise at most by the replay's noise, on random grids") {
  constexpr int64_t kMib = 1 << 20;
  const auto reads = [](const Problem& p, const TileConfig& c, int64_t mib) {
    DeviceSpec d = testing::h200();
    d.l2_effective_bytes = mib * kMib;
    return replay(p, c, d).dram_read_bytes;
  };
  const char* const rasters[] = {
      "row",           "col",     "swizzle-merge:4",    "swizzle-merge:2",
      "split-merge:3", "hilbert", "swizzle-merge:16@n", "snake:4"};
  const char* const ctas[] = {"128x128x64", "128x192x64", "128x256x64", "256x128x64"};
  const char* const clusters[] = {"1x1", "2x1", "1x2"};
  Random random(4);
  for (int i = 0; i < 30; ++i) {
    const TileConfig c =
        config_with(ctas[random.below(4)], clusters[random.below(3)], rasters[random.below(8)]);
    const Problem p{{int64_t{c.cta.m} * (8 + random.below(50)),
                     int64_t{c.cta.n} * (8 + random.below(50)), 64 * (1 + random.below(40))}};
    CAPTURE(to_string(p));
    CAPTURE(to_string(c));
    double least = std::numeric_limits<double>::infinity();  // of all smaller caches
    for (int64_t mib = 46; mib <= 80; mib += 2) {
      CAPTURE(mib);
      const double now = reads(p, c, mib);
      CHECK(now <= 1.02 * least);
      least = std::min(least, now);
    }
  }
  // Copies that last longer hide reads from the lines' homes, which then evict the lines: that was
  // 1.38 times more.
  const Problem p{{45 * 128, 50 * 192, 512}};
  const TileConfig c = config_with("128x192x64", "1x1", "swizzle-merge:4");
  CHECK(reads(p, c, 52) <= 1.02 * reads(p, c, 50));
}

// The expected values come from a walk; a cluster counts all its tiles that lie in the grid.
TEST_CASE("all tiles of a triangle are replayed once, for any tile shape and either triangle") {
  Random random(7);
  const char* const ctas[] = {"128x128x64", "256x128x64", "128x256x64", "64x128x64", "192x128x64"};
  for (int i = 0; i < 120; ++i) {
    const int64_t n = 8 * (1 + random.below(400));
    const std::string problem = format("{}x{}x{}", n, n, 64 * (1 + random.below(3)));
    testing::PlanWords words{.problem = problem, .ctas = 4 + random.below(60)};
    words.op = i % 2 == 0 ? "syrk" : "syr2k";
    words.uplo = i % 3 == 0 ? "lower" : "upper";
    words.cta = ctas[random.below(5)];
    words.raster = words.cta == "192x128x64" || i % 4 == 0 ? "swizzle-merge:3" : "row";
    words.plain = i % 7 == 0 && words.raster == "row";
    const bool square = words.cta == "128x128x64";
    words.cluster = !words.plain && square && i % 5 == 0 ? "2x1" : "1x1";
    const Plan plan = testing::plan_of(words);
    CAPTURE(shapes_text(plan.workload));
    CAPTURE(to_string(plan.config));
    CAPTURE(words.uplo);
    const PlannedProblem& p = plan.problems.front();
    int64_t walked = 0;
    for_each_whole_tile(plan, 0, 7, [&](int64_t, TileCoord cluster) {
      for (int rank = 0; rank < plan.cluster_size; ++rank) {
        const ClusterShape& c = plan.config.cluster;
        walked += tw::is_inside(p.tiles, tw::cta_tile_coord(c.m, c.n, cluster, rank)) ? 1 : 0;
      }
      return true;
    });
    CHECK(visited_tiles(plan, 0) == walked);
    int64_t tiles = 0;
    for (const ReplayDetail detail : {ReplayDetail::Fine, ReplayDetail::Coarse}) {
      tiles = 0;
      for (const WaveTraffic& wave : replay_l2(plan, testing::h200(), detail).waves) {
        tiles += wave.rounds * wave.tiles;
      }
      CHECK(tiles == walked);
    }
  }
}

TEST_CASE("overhang slots take places in waves but move nothing") {
  const Problem p{{13 * 128, 10 * 128, 1024}};
  const DeviceSpec d = testing::h200();
  const L2Traffic split = replay(p, config_with("128x128x64", "1x1", "split-merge:4"), d);
  CHECK(split.slots == 160);
  int64_t tiles = 0;
  for (const WaveTraffic& wave : split.waves) tiles += wave.tiles;
  CHECK(tiles == 130);
}

TEST_CASE("a complex update writes two planes, each as large as a real update's") {
  testing::PlanWords words{.problem = "768x768x256", .op = "syr2k"};
  const L2Traffic real = replay_l2(testing::plan_of(words), testing::h200());
  words.op = "her2k";
  const L2Traffic complex = replay_l2(testing::plan_of(words), testing::h200());
  CHECK(complex.dram_write_bytes == 2 * real.dram_write_bytes);
}

// Counted on an H200 at 5120x27648x5120, tiles of 128x256, groups of `rows` rows. In groups of one
// row CTAs drift apart until some find in L2 what others read.
TEST_CASE("the replay gives the DRAM reads that hardware counters saw") {
  struct Counted {
    int rows;
    double bytes;
  };
  const Problem p{{5120, 27648, 5120}};
  for (const Counted counted : {Counted{1, 8.29e9}, Counted{2, 5.80e9}, Counted{4, 3.05e9},
                                Counted{8, 1.83e9}, Counted{16, 1.56e9}, Counted{32, 1.83e9}}) {
    const std::string raster = format("swizzle-merge:{}", counted.rows);
    const L2Traffic t =
        replay(p, config_with("128x256x64", "1x1", raster.c_str()), testing::h200());
    CAPTURE(counted.rows);
    CHECK(t.dram_read_bytes ==
          doctest::Approx(counted.bytes).epsilon(counted.rows == 1 ? 0.1 : 0.03));
  }
}

TEST_CASE("for problems of any size, few replayed waves count all tiles and reads") {
  const DeviceSpec d = testing::h200();
  for (const char* const shape : {"100000x100000x100000", "2147483647x1x1", "1x2147483647x1",
                                  "300x500x2147483647", "65536x65536x8192", "20000x30000x300"}) {
    for (const char* const cluster : {"1x1", "2x1", "1x4", "4x2"}) {
      for (const ReplayDetail detail : {ReplayDetail::Fine, ReplayDetail::Coarse}) {
        const TileConfig c = config_with("128x256x64", cluster, "swizzle-merge:8");
        const Problem p{parse_shape(shape)};
        const L2Traffic t = replay(p, c, d, detail);
        CAPTURE(shape);
        CAPTURE(cluster);
        int64_t tiles = 0;
        for (const WaveTraffic& wave : t.waves) tiles += wave.rounds * wave.tiles;
        const TileCoord all = tile_grid(p.shape, c.cta);
        CHECK(tiles == int64_t{all.m} * all.n);
        constexpr int64_t kMaxReplayed = int64_t{1} << 15;  // clusters
        const int64_t at_once = t.ctas / c.cluster.m / c.cluster.n;
        CHECK(std::ssize(t.waves) <= kMaxReplayed / at_once + 2);
        CHECK(t.waves.back().rounds == 1);
        const TileCoord grid = cluster_grid(p.shape, c);
        const double lines =
            static_cast<double>(p.shape.m) * grid.n + static_cast<double>(p.shape.n) * grid.m;
        CHECK(t.l2_read_bytes ==
              doctest::Approx(lines * static_cast<double>(p.shape.k) * 2).epsilon(1e-9));
        CHECK(t.dram_read_bytes <= t.l2_read_bytes);
      }
    }
  }
}

TEST_CASE("however long K is, one wave reads every operand about once") {
  const TileConfig c = config_with("128x256x64", "1x1", "row");
  for (const int64_t k : {int64_t{4096}, int64_t{1} << 20, int64_t{2'147'483'647}}) {
    const L2Traffic t = replay({{512, 1024, k}}, c, testing::h200());
    // Where CTAs drift apart, some of it is read again.
    CHECK(t.dram_read_bytes ==
          doctest::Approx(2.0 * (512 + 1024) * static_cast<double>(k)).epsilon(0.01));
  }
}

TEST_CASE("where splits are too many to replay, their sums count as cached") {
  TileConfig c = config_with("128x128x64", "1x1", "row");
  c.decomposition = parse_decomposition("split-k:2:workspace");
  CHECK(replay({{8192, 8192, 1024}}, c, testing::h200()).partial_read_bytes > 0);
  CHECK(replay({{16384, 16384, 32768}}, c, testing::h200()).partial_read_bytes == 0);
}

TEST_CASE("a run too long to replay continues as in its later half") {
  const DeviceSpec d = testing::h200();
  const TileConfig c = config_with("64x64x64", "1x1", "col");
  const L2Traffic whole = replay({{1024, 32768, 4096}}, c, d);
  const L2Traffic longer = replay({{1024, 262144, 4096}}, c, d);
  // Eight times the columns of B; the few rows of A stay in the cache.
  CHECK(longer.l2_read_bytes == 8 * whole.l2_read_bytes);
  CHECK(longer.dram_read_bytes == doctest::Approx(8 * whole.dram_read_bytes).epsilon(0.05));
}

}  // namespace
}  // namespace tilewright
