#include "tile/grid_proof.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

void require_at_most(int64_t slots, int64_t most, TileCoord grid) {
  if (slots <= most) return;
  throw usage_error(
      format("{}x{} tiles make {} slots; this takes at most {}", grid.m, grid.n, slots, most));
}

}  // namespace

GridProof prove_grid(const Raster& raster, TileCoord grid) {
  GridProof proof;
  proof.tiles = grid;
  proof.tile_count = static_cast<int64_t>(grid.m) * grid.n;
  require_at_most(proof.tile_count, int64_t{1} << 32, grid);
  proof.slots = tw::slot_count<long long>(raster, grid);
  require_at_most(proof.slots, int64_t{1} << 32, grid);
  std::vector<bool> seen(static_cast<size_t>(proof.tile_count));
  for (long long slot = 0; slot < proof.slots; ++slot) {
    const TileCoord tile = tw::tile_at(raster, grid, slot);
    if (!tw::is_inside(grid, tile)) {
      ++proof.overhang;
      continue;
    }
    const size_t at =
        static_cast<size_t>(tile.m) * static_cast<size_t>(grid.n) + static_cast<size_t>(tile.n);
    if (seen[at]) {
      ++proof.duplicate_count;
      if (proof.duplicates.size() < GridProof::kMostExamples) proof.duplicates.push_back(tile);
    }
    seen[at] = true;
  }
  for (size_t at = 0; at < seen.size(); ++at) {
    if (seen[at]) continue;
    ++proof.missing_count;
    if (proof.missing.size() < GridProof::kMostExamples) {
      const auto columns = static_cast<size_t>(grid.n);
      proof.missing.push_back({static_cast<int>(at / columns), static_cast<int>(at % columns)});
    }
  }
  proof.waste_pct =
      100.0 * static_cast<double>(proof.overhang) / static_cast<double>(proof.tile_count);
  proof.bijective = proof.overhang == 0 && proof.missing_count == 0 && proof.duplicate_count == 0;
  return proof;
}

std::vector<TileCoord> raster_order(const Raster& raster, TileCoord grid) {
  const auto slots = tw::slot_count<long long>(raster, grid);
  require_at_most(slots, int64_t{1} << 26, grid);
  std::vector<TileCoord> order;
  order.reserve(static_cast<size_t>(slots));
  for (long long slot = 0; slot < slots; ++slot) order.push_back(tw::tile_at(raster, grid, slot));
  return order;
}

}  // namespace tilewright
