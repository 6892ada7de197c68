#include "search/foreign_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "search/foreign_traffic.hpp"
#include "stats/random.hpp"
#include "support/devices.hpp"

using namespace tilewright;

namespace {

const Problem kProblem{.shape = {1024, 1024, 512}};

// Square tiles in rows, one a slot.
ForeignMapping rows_of_tiles(int64_t tile, const CtaNeeds& cta) {
  ForeignMapping mapping{.tile_m = tile, .tile_n = tile, .tiles = {}, .cta = cta};
  const auto side = static_cast<int>(kProblem.shape.m / tile);
  for (int m = 0; m < side; ++m) {
    for (int n = 0; n < side; ++n) mapping.tiles.push_back({m, n});
  }
  return mapping;
}

TEST_CASE("what a CTA occupies bounds the time from below by the latency of its copies") {
  const DeviceSpec device = testing::h200();
  // 256 tiles, so two on a multiprocessor.
  const double without = *foreseen_least_us(rows_of_tiles(64, {}), kProblem, device);
  CHECK(resident_shared_bytes(rows_of_tiles(64, {}), device) == 0);
  for (const int kib : {8, 16, 64, 128}) {
    const ForeignMapping mapping =
        rows_of_tiles(64, {.threads = 128, .registers = 64, .shared_bytes = kib * 1024});
    const int ctas = kib == 128 ? 1 : 2;  // 227 KiB hold one CTA of 128 KiB
    CHECK(resident_shared_bytes(mapping, device) == ctas * kib * 1024);
    const double copied = 2 * (64 + 64) * 512 * 2.0;  // bytes, for both tiles
    const double clocks = copied * device.tile.hit_clocks / (ctas * kib * 1024);
    CHECK(*foreseen_least_us(mapping, kProblem, device) ==
          doctest::Approx(std::max(without, 1e6 * clocks / device.sustained_clock_hz)));
  }
  const ForeignMapping wide =
      rows_of_tiles(64, {.threads = 128, .registers = 512, .shared_bytes = 65536});
  CHECK(resident_shared_bytes(wide, device) == 65536);  // registers of one CTA
}

TEST_CASE("configs that spill registers run last, and of equal times the one with more in flight") {
  const DeviceSpec device = testing::h200();
  const CtaNeeds roomy{.threads = 256, .registers = 128, .shared_bytes = 128 * 1024};
  const CtaNeeds deep{.threads = 256, .registers = 128, .shared_bytes = 160 * 1024};
  const CtaNeeds spilling{
      .threads = 128, .registers = 255, .local_bytes = 64, .shared_bytes = 160 * 1024};
  ForeignMapping unknown;
  unknown.why_not = "it exports none";
  std::vector<ForeignRank> ranks;
  for (const ForeignMapping& mapping : {rows_of_tiles(128, spilling), unknown,
                                        rows_of_tiles(128, roomy), rows_of_tiles(128, deep)}) {
    ranks.push_back(rank_of(mapping, kProblem, device));
  }
  CHECK(ranks[2].cost == ranks[3].cost);
  CHECK(running_order(ranks) == std::vector<size_t>{3, 2, 1, 0});
}

TEST_CASE("each further config of a tile counts as 20 % slower, so that tiles take turns") {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<ForeignRank> ranks(1 + random.below(60));
    for (ForeignRank& rank : ranks) {
      rank.tile_m = 64 << random.below(3);
      rank.tile_n = 64 << random.below(2);
      rank.spills = random.below(4) == 0;
      rank.cost = 100 + random.below(50);
      rank.resident_bytes = random.below(3);
    }
    const std::vector<size_t> order = running_order(ranks);
    std::vector<size_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) CHECK(sorted[i] == i);
    // By brute force: what each config counts as, by the number of its tile's configs before it.
    double last[2] = {};
    for (size_t i = 0; i < order.size(); ++i) {
      const ForeignRank& rank = ranks[order[i]];
      int before = 0;
      for (size_t j = 0; j < i; ++j) {
        const ForeignRank& other = ranks[order[j]];
        CHECK(other.spills <= rank.spills);
        const bool same_tile = other.tile_m == rank.tile_m && other.tile_n == rank.tile_n;
        if (!same_tile || other.spills != rank.spills) continue;
        CHECK(other.cost <= rank.cost);
        ++before;
      }
      const double counted = rank.cost * (1 + 0.2 * before);
      CHECK(counted >= last[rank.spills ? 1 : 0]);
      last[rank.spills ? 1 : 0] = counted;
    }
  }
  // Ten configs of a tile at 100 and ten of another at 125: the second tile runs third.
  std::vector<ForeignRank> two(20, ForeignRank{.tile_m = 128, .tile_n = 256, .cost = 100});
  for (size_t i = 10; i < two.size(); ++i) two[i] = {.tile_m = 128, .tile_n = 128, .cost = 125};
  const std::vector<size_t> order = running_order(two);
  CHECK(std::vector<size_t>(order.begin(), order.begin() + 4) == std::vector<size_t>{0, 1, 10, 2});
}

}  // namespace
