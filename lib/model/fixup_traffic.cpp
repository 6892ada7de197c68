#include "model/fixup_traffic.hpp"

#include <algorithm>

#include "model/fixup.hpp"

namespace tilewright {

namespace {

// Bytes of a cluster's tiles, overhang included: fp32 sums in a workspace, or elements of D.
int64_t cluster_bytes(const Plan& plan, tw::PartialStorage in) {
  const TileConfig& config = plan.config;
  const int64_t tiles = int64_t{config.cluster.m} * config.cluster.n;
  if (in != tw::PartialStorage::Output) {
    return tiles * static_cast<int64_t>(partial_tile_bytes(config.cta));
  }
  return tiles * config.cta.m * config.cta.n * bytes_of(output_type(plan.product.kind));
}

// Elements of K, over all phases, before a k-step.
int64_t depth_before(const Plan& plan, int64_t k_step) {
  const int64_t k = plan.problems.front().shape.k;
  const int64_t steps = std::max(phase_steps(plan), 1);
  return k_step / steps * k + std::min(k_step % steps * plan.config.cta.k, k);
}

}  // namespace

TilePiece piece_of(const Plan& plan, const WorkTile& work) {
  const ClusterShape& cluster = plan.config.cluster;
  return {{work.m / cluster.m, work.n / cluster.n},
          depth_before(plan, work.k_begin),
          depth_before(plan, work.k_end)};
}

FixupTraffic::FixupTraffic(const Plan& plan, int64_t depth, int64_t pieces, uint32_t first_slab)
    : in_(tw::partial_storage_of(plan.reduction)),
      reduction_(plan.reduction),
      depth_(depth),
      columns_(plan.problems.front().map.clusters.n),
      bytes_(cluster_bytes(plan, in_)),
      first_slab_(first_slab),
      next_own_(first_slab) {
  const TileCoord clusters = plan.problems.front().map.clusters;
  tiles_.resize(static_cast<size_t>(clusters.m) * static_cast<size_t>(clusters.n));
  if (in_ == tw::PartialStorage::TilePerPart) {
    slab_count_ = static_cast<uint32_t>(pieces);
  } else if (in_ != tw::PartialStorage::SharedMemory) {
    slab_count_ = static_cast<uint32_t>(tiles_.size());
  }
}

FixupTraffic::Tile& FixupTraffic::tile_of(const ArrivedPart& part) {
  const TileCoord cluster = part.piece.cluster;
  return tiles_[static_cast<size_t>(cluster.m) * static_cast<size_t>(columns_) +
                static_cast<size_t>(cluster.n)];
}

FixupResult FixupTraffic::arrive(const ArrivedPart& part, PartitionedL2& cache) {
  FixupResult result;
  Tile& tile = tile_of(part);
  tile.waiting.push_back(part);
  if (tw::is_turnstile(reduction_)) {
    fixup_in_order(tile, cache, result);
    return result;
  }
  fixup(part, cache, result);
  const bool waits = tw::wait_mode_of(reduction_) == tw::WaitMode::All && tile.arrived < depth_;
  if (waits) return result;
  for (const ArrivedPart& freed : tile.waiting) result.freed.push_back(freed.worker);
  tile.waiting.clear();
  return result;
}

// Each part joins when the parts of lower k are done.
void FixupTraffic::fixup_in_order(Tile& tile, PartitionedL2& cache, FixupResult& result) {
  for (;;) {
    const auto next =
        std::find_if(tile.waiting.begin(), tile.waiting.end(),
                     [&](const ArrivedPart& part) { return part.piece.k_begin == tile.arrived; });
    if (next == tile.waiting.end()) return;
    const ArrivedPart part = *next;
    tile.waiting.erase(next);
    fixup(part, cache, result);
    result.freed.push_back(part.worker);
  }
}

void FixupTraffic::fixup(const ArrivedPart& part, PartitionedL2& cache, FixupResult& result) {
  Tile& tile = tile_of(part);
  tile.arrived += part.piece.k_end - part.piece.k_begin;
  if (in_ == tw::PartialStorage::TilePerPart) {
    fixup_own_tile(tile, part.partition, cache, result.moved);
  } else if (in_ != tw::PartialStorage::SharedMemory) {
    const auto number = static_cast<uint32_t>(&tile - tiles_.data());
    fixup_in_one_tile(tile, first_slab_ + number, cache, result.moved);
  }
  const bool stores = tile.arrived == depth_ && in_ != tw::PartialStorage::Output;
  if (stores && !tw::sums_later(reduction_)) result.storing.push_back(part);
}

// The first part writes whole lines, so nothing is read for them.
void FixupTraffic::begin(uint32_t slab, PartitionedL2& cache, DramTraffic& moved) {
  cache.touch(slab, bytes_);
  // The output is counted elsewhere.
  if (in_ != tw::PartialStorage::Output) moved.written += static_cast<double>(bytes_);
}

// Sums that L2 has written back to DRAM are read again, and written once more.
void FixupTraffic::add(uint32_t slab, PartitionedL2& cache, DramTraffic& moved) {
  const double gone = cache.touch(slab, bytes_);
  moved.read += gone;
  moved.written += gone;
}

void FixupTraffic::fixup_in_one_tile(Tile& tile, uint32_t slab, PartitionedL2& cache,
                                     DramTraffic& moved) {
  const bool zeros = in_ == tw::PartialStorage::ZeroedTile;
  if (!tile.parts.empty()) {
    add(slab, cache, moved);
  } else if (zeros) {
    // The zeros from before the launch.
    moved.read += cache.touch(slab, bytes_);
    moved.written += static_cast<double>(bytes_);
  } else {
    begin(slab, cache, moved);
  }
  tile.parts = {slab};
  // The last part to arrive reads what the others left, and writes zeros for the next launch.
  if (tile.arrived == depth_ && zeros) add(slab, cache, moved);
}

// Sums that one part stores and another loads leave copies on their way; sums to which all parts of
// a tile add change at home.
void FixupTraffic::fixup_own_tile(Tile& tile, int partition, PartitionedL2& cache,
                                  DramTraffic& moved) {
  tile.parts.push_back(next_own_++);
  cache.pass(partition, tile.parts.back(), bytes_);
  moved.written += static_cast<double>(bytes_);
  if (tw::sums_later(reduction_) || tile.arrived < depth_) return;
  for (const uint32_t part : tile.parts) moved.read += cache.pass(partition, part, bytes_);
}

DramTraffic FixupTraffic::sum_up(PartitionedL2& cache) {
  DramTraffic moved;
  if (!tw::sums_later(reduction_)) return moved;
  // The second kernel's CTAs run on all multiprocessors.
  int partition = 0;
  for (const Tile& tile : tiles_) {
    for (const uint32_t part : tile.parts) moved.read += cache.pass(partition, part, bytes_);
    partition = (partition + 1) % cache.partitions();
  }
  return moved;
}

}  // namespace tilewright
