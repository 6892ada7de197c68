#include "tile/plan/grid_report.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {

GridWaves count_waves(const GridProof& proof, int64_t ctas, ClusterShape cluster) {
  const int64_t size = int64_t{cluster.m} * cluster.n;
  if (ctas < size) {
    throw usage_error(format("{} CTAs at a time do not hold one cluster of {}; ask for at least {}",
                             ctas, to_string(cluster), size));
  }
  GridWaves waves;
  waves.ctas = ctas / size * size;
  waves.waves = ceil_div(proof.slots, waves.ctas);
  waves.efficiency = static_cast<double>(proof.tile_count) /
                     (static_cast<double>(waves.waves) * static_cast<double>(waves.ctas));
  return waves;
}

std::string raster_name(const GridReport& r) {
  return r.given ? r.given->name : to_string(r.raster);
}

bool is_on_grid(TileCoord grid, TileCoord tile) {
  return tile.m >= 0 && tile.n >= 0 && tw::is_inside(grid, tile);
}

std::string fault_of_given(const GridReport& r) {
  if (!r.given) return "";
  const int64_t missing = r.proof.missing_count;
  const int64_t twice = r.proof.duplicate_count;
  std::vector<std::string> faults;
  if (missing > 0)
    faults.push_back(format("{} {} missing", missing, missing == 1 ? "tile" : "tiles"));
  if (twice > 0) {
    faults.push_back(format("{} a tile once more",
                            twice == 1 ? "1 slot names" : format("{} slots name", twice)));
  }
  return join(faults, ", ");
}

std::vector<Stray> strays_of(const GridReport& r) {
  std::vector<Stray> strays;
  if (!r.given) return strays;
  const std::vector<TileCoord>& tiles = r.given->tiles;
  for (size_t slot = 0; slot < tiles.size(); ++slot) {
    if (is_on_grid(r.proof.tiles, tiles[slot]) || tiles[slot] == GivenOrder::kNoTile) continue;
    strays.push_back({static_cast<int64_t>(slot), tiles[slot]});
  }
  return strays;
}

LaunchExtents launch_extents(const GridReport& r) {
  LaunchExtents launch{.x = r.proof.slots};
  const Raster& raster = r.raster;
  if (r.given || raster.kind != tw::RasterKind::SplitMerge || r.cluster != ClusterShape{}) {
    return launch;
  }
  const TileCoord tiles = r.proof.tiles;
  const int f = raster.factors[0];
  if (raster.factor_count > 1) {
    const int across = raster.factors[1];
    const int64_t megatiles = ceil_div(tiles.n, across);
    launch.x = int64_t{f} * across;
    launch.tile_m = format("{} * (bidy / {}) + bidx / {}", f, megatiles, across);
    launch.tile_n = format("{} * (bidy % {}) + bidx % {}", across, megatiles, across);
  } else {
    const bool along_m = raster.axis == tw::GroupAxis::M;
    launch.x = int64_t{f} * (along_m ? tiles.n : tiles.m);
    launch.tile_m = format("{} * bidy + bidx % {}", f, f);
    launch.tile_n = format("bidx / {}", f);
    if (!along_m) std::swap(launch.tile_m, launch.tile_n);
  }
  launch.y = r.proof.slots / launch.x;
  return launch;
}

std::vector<TileCoord> slot_order(const GridReport& r) {
  return r.given ? r.given->tiles : raster_order(r.raster, r.proof.tiles, r.cluster);
}

std::vector<NamedNumber> numbers_of(const GridReport& r) {
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  std::vector<NamedNumber> numbers = {
      {"tile_count", number(r.proof.tile_count)},
      {"slots", number(r.proof.slots)},
      {"overhang", number(r.proof.overhang)},
      {"waste_pct", r.proof.waste_pct},
      {"bijective", r.proof.bijective ? 1.0 : 0.0, true},
      {"missing", number(r.proof.missing_count)},
      {"duplicates", number(r.proof.duplicate_count)},
  };
  if (r.waves) {
    numbers.push_back({"ctas", number(r.waves->ctas)});
    numbers.push_back({"waves", number(r.waves->waves)});
    numbers.push_back({"wave_efficiency", r.waves->efficiency});
  }
  if (r.traffic) {
    numbers.push_back({"dram_read_bytes", r.traffic->dram_read_bytes});
    numbers.push_back({"compulsory_bytes", r.traffic->compulsory_bytes});
    numbers.push_back({"l2_hit_rate", r.traffic->l2_hit_rate});
  }
  return numbers;
}

