#include "tile/plan/grid_report.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {

GridWaves count_waves(const GridProof& proof, int64_t ctas, ClusterShape cluster) {
  const int64_t size = int64_t{cluster.m} * cluster.n;
  if (ctas < size) {
    throw usage_error(format("{} CTAs at a time do not hold one cluster of {}: use at least {}",
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

std::string to_string(const GridPeers& peers) {
  if (peers.collective == Collective::None) return "";
  return format(", GPU {} of {} in {}", peers.blocks.rank, peers.blocks.gpus,
                peers.collective == Collective::ReduceScatter
                    ? "a reduce-scatter"
                    : format("an {}", to_string(peers.collective)));
}

std::string fault_of_given(const GridReport& r) {
  if (!r.given) return "";
  const int64_t missing = r.proof.missing_count;
  const int64_t twice = r.proof.duplicate_count;
  std::vector<std::string> faults;
  if (missing > 0)
    faults.push_back(format("{} {} missing", missing, missing == 1 ? "tile" : "tiles"));
  if (twice > 0) {
    faults.push_back(
        format("{} a tile again", twice == 1 ? "1 slot has" : format("{} slots have", twice)));
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
  if (r.given || r.peers.blocks.count() > 1 || raster.kind != tw::RasterKind::SplitMerge ||
      r.cluster != ClusterShape{}) {
    return launch;
  }
  // A raster grouped along n is the transposed grid's raster.
  const bool along_m = raster.axis == tw::GroupAxis::M;
  const int columns = along_m ? r.proof.tiles.n : r.proof.tiles.m;
  const int f = raster.factors[0];
  if (raster.factor_count > 1) {
    const int across = raster.factors[1];
    const int64_t megatiles = ceil_div(columns, across);
    launch.x = int64_t{f} * across;
    launch.tile_m = format("{} * (bidy / {}) + bidx / {}", f, megatiles, across);
    launch.tile_n = format("{} * (bidy % {}) + bidx % {}", across, megatiles, across);
  } else {
    launch.x = int64_t{f} * columns;
    launch.tile_m = format("{} * bidy + bidx % {}", f, f);
    launch.tile_n = format("bidx / {}", f);
  }
  if (!along_m) std::swap(launch.tile_m, launch.tile_n);
  launch.y = r.proof.slots / launch.x;
  return launch;
}

std::vector<TileCoord> slot_order(const GridReport& r) {
  return r.given ? r.given->tiles
                 : raster_order(r.raster, r.proof.tiles, r.cluster, r.peers.blocks);
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
  const LaunchExtents launch = launch_extents(r);
  numbers.push_back({"grid_x", number(launch.x)});
  numbers.push_back({"grid_y", number(launch.y)});
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

}  // namespace tilewright
