#include "model/peer_rounds.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/math.hpp"
#include "tile/plan/peer_store.hpp"
#include "tile/plan/sent_blocks.hpp"

namespace tilewright {
namespace {

// One round as it would be without other GPUs, and the slots that it runs.
struct Round {
  RoundCost alone;
  int64_t first = 0;
  int64_t end = 0;
};

// The slots of a round in one visited block.
struct VisitedSlots {
  int visit = 0;
  int64_t slots = 0;
};

class Exchange {
 public:
  Exchange(Price& price, const Plan& plan)
      : price_(price),
        plan_(plan),
        blocks_(plan.problems.front().map.peers),
        links_(price.device->links),
        block_slots_(plan.ordered.front().slots / blocks_.count()),
        us_(price.copies_us + price.launch_us),
        sent_(static_cast<size_t>(blocks_.chunks)),
        arrivals_us_(static_cast<size_t>(blocks_.count()) * static_cast<size_t>(blocks_.k_chunks)) {
  }

  void scatter() {
    for_each_round([this](const Round& round) { scatter_round(round); });
  }

  void gather() {
    note_arrivals();
    for_each_round([this](const Round& round) {
      double waits = 0;
      for (const VisitedSlots& visited : visits_of(round)) {
        waits = std::max(waits, wait_us(visited.visit, round.alone.main_loop_us));
      }
      add({.main_loop_us = waits + round.alone.main_loop_us,
           .epilogue_us = round.alone.epilogue_us});
    });
  }

 private:
  template <class Visit>
  void for_each_round(const Visit& visit) {
    const std::vector<RoundCost> alone = std::exchange(price_.rounds, {});
    const int64_t slots = plan_.ordered.front().slots;
    const int64_t workers = std::max<int64_t>(plan_.launched_workers, 1);
    int64_t first = 0;
    for (const RoundCost& cost : alone) {
      for (int64_t i = 0; i < cost.count; ++i, first += workers) {
        // Slots of a raster's overhang cost no round: the last one has what is left.
        const bool is_last = &cost == &alone.back() && i + 1 == cost.count;
        visit(Round{cost, std::min(first, slots),
                    is_last ? slots : std::min(first + workers, slots)});
      }
    }
  }

  void add(const RoundCost& round) {
    us_ += round.main_loop_us + round.epilogue_us;
    add_round(price_, {.main_loop_us = round.main_loop_us, .epilogue_us = round.epilogue_us});
  }

  std::vector<VisitedSlots> visits_of(const Round& round) const {
    std::vector<VisitedSlots> visits;
    for (int64_t at = round.first; at < round.end;) {
      const int64_t visit = at / block_slots_;
      const int64_t end = std::min(round.end, (visit + 1) * block_slots_);
      visits.push_back({static_cast<int>(visit), end - at});
      at = end;
    }
    return visits;
  }

  int owner_of(int visit) const {
    return tw::owner_of_block(blocks_, tw::visited_block(blocks_, visit));
  }
  bool is_own(int visit) const { return owner_of(visit) == blocks_.rank; }

  double& arrival_us(int visit, int part) {
    return arrivals_us_[static_cast<size_t>(tw::flag_of_rows(blocks_, visit, part))];
  }

  // How long a main loop that begins now waits in all for parts of K of the rows that it visits.
  double wait_us(int visit, double main_loop_us) {
    double wait = 0;
    for (int part = 0; part < blocks_.k_chunks; ++part) {
      const double before = main_loop_us * part / blocks_.k_chunks;
      wait = std::max(wait, arrival_us(visit, part) - us_ - before);
    }
    return wait;
  }

