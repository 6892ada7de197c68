#include "tile/plan/peer_proof.hpp"

#include <map>
#include <utility>

#include "tile/plan/peer_store.hpp"
#include "tile/plan/sent_blocks.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {
namespace {

const tw::PeerBlocks& blocks_of(const Plan& plan) {
  return plan.problems.front().map.peers;
}

bool sends_parts(const Plan& plan) {
  return !gathers_rows(plan.workload.parallel);
}

// The CTAs of all GPUs, rank by rank, with their units. A tile's owner waits for the others' parts
// of it; they wait for nothing.
class PeerRun {
 public:
  explicit PeerRun(std::span<const Plan> ranks)
      : ranks_(ranks),
        gpus_(static_cast<int>(ranks.size())),
        tiles_(launched_tiles(ranks.front())),
        ctas_(ranks.front().ctas()),
        units_(static_cast<size_t>(ctas_) * ranks.size()),
        next_(units_.size()),
        arrived_(size_of_grid()),
        waiting_(size_of_grid()),
        stored_(size_of_grid() * ranks.size()) {
    for (int rank = 0; rank < gpus_; ++rank) {
      require_walkable(plan_of(rank));
      for_each_unit(plan_of(rank), [&](const ScheduledUnit& unit) {
        if (unit.kind != UnitKind::EarlyExit) units_[place_of(rank, unit.cta)].push_back(unit.work);
      });
    }
  }

  PeerProof prove() {
    simulate_ctas(static_cast<int64_t>(units_.size()), 0,
                  [this](int64_t cta, std::vector<int64_t>& ready) {
                    return advance(static_cast<size_t>(cta), ready);
                  });
    count_places();
    note_stuck();
    proof_.complete = proof_.missing_count == 0 && proof_.duplicated_count == 0;
    return proof_;
  }

 private:
  const Plan& plan_of(int rank) const { return ranks_[static_cast<size_t>(rank)]; }
  size_t size_of_grid() const {
    return static_cast<size_t>(tiles_.m) * static_cast<size_t>(tiles_.n);
  }
  size_t place_of(int rank, int64_t cta) const {
    return static_cast<size_t>(rank) * static_cast<size_t>(ctas_) + static_cast<size_t>(cta);
  }
  int rank_of(size_t cta) const { return static_cast<int>(cta / static_cast<size_t>(ctas_)); }
  int owner_of(int rank, const WorkTile& work) const {
    return tw::owner_of_row(blocks_of(plan_of(rank)), tiles_.m, work.m);
  }
  size_t tile_of(const WorkTile& work) const {
    return static_cast<size_t>(work.m) * static_cast<size_t>(tiles_.n) +
           static_cast<size_t>(work.n);
  }

  // Stores the part in the place that the kernel computes for it.
  void send(int rank, int owner, const WorkTile& work) {
    ++proof_.parts;
    sent_[{rank, owner}] += bytes_of_part(plan_of(rank));
    const tw::PeerBlocks& blocks = blocks_of(plan_of(rank));
    const int at = tw::part_index(blocks, tiles_, {work.m, work.n}, blocks.rank);
    const size_t places = stored_.size() / ranks_.size();
    ++stored_[static_cast<size_t>(owner) * places + static_cast<size_t>(at)];
  }

  // Runs a CTA until it ends or waits; a part that arrives wakes the CTA that waits for its tile.
  bool advance(size_t cta, std::vector<int64_t>& ready) {
    const int rank = rank_of(cta);
    for (size_t& next = next_[cta]; next < units_[cta].size(); ++next) {
      const WorkTile& work = units_[cta][next];
      const size_t tile = tile_of(work);
      const int owner = owner_of(rank, work);
      if (owner == blocks_of(plan_of(rank)).rank) {
        if (arrived_[tile] >= gpus_ - 1) continue;
        waiting_[tile].push_back(static_cast<int64_t>(cta));
        return false;
      }
      send(rank, owner, work);
      if (++arrived_[tile] < gpus_ - 1) continue;
      ready.insert(ready.end(), waiting_[tile].begin(), waiting_[tile].end());
      waiting_[tile].clear();
    }
    return true;
  }

