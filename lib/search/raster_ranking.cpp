#include "search/raster_ranking.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "search/enumerate.hpp"
#include "search/estimate_order.hpp"

namespace tilewright {
namespace {

using tw::GroupAxis;
using tw::RasterKind;

constexpr int64_t kMaxTiles = int64_t{1} << 17;

// Collects rasters with factors that cut the grid.
class RasterList {
 public:
  explicit RasterList(TileCoord grid) : grid_(grid) {}

  void add(RasterKind kind, GroupAxis axis = GroupAxis::M,
           std::initializer_list<int> factors = {}) {
    Raster raster{.kind = kind, .axis = axis};
    for (const int factor : factors) {
      const bool cuts_m = (raster.factor_count % 2 == 0) == (axis == GroupAxis::M);
      if (factor > (cuts_m ? grid_.m : grid_.n)) return;
      raster.factors[raster.factor_count++] = factor;
    }
    rasters.push_back(raster);
  }

  std::vector<Raster> rasters;

 private:
  TileCoord grid_;
};

constexpr int kGroups[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 28, 32, 48};
constexpr int kPowers[] = {2, 4, 8, 16, 32};

void add_groups(RasterList& list, GroupAxis axis) {
  for (const RasterKind kind :
       {RasterKind::SwizzleMerge, RasterKind::SplitMerge, RasterKind::Snake}) {
    for (const int factor : kGroups) list.add(kind, axis, {factor});
  }
}

// Blocks inside blocks: swizzle-merge's lists, and split-merge's megatiles.
void add_blocks(RasterList& list, GroupAxis axis) {
  for (const int outer : kPowers) {
    for (const int inner : {2, 4, 8, 16}) {
      list.add(RasterKind::SwizzleMerge, axis, {outer, inner});
      if (outer <= 16) list.add(RasterKind::SplitMerge, axis, {outer, inner});
      for (const int innermost : {2, 4}) {
        const bool cuts = outer >= 8 && inner >= 4 && innermost < outer;
        if (cuts) list.add(RasterKind::SwizzleMerge, axis, {outer, inner, innermost});
      }
    }
  }
}

void add_libraries(RasterList& list) {
  for (const int factor : {1, 2, 4, 8}) {
    list.add(RasterKind::Cutlass2, GroupAxis::M, {factor});
    list.add(RasterKind::Cutlass2NoPad, GroupAxis::M, {factor});
    for (const GroupAxis axis : {GroupAxis::M, GroupAxis::N}) {
      list.add(RasterKind::Cutlass3, axis, {factor});
      list.add(RasterKind::CutlassDsl, axis, {factor});
    }
  }
  for (const int factor : {2, 4, 6, 8, 12, 16, 32}) {
    list.add(RasterKind::Triton, GroupAxis::M, {factor});
  }
}

bool ties_with_best(const RasterRanking& ranking, const RankedRaster& raster) {
  const Estimate& e = raster.predicted;
  const Estimate& best = ranking.rasters.front().predicted;
  const auto is_near = [](double value, double least) {
    return value <= least * (1 + kTimeResolution);
  };
  if (!is_near(e.us, best.us)) return false;
  return e.is_time || is_near(e.dram_read_bytes + e.dram_write_bytes,
                              best.dram_read_bytes + best.dram_write_bytes);
}

bool better(const RankedRaster& a, const RankedRaster& b) {
  if (ranks_before(a.predicted, b.predicted)) return true;
  if (ranks_before(b.predicted, a.predicted)) return false;
  return std::llround(a.predicted.dram_read_bytes) < std::llround(b.predicted.dram_read_bytes);
}

}  // namespace

std::vector<Raster> known_rasters(TileCoord grid) {
  RasterList list(grid);
  for (const tw::RasterRecord& record : tw::kRasters) {
    if (record.most_factors == 0) list.add(record.kind);
  }
  for (const GroupAxis axis : {GroupAxis::M, GroupAxis::N}) {
    add_groups(list, axis);
    add_blocks(list, axis);
  }
  add_libraries(list);
  return list.rasters;
}

RasterRanking rank_known_rasters(const Problem& problem, const TileConfig& config,
                                 const DeviceSpec& device, ProgressListener& progress) {
  const TileCoord tiles = tile_grid(kernel_shape(problem.shape, config), config.cta);
  RasterRanking ranking{problem, config, device.name, int64_t{tiles.m} * tiles.n, {}};
  if (ranking.tile_count > kMaxTiles) {
    throw usage_error(
        format("{} of {} are {} tiles, and a ranking replays at most {}: rank a smaller problem",
               to_string(problem.shape), to_string(config.cta), ranking.tile_count, kMaxTiles));
  }
  if (const auto rejection = reject_tile(problem, config.cta, config.cluster, device)) {
    ranking.not_runnable = rejection->reason;
  }
  const TileCoord grid = cluster_grid(problem.shape, config);
  // Rasters with the same walk of this grid share one replay.
  std::vector<std::pair<Raster, Estimate>> replayed;
  const std::vector<Raster> rasters = known_rasters(grid);
  double best_us = 0;
  progress.begin("rasters", std::ssize(rasters));
  for (const Raster& raster : rasters) {
    const Raster walk = plainest(raster, grid);
    auto known = std::find_if(replayed.begin(), replayed.end(),
                              [&](const auto& one) { return one.first == walk; });
    if (known == replayed.end()) {
      TileConfig candidate = config;
      candidate.raster = walk;
      replayed.emplace_back(walk, estimate(problem, candidate, device));
      known = replayed.end() - 1;
    }
    const auto tile_count = static_cast<double>(ranking.tile_count);
    const double waste = 100 * (static_cast<double>(known->second.slots) / tile_count - 1);
    ranking.rasters.push_back({raster, known->second, waste});
    const double us = believed_us(known->second).value_or(0);
    best_us = best_us > 0 ? std::min(best_us, us) : us;
    progress.advance(std::ssize(ranking.rasters), best_us);
  }
  std::stable_sort(ranking.rasters.begin(), ranking.rasters.end(), better);
  return ranking;
}

RasterRanking rank_known_rasters(const Problem& problem, const TileConfig& config,
                                 const DeviceSpec& device) {
  ProgressListener silent;
  return rank_known_rasters(problem, config, device, silent);
}

int64_t ties_of_best(const RasterRanking& ranking) {
  return std::count_if(ranking.rasters.begin(), ranking.rasters.end(),
                       [&](const RankedRaster& r) { return ties_with_best(ranking, r); });
}

bool no_predicted_difference(const RasterRanking& ranking) {
  const auto row = std::find_if(ranking.rasters.begin(), ranking.rasters.end(),
                                [](const RankedRaster& r) { return r.raster == Raster{}; });
  return row != ranking.rasters.end() && ties_with_best(ranking, *row);
}

std::vector<NamedNumber> numbers_of(const RasterRanking& ranking) {
  const RankedRaster& best = ranking.rasters.front();
  const Estimate& e = best.predicted;
  const double worst_us = ranking.rasters.back().predicted.us;
  const std::string_view no_time = e.is_time ? std::string_view() : kWhyNoTime;
  return {{"tile_count", static_cast<double>(ranking.tile_count)},
          {"rasters", static_cast<double>(ranking.rasters.size())},
          {"ties", static_cast<double>(ties_of_best(ranking))},
          {"no_predicted_difference", no_predicted_difference(ranking) ? 1.0 : 0.0, true},
          {"predicted_us", e.us, false, no_time},
          {"worst_us", worst_us, false, no_time},
          {"spread_pct", 100 * (worst_us / e.us - 1), false, no_time},
          {"dram_read_bytes", e.dram_read_bytes},
          {"dram_write_bytes", e.dram_write_bytes},
          {"l2_hit_rate", e.l2_hit_rate},
          {"slots", static_cast<double>(e.slots)},
          {"waste_pct", best.waste_pct},
          {"waves", static_cast<double>(e.waves)},
          {"wave_efficiency", e.wave_efficiency}};
}

}  // namespace tilewright
