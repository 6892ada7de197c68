// Laws of blocks across GPUs: a GPU visits every block once, the inverse undoes the map, own blocks
// come where their order puts them, tiles come once whatever the raster, and parts have places of
// their own.
#include "map/peer_blocks.cuh"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "tile/config/raster.hpp"

namespace {

using tw::PeerBlocks;
using tw::RankOrder;
using tw::TileCoord;

// Calls visit(blocks) for every rank of every host, division and order.
template <class Visit>
void for_blocks(Visit visit) {
  for (const int gpus : {2, 3, 4, 5, 8, 16}) {
    for (const int chunks : {1, 2, 3, 5, 8}) {
      for (const RankOrder order : {RankOrder::Given, RankOrder::Ring, RankOrder::Chunks}) {
        for (const bool own_last : {false, true}) {
          for (int rank = 0; rank < gpus; ++rank) {
            visit(PeerBlocks{gpus, rank, chunks, order, own_last});
          }
        }
      }
    }
  }
}

TEST_CASE("a GPU visits every block once, and the inverse undoes the map") {
  for_blocks([](const PeerBlocks& p) {
    std::vector<bool> seen(static_cast<size_t>(p.count()));
    for (int visit = 0; visit < p.count(); ++visit) {
      const int block = tw::visited_block(p, visit);
      REQUIRE(block >= 0);
      REQUIRE(block < p.count());
      REQUIRE(!seen[static_cast<size_t>(block)]);
      seen[static_cast<size_t>(block)] = true;
      REQUIRE(tw::visit_of(p, block) == visit);
    }
  });
}

// By the definition: the visits of one chunk of all others come before the own block of the chunk.
TEST_CASE("where own blocks come last, every other GPU's block of the chunk comes before") {
  for_blocks([](const PeerBlocks& p) {
    if (p.order == RankOrder::Given || !p.own_last) return;
    for (int chunk = 0; chunk < p.chunks; ++chunk) {
      const int own = tw::visit_of(p, p.rank * p.chunks + chunk);
      for (int owner = 0; owner < p.gpus; ++owner) {
        if (owner != p.rank) REQUIRE(tw::visit_of(p, owner * p.chunks + chunk) < own);
      }
    }
    CHECK(tw::owner_of_block(p, tw::visited_block(p, p.count() - 1)) == p.rank);
  });
}

TEST_CASE("where own blocks come first, the first visit is the own first block") {
  for_blocks([](const PeerBlocks& p) {
    if (p.order == RankOrder::Given || p.own_last) return;
    CHECK(tw::visited_block(p, 0) == p.rank * p.chunks);
  });
}

TEST_CASE("ranks visit different owners at a time") {
  for_blocks([](PeerBlocks p) {
    if (p.order == RankOrder::Given || p.rank > 0) return;
    for (int visit = 0; visit < p.count(); ++visit) {
      std::set<int> owners;
      for (p.rank = 0; p.rank < p.gpus; ++p.rank) {
        owners.insert(tw::owner_of_block(p, tw::visited_block(p, visit)));
      }
      REQUIRE(static_cast<int>(owners.size()) == p.gpus);
    }
  });
}

TEST_CASE("own blocks come one chunk late in chunks, and at the end in a ring") {
  const auto owners = [](RankOrder order, bool own_last) {
    const PeerBlocks p{3, 1, 3, order, own_last};
    std::vector<int> blocks;
    for (int visit = 0; visit < p.count(); ++visit) blocks.push_back(tw::visited_block(p, visit));
    return blocks;
  };
  CHECK(owners(RankOrder::Chunks, true) == std::vector<int>{6, 0, 7, 1, 3, 8, 2, 4, 5});
  CHECK(owners(RankOrder::Ring, true) == std::vector<int>{6, 7, 8, 0, 1, 2, 3, 4, 5});
  CHECK(owners(RankOrder::Chunks, false) == std::vector<int>{3, 6, 0, 4, 7, 1, 5, 8, 2});
  CHECK(owners(RankOrder::Ring, false) == std::vector<int>{3, 4, 5, 6, 7, 8, 0, 1, 2});
}

TEST_CASE("every tile comes once, in its block's turn, whatever the raster") {
  for (const char* const text : {"row", "col", "split-merge:3", "swizzle-merge:2,2", "triton:3",
                                 "snake:2@n", "hilbert", "morton", "cutlass2:4"}) {
    const tw::Raster raster = tilewright::parse_raster(text);
    for (const int rows : {1, 2, 3, 7}) {
      for (const int columns : {1, 4, 5}) {
        const PeerBlocks p{3, 2, 2, RankOrder::Chunks, true};
        const TileCoord grid{rows * p.count(), columns};
        const int slots = tw::peer_slot_count<int>(raster, p, grid);
        const int block_slots = tw::block_slot_count<int>(raster, p, grid);
        std::set<std::pair<int, int>> seen;
        for (int slot = 0; slot < slots; ++slot) {
          const TileCoord tile = tw::peer_tile_at<int>(raster, p, grid, slot);
          REQUIRE(tile == tw::peer_tile_at<long long>(raster, p, grid, slot));
          if (!tw::is_inside(grid, tile)) continue;
          REQUIRE(seen.insert({tile.m, tile.n}).second);
          REQUIRE(tw::visit_of(p, tile.m / rows) == slot / block_slots);
        }
        CHECK(static_cast<int>(seen.size()) == grid.m * grid.n);
      }
    }
  }
}

TEST_CASE("each part has a place of its own at its owner") {
  for (const int gpus : {2, 3, 4, 8}) {
    const TileCoord grid{3 * gpus, 5};
    std::vector<std::set<int>> places(static_cast<size_t>(gpus));
    for (int source = 0; source < gpus; ++source) {
      const PeerBlocks p{gpus, source, 1, RankOrder::Ring, true};
      for (int m = 0; m < grid.m; ++m) {
        const int owner = tw::owner_of_row(p, grid.m, m);
        CHECK(owner == m / 3);
        for (int n = 0; n < grid.n; ++n) {
          if (owner == source) continue;
          const int at = tw::part_index(p, grid, {m, n}, source);
          REQUIRE(at >= 0);
          REQUIRE(at < 3 * 5 * (gpus - 1));
          REQUIRE(places[static_cast<size_t>(owner)].insert(at).second);
        }
      }
    }
  }
}

}  // namespace
