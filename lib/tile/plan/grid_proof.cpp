#include "tile/plan/grid_proof.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {
bool is_on_grid(TileCoord grid, TileCoord tile) {
  return tile.m >= 0 && tile.n >= 0 && tw::is_inside(grid, tile);
}

namespace {

TileCoord clusters_of(TileCoord grid, ClusterShape cluster) {
  return {ceil_div(grid.m, cluster.m), ceil_div(grid.n, cluster.n)};
}

// The number of slots, counted in CTAs.
int64_t checked_slots(const Raster& raster, TileCoord grid, ClusterShape cluster,
                      const tw::PeerBlocks& blocks, int64_t most, std::string_view what) {
  const auto clusters = tw::peer_slot_count<long long>(
      tw::in_clusters(raster, cluster.m, cluster.n), blocks, clusters_of(grid, cluster));
  const int64_t size = int64_t{cluster.m} * cluster.n;
  if (clusters <= most / size) return clusters * size;
  throw usage_error(
      format("{}x{} tiles in {} make more than {} slots, the most that {}: use a part of the grid",
             grid.m, grid.n, to_string(raster), most, what));
}

// With a factor beyond the grid's extent, the size of a group may not fit in 32 bits.
bool fits_int(const Raster& raster, TileCoord grid, int64_t slots) {
  const int64_t factor = *std::max_element(raster.factors, raster.factors + tw::kMaxRasterFactors);
  return slots <= std::numeric_limits<int>::max() &&
         factor * std::max(grid.m, grid.n) <= std::numeric_limits<int>::max();
}

template <class Index, class Visit>
void walk_clusters(const Raster& cta_raster, TileCoord grid, ClusterShape cluster,
                   const tw::PeerBlocks& blocks, Visit visit) {
  const Raster raster = tw::in_clusters(cta_raster, cluster.m, cluster.n);
  const TileCoord clusters = clusters_of(grid, cluster);
  const auto count = tw::peer_slot_count<Index>(raster, blocks, clusters);
  const bool is_shared = blocks.count() > 1;
  for (Index slot = 0; slot < count; ++slot) {
    throw_if_interrupted();
    const TileCoord at = is_shared ? tw::peer_tile_at(raster, blocks, clusters, slot)
                                   : tw::tile_at(raster, clusters, slot);
    for (int n = 0; n < cluster.n; ++n) {
      for (int m = 0; m < cluster.m; ++m) visit({at.m * cluster.m + m, at.n * cluster.n + n});
    }
  }
}

// 32-bit division is several times faster, and the kernels use it too.
template <class Visit>
void walk(const Raster& raster, TileCoord grid, ClusterShape cluster, const tw::PeerBlocks& blocks,
          int64_t slots, Visit visit) {
  if (fits_int(raster, grid, slots)) {
    walk_clusters<int>(raster, grid, cluster, blocks, visit);
  } else {
    walk_clusters<long long>(raster, grid, cluster, blocks, visit);
  }
}

// Marks visited tiles, one bit per tile; finish() turns the counts into a proof.
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
      if (proof_.duplicates.size() < GridProof::kMaxExamples) proof_.duplicates.push_back(tile);
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
      if (proof_.missing.size() == GridProof::kMaxExamples) continue;
      const auto index = static_cast<size_t>(at - seen_.begin());
      proof_.missing.push_back(
          {static_cast<int>(index / columns), static_cast<int>(index % columns)});
    }
  }

  GridProof proof_;
  std::vector<bool> seen_;
};

}  // namespace

GridProof prove_grid(const Raster& raster, TileCoord grid, ClusterShape cluster,
                     const tw::PeerBlocks& blocks) {
  const int64_t slots = checked_slots(raster, grid, cluster, blocks, kMaxSlots, "a proof visits");
  Tally tally(grid);
  walk(raster, grid, cluster, blocks, slots, [&](TileCoord tile) { tally.visit(tile); });
  return tally.finish();
}

GridProof prove_order(std::span<const TileCoord> order, TileCoord grid) {
  Tally tally(grid);
  for (const TileCoord tile : order) tally.visit(tile);
  return tally.finish();
}

std::vector<TileCoord> raster_order(const Raster& raster, TileCoord grid, ClusterShape cluster,
                                    const tw::PeerBlocks& blocks) {
  const int64_t slots = checked_slots(raster, grid, cluster, blocks, kMaxListed, "an order lists");
  std::vector<TileCoord> order;
  order.reserve(static_cast<size_t>(slots));
  walk(raster, grid, cluster, blocks, slots, [&](TileCoord tile) { order.push_back(tile); });
  return order;
}

}  // namespace tilewright