  // Each owner's copy engines send one part of a block after the other.
  void note_arrivals() {
    for (int step = 1; step < blocks_.gpus; ++step) {
      tw::PeerBlocks owner = blocks_;
      owner.rank = (blocks_.rank + step) % blocks_.gpus;
      double end_us = price_.copies_us + links_.copy_us;
      for (const auto& [receiver, block, part] : sent_blocks(owner)) {
        const auto bytes = static_cast<double>(bytes_of_sent(plan_, part));
        const double begin_us = end_us;
        end_us += bytes / links_.copy_bytes_per_us;
        if (receiver != blocks_.rank) continue;
        arrival_us(tw::visit_of(blocks_, block), part) = end_us;
        price_.links.push_back({owner.rank, receiver, begin_us, end_us, bytes});
      }
    }
    std::sort(price_.links.begin(), price_.links.end(),
              [](const LinkSpan& a, const LinkSpan& b) { return a.begin_us < b.begin_us; });
  }

  // When the others' parts of an own block are there: each sends them on the visit on which this
  // GPU sends its part of the same block of another.
  double parts_us(int visit) const {
    if (blocks_.order == RankOrder::Given) return us_ + part_us() + links_.flag_us;
    return sent_[chunk_of(visit)] + links_.flag_us;
  }

  size_t chunk_of(int visit) const {
    return static_cast<size_t>(tw::visited_block(blocks_, visit) % blocks_.chunks);
  }

  // The least time of one part on its way, by its CTA's stores alone.
  double part_us() const {
    return static_cast<double>(bytes_of_part(plan_)) / links_.cta_store_bytes_per_us;
  }

  // All CTAs of a round send at once, and share the link. A cooperative CTA waits for its stores;
  // in ping-pong the next main loop runs meanwhile.
  double send(const VisitedSlots& part, const RoundCost& alone) {
    const double tiles = static_cast<double>(part.slots * plan_.cluster_size);
    const double bytes = tiles * static_cast<double>(bytes_of_part(plan_));
    const double begin = std::max(us_ + alone.main_loop_us, link_free_us_);
    link_free_us_ = begin + std::max(part_us(), bytes / links_.store_bytes_per_us);
    sent_[chunk_of(part.visit)] = link_free_us_;
    price_.links.push_back({blocks_.rank, owner_of(part.visit), begin, link_free_us_, bytes});
    const double hidden =
        plan_.config.schedule == KernelSchedule::PingPong ? alone.main_loop_us : 0;
    return std::max(0.0, link_free_us_ - us_ - alone.main_loop_us - hidden);
  }

  // Own tiles read the others' parts from this GPU's memory.
  double finish(const VisitedSlots& part, const RoundCost& alone) const {
    const double waits = std::max(0.0, parts_us(part.visit) - us_ - alone.main_loop_us);
    const double added = static_cast<double>(bytes_of_part(plan_)) * (blocks_.gpus - 1) /
                         price_.join.part_bytes_per_us;
    return waits + added + alone.epilogue_us;
  }

  void scatter_round(const Round& round) {
    double epilogue = 0;
    for (const VisitedSlots& part : visits_of(round)) {
      const double us = is_own(part.visit) ? finish(part, round.alone) : send(part, round.alone);
      epilogue = std::max(epilogue, us);
    }
    add({.main_loop_us = round.alone.main_loop_us, .epilogue_us = epilogue});
  }

  Price& price_;
  const Plan& plan_;
  const tw::PeerBlocks blocks_;
  const LinkRates& links_;
  int64_t block_slots_;
  double us_;                        // when the round begins
  double link_free_us_ = 0;          // when all parts so far have been sent
  std::vector<double> sent_;         // by chunk of a block, when its last part had been sent
  std::vector<double> arrivals_us_;  // by visit and part of K, when these rows of A are there
};

}  // namespace

void add_exchange(Price& price, const Plan& plan) {
  if (!is_across_gpus(plan.workload) || price.rounds.empty()) return;
  if (!predicts_time(*price.device)) return;  // its rounds count k-steps
  Exchange exchange(price, plan);
  if (gathers_rows(plan.workload.parallel)) {
    exchange.gather();
  } else {
    exchange.scatter();
  }
}

}  // namespace tilewright
