// Traffic between L2 and DRAM while parts of divided tiles are joined. Partial tiles are lines of
// the cache like the operands'; the reduction decides where they are written and read.
#pragma once

#include <cstdint>
#include <vector>

#include "model/partitioned_l2.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// A part of a cluster's tiles: a range of K in elements, over all phases.
struct TilePiece {
  TileCoord cluster;
  int64_t k_begin = 0;
  int64_t k_end = 0;
};

/// The piece that a cluster's first CTA computes, for a plan of one problem. The last k-step of
/// each phase may be shorter than a tile's depth.
TilePiece piece_of(const Plan& plan, const WorkTile& work);

/// Bytes between L2 and DRAM. A write counts at once, even if L2 writes the line back later.
struct DramTraffic {
  double read = 0;
  double written = 0;
};

/// A piece after a worker's main loop over it.
struct ArrivedPart {
  TilePiece piece;
  size_t worker = 0;
  int partition = 0;  // of L2, through which the worker stores and loads
};

/// What an arrival caused: parts that waited for it may join, too.
struct FixupResult {
  DramTraffic moved;
  std::vector<ArrivedPart> storing;  // parts that store their tiles' output
  std::vector<size_t> freed;         // workers that go on
};

/// For a plan of one problem with divided tiles, which come in `pieces` parts.
class FixupTraffic {
 public:
  /// `depth`: elements of K of a whole tile. Numbers slabs of the cache from `first_slab` on.
  FixupTraffic(const Plan& plan, int64_t depth, int64_t pieces, uint32_t first_slab);

  uint32_t slab_count() const { return slab_count_; }

  /// Joins a multiplied piece, now or when the parts before it are done.
  FixupResult arrive(const ArrivedPart& part, PartitionedL2& cache);
  /// Runs the second kernel of a reduction that has one.
  DramTraffic sum_up(PartitionedL2& cache);

 private:
  struct Tile {
    int64_t arrived = 0;  // elements of K that have joined
    std::vector<uint32_t> parts;
    std::vector<ArrivedPart> waiting;
  };

  Tile& tile_of(const ArrivedPart& part);
  void fixup(const ArrivedPart& part, PartitionedL2& cache, FixupResult& result);
  void fixup_in_order(Tile& tile, PartitionedL2& cache, FixupResult& result);
  void fixup_in_one_tile(Tile& tile, uint32_t slab, PartitionedL2& cache, DramTraffic& moved);
  void fixup_own_tile(Tile& tile, int partition, PartitionedL2& cache, DramTraffic& moved);
  void begin(uint32_t slab, PartitionedL2& cache, DramTraffic& moved);
  void add(uint32_t slab, PartitionedL2& cache, DramTraffic& moved);

  tw::PartialStorage in_;
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