  // Every owner has gpus - 1 places for each of its tiles.
  void count_places() {
    const size_t places = stored_.size() / ranks_.size();
    const size_t used = size_of_grid() / ranks_.size() * static_cast<size_t>(gpus_ - 1);
    for (size_t i = 0; i < stored_.size(); ++i) {
      if (i % places >= used) continue;
      if (stored_[i] == 0) ++proof_.missing_count;
      if (stored_[i] > 1) ++proof_.duplicated_count;
    }
    for (int from = 0; from < gpus_; ++from) {
      for (int to = 0; to < gpus_; ++to) {
        if (from != to) proof_.links.push_back({from, to, sent_[{from, to}]});
      }
    }
  }

  void note_stuck() {
    for (size_t cta = 0; cta < units_.size(); ++cta) {
      if (next_[cta] == units_[cta].size()) continue;
      proof_.ends = false;
      if (proof_.stuck.size() == PeerProof::kMaxExamples) return;
      const auto unit = static_cast<int64_t>(next_[cta]);
      proof_.stuck.push_back(
          {rank_of(cta), static_cast<int64_t>(cta) % ctas_, unit, units_[cta][next_[cta]]});
    }
  }

  std::span<const Plan> ranks_;
  int gpus_;
  TileCoord tiles_;
  int64_t ctas_;                                 // of each GPU
  std::vector<std::vector<WorkTile>> units_;     // by CTA of all GPUs
  std::vector<size_t> next_;                     // by CTA
  std::vector<int> arrived_;                     // parts, by tile
  std::vector<std::vector<int64_t>> waiting_;    // CTAs, by tile
  std::vector<int> stored_;                      // parts in each place of each owner
  std::map<std::pair<int, int>, int64_t> sent_;  // bytes by sender and owner
  PeerProof proof_;
};

// The blocks of A that the GPUs send. They are sent whatever a GPU computes, so that a tile waits
// for ever only for one that is never sent.
PeerProof prove_gather(std::span<const Plan> ranks) {
  PeerProof proof;
  std::map<std::pair<int, int>, int64_t> times;  // by receiver and flag
  std::map<std::pair<int, int>, int64_t> loads;  // bytes, by sender and receiver
  const auto gpus = static_cast<int>(ranks.size());
  for (int from = 0; from < gpus; ++from) {
    const Plan& sender = ranks[static_cast<size_t>(from)];
    for (const auto& [to, block, part] : sent_blocks(blocks_of(sender))) {
      ++times[{to, tw::flag_of_rows(blocks_of(sender), block, part)}];
      loads[{from, to}] += bytes_of_sent(sender, part);
      ++proof.parts;
    }
  }
  for (int to = 0; to < gpus; ++to) {
    const tw::PeerBlocks& blocks = blocks_of(ranks[static_cast<size_t>(to)]);
    for (int i = 0; i < blocks.count() * blocks.k_chunks; ++i) {
      const int block = i / blocks.k_chunks;
      if (tw::owner_of_block(blocks, block) == to) continue;
      const int64_t arrived = times[{to, tw::flag_of_rows(blocks, block, i % blocks.k_chunks)}];
      if (arrived == 0) ++proof.missing_count;
      if (arrived > 1) ++proof.duplicated_count;
    }
    for (int from = 0; from < gpus; ++from) {
      if (from != to) proof.links.push_back({to, from, loads[{to, from}]});
    }
  }
  proof.ends = proof.missing_count == 0;
  proof.complete = proof.ends && proof.duplicated_count == 0;
  return proof;
}

}  // namespace

LinkLoad busiest_link(const PeerProof& proof) {
  LinkLoad most;
  for (const LinkLoad& link : proof.links) {
    if (link.bytes > most.bytes) most = link;
  }
  return most;
}

PeerProof prove_peers(std::span<const Plan> ranks) {
  return sends_parts(ranks.front()) ? PeerRun(ranks).prove() : prove_gather(ranks);
}

}  // namespace tilewright
