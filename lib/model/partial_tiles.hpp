// What the parts of divided tiles move between L2 and DRAM while they are joined: partial tiles are
// lines of the cache like the operands', written and read where the reduction says.
#pragma once

#include <cstdint>
#include <vector>

#include "model/partitioned_l2.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// A part of a cluster's tiles: elements of K, of all phases.
struct TilePiece {
  TileCoord cluster;
  int64_t k_begin = 0;
  int64_t k_end = 0;
};

/// The piece that a cluster's first CTA works on, of a plan of one problem. The last k-step of each
/// phase may end inside of a tile's depth.
TilePiece piece_of(const Plan& plan, const WorkTile& work);

/// Bytes between L2 and DRAM; what is written counts when it is back in DRAM, now or later.
struct MovedBytes {
  double read = 0;
  double written = 0;
};

/// A piece that a worker has multiplied.
struct ArrivedPart {
  TilePiece piece;
  size_t worker = 0;
};

/// What an arrival led to: parts that wait for others join when those have come.
struct JoinedParts {
  MovedBytes moved;
  std::vector<ArrivedPart> storing;  // the output of their tiles
  std::vector<size_t> freed;         // workers that go on
};

/// Of a plan of one problem with divided tiles, of which `pieces` are no whole ones.
class PartialTiles {
 public:
  /// Whole tiles are `depth` deep; names slabs of the cache from `first_slab` on.
  PartialTiles(const Plan& plan, int64_t depth, int64_t pieces, uint32_t first_slab);

  uint32_t slab_count() const { return slab_count_; }

  /// A piece is multiplied: its sums go where the reduction wants them, now or in their turn.
  JoinedParts arrive(const ArrivedPart& part, PartitionedL2& cache);
  /// The second kernel of a reduction that has one.
  MovedBytes sum_up(PartitionedL2& cache);

 private:
  struct Tile {
    int64_t come = 0;  // elements of K
    std::vector<uint32_t> parts;
    std::vector<ArrivedPart> waiting;
  };

  Tile& tile_of(const ArrivedPart& part);
  void join(const ArrivedPart& part, PartitionedL2& cache, JoinedParts& joined);
  void join_in_turn(Tile& tile, PartitionedL2& cache, JoinedParts& joined);
  void join_in_one(Tile& tile, uint32_t slab, PartitionedL2& cache, MovedBytes& moved);
  void join_own(Tile& tile, PartitionedL2& cache, MovedBytes& moved);
  void begin(uint32_t slab, PartitionedL2& cache, MovedBytes& moved);
  void add(uint32_t slab, PartitionedL2& cache, MovedBytes& moved);

  tw::PartsIn in_;
  Reduction reduction_;
  int64_t depth_ = 0;
  int columns_ = 0;    // of clusters
  int64_t bytes_ = 0;  // of a cluster's sums
  uint32_t first_slab_ = 0;
  uint32_t next_own_ = 0;
  uint32_t slab_count_ = 0;
  std::vector<Tile> tiles_;
};

}  // namespace tilewright
