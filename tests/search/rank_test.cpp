#include "search/rank.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/roofline.hpp"
#include "support/devices.hpp"

namespace tilewright {
namespace {

// The index of the first config with this tile and cluster.
size_t place(const Ranking& ranking, const char* cta, const char* cluster) {
  for (size_t i = 0; i < ranking.kernels.size(); ++i) {
    const TileConfig& config = ranking.kernels[i].config;
    if (config.cta == parse_tile(cta) && config.cluster == parse_cluster(cluster)) return i;
  }
  return ranking.kernels.size();
}

TEST_CASE("the ranking holds every legal kernel once, fastest first, with its own estimate") {
  const Problem p{{1500, 2000, 1024}};
  const Ranking ranking = rank(workload_of(p), {sm90_space()}, testing::h200());
  CHECK(ranking.kernels.size() == ranking.enumeration.kernels.size());
  for (size_t i = 0; i < ranking.kernels.size(); ++i) {
    const RankedConfig& ranked = ranking.kernels[i];
    const double us = estimate(p, ranked.config, testing::h200()).us;
    CHECK(ranked.predicted.us == doctest::Approx(us).epsilon(0.02));
    if (i == 0) CHECK(ranked.predicted.us == us);
    if (i > 0) CHECK(ranking.kernels[i - 1].predicted.us <= ranked.predicted.us + 0.001);
  }
  for (const LegalKernel& kernel : ranking.enumeration.kernels) {
    const auto same = [&kernel](const RankedConfig& ranked) {
      return ranked.config.cta == kernel.config.cta &&
             ranked.config.cluster == kernel.config.cluster &&
             ranked.config.stages == kernel.config.stages &&
             ranked.config.schedule == kernel.config.schedule &&
             ranked.config.swap_ab == kernel.config.swap_ab;
    };
    CHECK(std::count_if(ranking.kernels.begin(), ranking.kernels.end(), same) == 1);
  }
}

TEST_CASE("kernels that divide K are ranked by replays of their own") {
  for (const char* const shape : {"384x1280x8256", "1856x768x9920", "896x192x2816"}) {
    CAPTURE(std::string(shape));
    const Workload product{.shapes = parse_shapes(shape, MatrixOp::Gemm)};
    const DeviceSpec device = load_device_preset("h100");
    const Ranking ranking = rank(product, all_spaces(), device);
    double before = 0;
    for (size_t i = 0; i < 8; ++i) {
      const RankedConfig& ranked = ranking.kernels[i];
      CAPTURE(to_string(ranked.config));
      const double us = estimate(make_plan(product, ranked.config, device), device).us;
      CHECK(ranked.predicted.us == doctest::Approx(us).epsilon(0.02));
      if (i == 0) CHECK(ranked.predicted.us == us);
      CHECK(before <= ranked.predicted.us + 0.001);
      before = ranked.predicted.us;
    }
  }
}

TEST_CASE("no raster of the best kernels is predicted faster than the one they carry") {
  const Problem p{{4096, 14336, 1024}};
  const Ranking ranking = rank(workload_of(p), {sm90_space()}, testing::h200());
  for (size_t i = 0; i < 3; ++i) {
    const RankedConfig& ranked = ranking.kernels[i];
    for (const LegalKernel& kernel : ranking.enumeration.kernels) {
      if (kernel.config.cta != ranked.config.cta || kernel.config.stages != ranked.config.stages ||
          kernel.config.cluster != ranked.config.cluster) {
        continue;
      }
      const auto rasters =
          rank_rasters(workload_of(p), ranked.config, kernel.rasters, testing::h200());
      // Coarse replays selected the rasters: they miss less than the model can resolve.
      CHECK(rasters.front().predicted.us * (1 + kTimeResolution) >= ranked.predicted.us);
    }
  }
}

TEST_CASE("the same call gives the same ranking") {
  const Problem p{{2304, 2304, 4096}};
  const auto ranked = [&] { return rank(workload_of(p), {sm90_space()}, testing::h200()); };
  CHECK(ranked() == ranked());
}

// 8 x 16 tiles are one wave in any exact order; a sampled raster with overhang would make it two.
TEST_CASE("a tile is not ranked by a raster with overhang") {
  const Ranking ranking = rank(workload_of({{2048, 2048, 2048}}), {sm90_space()}, testing::h200());
  CHECK(place(ranking, "128x256x64", "1x1") < 24);
}

// Index among tiles in the order of their best kernel; another schedule is another tile.
size_t place_among_tiles(const Ranking& ranking, const TileShape& cta, KernelSchedule schedule) {
  std::vector<std::pair<TileShape, KernelSchedule>> tiles;
  for (const RankedConfig& ranked : ranking.kernels) {
    const std::pair tile(ranked.config.cta, ranked.config.schedule);
    if (tile == std::pair(cta, schedule)) return tiles.size();
    if (std::find(tiles.begin(), tiles.end(), tile) == tiles.end()) tiles.push_back(tile);
  }
  return tiles.size();
}

// What `tune` chose by measuring on an H200 (the README's table): the model has the same tile and
// schedule among the first of hundreds. (Their clusters differ by less than the model's error.)
TEST_CASE("the mapping that was measured best is predicted among the best") {
  struct Winner {
    const char* shape;
    const char* cta;
    KernelSchedule schedule;
  };
  for (const Winner& w : {Winner{"8192x8192x8192", "128x192x64", KernelSchedule::PingPong},
                          Winner{"4096x4096x4096", "128x256x64", KernelSchedule::Cooperative},
                          Winner{"2048x2048x2048", "128x256x64", KernelSchedule::Cooperative},
                          Winner{"8192x1280x8192", "256x160x64", KernelSchedule::Cooperative},
                          Winner{"2304x2304x4096", "192x112x64", KernelSchedule::Cooperative}}) {
    CAPTURE(w.shape);
    const Ranking ranking =
        rank(workload_of({parse_shape(w.shape)}), {sm90_space()}, testing::h200());
    CHECK(place_among_tiles(ranking, parse_tile(w.cta), w.schedule) < 8);
  }
}

TEST_CASE("a huge product's ranking has every kernel, and estimate()'s prediction in front") {
  const Problem p{{100'000, 100'000, 100'000}};
  const Ranking ranking = rank(workload_of(p), {sm90_space()}, testing::h200());
  CHECK(ranking.kernels.size() == ranking.enumeration.kernels.size());
  const RankedConfig& first = ranking.kernels.front();
  CHECK(first.predicted.us == estimate(p, first.config, testing::h200()).us);
  // The time exceeds that of the arithmetic, and for a good mapping by less than half.
  const double least = least_us(roofline(workload_of(p), testing::h200()));
  CHECK(first.predicted.us > least);
  CHECK(first.predicted.us < 1.5 * least);
}

}  // namespace
}  // namespace tilewright
