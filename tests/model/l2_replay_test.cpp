#include "model/l2_replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <list>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/devices.hpp"

namespace tilewright {
namespace {

struct NaiveBytes {
  int64_t missed = 0;
  int64_t read = 0;  // by the SMs, multicast counted once
};

// A cache that searches a list, and CTAs that read one after the other, every one of them.
class NaiveCache {
 public:
  explicit NaiveCache(int64_t capacity) : capacity_(capacity) {}
  int64_t read(const std::string& name, int64_t bytes) {
    int64_t missed = bytes;
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
      if (block->first != name) continue;
      missed = 0;
      blocks_.erase(block);
      break;
    }
    blocks_.emplace_back(name, bytes);
    int64_t used = 0;
    for (const auto& block : blocks_) used += block.second;
    while (used > capacity_ && blocks_.size() > 1) {
      used -= blocks_.front().second;
      blocks_.pop_front();
    }
    return missed;
  }

 private:
  int64_t capacity_;
  std::list<std::pair<std::string, int64_t>> blocks_;
};

// Rows of one tile along an axis, of those that exist.
int64_t rows_of(int64_t tile, int64_t extent, int64_t size) {
  return std::clamp<int64_t>(size - tile * extent, 0, extent);
}

NaiveBytes naive(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  const TileCoord grid = cluster_grid(p.shape, c);
  const auto slots = tw::slot_count<long long>(c.raster, grid);
  const int size = c.cluster.m * c.cluster.n;
  const int at_once = d.sm_count / size;
  NaiveCache cache(d.l2_effective_bytes);
  NaiveBytes bytes;
  for (long long begin = 0; begin < slots; begin += at_once) {
    const long long end = std::min<long long>(begin + at_once, slots);
    std::vector<std::tuple<int, int, int64_t, int64_t>> ctas;  // tile and its rows, columns
    for (long long slot = begin; slot < end; ++slot) {
      const TileCoord cluster = tw::tile_at(c.raster, grid, slot);
      for (int i = 0; i < size; ++i) {
        const int m = cluster.m * c.cluster.m + i / c.cluster.n;
        const int n = cluster.n * c.cluster.n + i % c.cluster.n;
        ctas.emplace_back(m, n, rows_of(m, c.cta.m, p.shape.m), rows_of(n, c.cta.n, p.shape.n));
      }
    }
    for (int64_t k = 0; k < p.shape.k; k += 256) {
      const int64_t depth = std::min<int64_t>(256, p.shape.k - k);
      for (const auto& [m, n, rows, columns] : ctas) {
        if (rows == 0 || columns == 0) continue;
        bytes.missed += cache.read(format("A{}:{}", m, k), rows * depth * 2);
        bytes.missed += cache.read(format("B{}:{}", n, k), columns * depth * 2);
        // The first column of a cluster reads A for all of it, the first row B.
        if (n % c.cluster.n == 0) bytes.read += rows * depth * 2;
        if (m % c.cluster.m == 0) bytes.read += columns * depth * 2;
      }
    }
    for (const auto& [m, n, rows, columns] : ctas) {
      if (rows > 0 && columns > 0) cache.read(format("D{}:{}", m, n), rows * columns * 2);
    }
  }
  return bytes;
}

TileConfig config_of(const char* cta, const char* cluster, const char* raster) {
  return {.cta = parse_tile(cta),
          .cluster = parse_cluster(cluster),
          .stages = 4,
          .raster = parse_raster(raster)};
}

TEST_CASE("the replay's bytes are those of CTAs reading one by one through a searched list") {
  Random random(1);
  const char* const rasters[] = {
      "row", "col", "split-merge:3", "swizzle-merge:2", "split-merge:2x2", "swizzle-merge:4,2@n"};
  const char* const ctas[] = {"64x64x64", "128x80x64", "128x256x64"};
  const char* const clusters[] = {"1x1", "2x1", "1x2"};
  for (int i = 0; i < 120; ++i) {
    const Problem p{{1 + random.below(1500), 1 + random.below(1500), 1 + random.below(900)}};
    const TileConfig c =
        config_of(ctas[random.below(3)], clusters[random.below(3)], rasters[random.below(6)]);
    DeviceSpec d = testing::h200();
    d.sm_count = 2 + static_cast<int>(random.below(12));
    // A step's slabs always fit: a device holds at least what its CTAs read at once.
    d.l2_effective_bytes = d.sm_count * (256 + 256) * 512 + random.below(4000000);
    CAPTURE(to_string(p));
    CAPTURE(to_string(c));
    const L2Traffic replay = replay_l2(p, c, d);
    const NaiveBytes expected = naive(p, c, d);
    CHECK(replay.dram_read_bytes == static_cast<double>(expected.missed));
    CHECK(replay.l2_read_bytes == static_cast<double>(expected.read));
  }
}

TEST_CASE("traffic is at least every operand once, and no more than every read") {
  const DeviceSpec d = testing::h200();
  for (const char* const shape : {"3000x3000x3000", "8192x1280x8192", "5x9000x777"}) {
    for (const char* const raster : {"row", "col", "swizzle-merge:8", "split-merge:5"}) {
      const Problem p{parse_shape(shape)};
      const L2Traffic t = replay_l2(p, config_of("128x192x64", "2x1", raster), d);
      const auto compulsory = static_cast<double>((p.shape.m + p.shape.n) * p.shape.k * 2);
      CHECK(t.dram_read_bytes >= compulsory);
      CHECK(t.dram_read_bytes <= t.l2_read_bytes);
      CHECK(t.dram_write_bytes == static_cast<double>(p.shape.m * p.shape.n * 2));
      CHECK(t.hit_rate == doctest::Approx(1 - t.dram_read_bytes / t.l2_read_bytes));
    }
  }
}

TEST_CASE("a cache that holds everything misses once; a smaller one never less") {
  const Problem p{{2048, 4096, 2048}};
  const TileConfig c = config_of("128x128x64", "1x1", "row");
  double before = 0;
  for (const int64_t capacity : {int64_t{1} << 32, int64_t{20'000'000}, int64_t{9'000'000}}) {
    DeviceSpec d = testing::h200();
    d.l2_effective_bytes = capacity;
    const double missed = replay_l2(p, c, d).dram_read_bytes;
    CHECK(missed >= before);
    if (before == 0) CHECK(missed == 2.0 * 2048 * (2048 + 4096));
    before = missed;
  }
}

TEST_CASE("overhang slots take room in waves but move nothing") {
  const Problem p{{13 * 128, 10 * 128, 1024}};
  const DeviceSpec d = testing::h200();
  const L2Traffic split = replay_l2(p, config_of("128x128x64", "1x1", "split-merge:4"), d);
  CHECK(split.slots == 160);
  int64_t tiles = 0;
  for (const WaveTraffic& wave : split.waves) tiles += wave.tiles;
  CHECK(tiles == 130);
}

// DRAM reads counted on an H200 at 5120x27648x5120, tiles of 128x256, groups of so many rows.
TEST_CASE("the replay gives the DRAM reads that hardware counters saw") {
  struct Counted {
    int rows;
    double bytes;
  };
  const Problem p{{5120, 27648, 5120}};
  for (const Counted counted : {Counted{1, 9.46e9}, Counted{2, 5.80e9}, Counted{4, 3.05e9},
                                Counted{8, 1.83e9}, Counted{16, 1.56e9}, Counted{32, 1.83e9}}) {
    const std::string raster = format("swizzle-merge:{}", counted.rows);
    const L2Traffic t =
        replay_l2(p, config_of("128x256x64", "1x1", raster.c_str()), testing::h200());
    CAPTURE(counted.rows);
    CHECK(t.dram_read_bytes == doctest::Approx(counted.bytes).epsilon(0.02));
  }
}

TEST_CASE("a run too long to replay in full goes on like its later half") {
  DeviceSpec d = testing::h200();
  d.sm_count = 8;  // many waves
  const TileConfig c = config_of("64x64x64", "1x1", "swizzle-merge:4");
  const L2Traffic whole = replay_l2({{4096, 4096, 8192}}, c, d);
  const L2Traffic longer = replay_l2({{4096, 65536, 8192}}, c, d);
  // Sixteen times the columns: about sixteen times the reads.
  CHECK(longer.l2_read_bytes == 16 * whole.l2_read_bytes);
  CHECK(longer.dram_read_bytes == doctest::Approx(16 * whole.dram_read_bytes).epsilon(0.1));
}

}  // namespace
}  // namespace tilewright