namespace {

TileCoord clusters_of(TileCoord grid, ClusterShape cluster) {
  return {ceil_div(grid.m, cluster.m), ceil_div(grid.n, cluster.n)};
}

// Slots of CTAs.
int64_t checked_slots(const Raster& raster, TileCoord grid, ClusterShape cluster, int64_t most,
                      std::string_view what) {
  const auto clusters = tw::slot_count<long long>(tw::in_clusters(raster, cluster.m, cluster.n),
                                                  clusters_of(grid, cluster));
  const int64_t size = int64_t{cluster.m} * cluster.n;
  if (clusters <= most / size) return clusters * size;
  throw usage_error(
      format("{}x{} tiles in {} make more than {} slots, the most that {}: take a "
             "part of the grid",
             grid.m, grid.n, to_string(raster), most, what));
}

// A factor beyond the grid's extent can make a group that 32 bits do not count.
bool fits_int(const Raster& raster, TileCoord grid, int64_t slots) {
  const int64_t factor = *std::max_element(raster.factors, raster.factors + tw::kMaxRasterFactors);
  return slots <= std::numeric_limits<int>::max() &&
         factor * std::max(grid.m, grid.n) <= std::numeric_limits<int>::max();
}

template <class Index, class Visit>
void walk_clusters(const Raster& cta_raster, TileCoord grid, ClusterShape cluster, Visit visit) {
  const Raster raster = tw::in_clusters(cta_raster, cluster.m, cluster.n);
  const TileCoord clusters = clusters_of(grid, cluster);
  const auto count = tw::slot_count<Index>(raster, clusters);
  for (Index slot = 0; slot < count; ++slot) {
    throw_if_interrupted();
    const TileCoord at = tw::tile_at(raster, clusters, slot);
    for (int n = 0; n < cluster.n; ++n) {
      for (int m = 0; m < cluster.m; ++m) visit({at.m * cluster.m + m, at.n * cluster.n + n});
    }
  }
}

// 32-bit division is several times faster, and the kernels use it too.
template <class Visit>
void walk(const Raster& raster, TileCoord grid, ClusterShape cluster, int64_t slots, Visit visit) {
  if (fits_int(raster, grid, slots)) {
    walk_clusters<int>(raster, grid, cluster, visit);
  } else {
    walk_clusters<long long>(raster, grid, cluster, visit);
  }
}

// One bit a tile; finish() turns the counts into a proof.
class Tally {
 public:
  explicit Tally(TileCoord grid) {
    proof_.tiles = grid;
    proof_.tile_count = static_cast<int64_t>(grid.m) * grid.n;
    seen_.resize(static_cast<size_t>(proof_.tile_count));
  }

  void visit(TileCoord tile) {
    ++proof_.slots;
    if (!is_on_grid(proof_.tiles, tile)) {
      ++proof_.overhang;
      return;
    }
    const size_t at = static_cast<size_t>(tile.m) * static_cast<size_t>(proof_.tiles.n) +
                      static_cast<size_t>(tile.n);
    if (seen_[at]) {
      ++proof_.duplicate_count;
      if (proof_.duplicates.size() < GridProof::kMostExamples) proof_.duplicates.push_back(tile);
    }
    seen_[at] = true;
  }

  GridProof finish() {
    find_missing();
    proof_.waste_pct =
        100.0 * static_cast<double>(proof_.overhang) / static_cast<double>(proof_.tile_count);
    proof_.bijective =
        proof_.overhang == 0 && proof_.missing_count == 0 && proof_.duplicate_count == 0;
    return proof_;
  }

 private:
  void find_missing() {
    const auto columns = static_cast<size_t>(proof_.tiles.n);
    auto at = std::find(seen_.begin(), seen_.end(), false);
    for (; at != seen_.end(); at = std::find(at + 1, seen_.end(), false)) {
      ++proof_.missing_count;
      if (proof_.missing.size() == GridProof::kMostExamples) continue;
      const auto index = static_cast<size_t>(at - seen_.begin());
      proof_.missing.push_back(
          {static_cast<int>(index / columns), static_cast<int>(index % columns)});
    }
  }

  GridProof proof_;
  std::vector<bool> seen_;
};

}  // namespace

GridProof prove_grid(const Raster& raster, TileCoord grid, ClusterShape cluster) {
  const int64_t slots = checked_slots(raster, grid, cluster, kMostSlots, "a proof walks");
  Tally tally(grid);
  walk(raster, grid, cluster, slots, [&](TileCoord tile) { tally.visit(tile); });
  return tally.finish();
}

GridProof prove_order(std::span<const TileCoord> order, TileCoord grid) {
  Tally tally(grid);
  for (const TileCoord tile : order) tally.visit(tile);
  return tally.finish();
}

std::vector<TileCoord> raster_order(const Raster& raster, TileCoord grid, ClusterShape cluster) {
  const int64_t slots = checked_slots(raster, grid, cluster, kMostListed, "an order lists");
  std::vector<TileCoord> order;
  order.reserve(static_cast<size_t>(slots));
  walk(raster, grid, cluster, slots, [&](TileCoord tile) { order.push_back(tile); });
  return order;
}

}  // namespace tilewright
