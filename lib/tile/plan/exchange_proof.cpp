#include "tile/plan/exchange_proof.hpp"

#include <algorithm>

#include "tile/plan/turnstile_proof.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

namespace {

class ExchangeRun {
 public:
  ExchangeRun(std::span<const TilePart> parts, int64_t ctas, int64_t resident)
      : parts_(parts),
        of_cta_(parts_by_cta(parts, ctas)),
        next_(of_cta_.size()),
        exchange_of_(parts.size()),
        resident_(resident) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i == 0 || parts[i].tile != parts[i - 1].tile) exchanges_.emplace_back();
      exchange_of_[i] = exchanges_.size() - 1;
      ++exchanges_.back().awaited;
    }
  }

  ExchangeProof prove() {
    ExchangeProof proof;
    for (const Exchange& exchange : exchanges_) {
      if (exchange.awaited > 1) proof.parts += exchange.awaited;
    }
    const auto ctas = static_cast<int64_t>(of_cta_.size());
    simulate_ctas(ctas, resident_,
                  [this](int64_t cta, std::vector<int64_t>& ready) { return advance(cta, ready); });
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (exchanges_[exchange_of_[i]].awaited == 0) continue;
      proof.ends = false;
      if (proof.stuck.size() < ScheduleProof::kMaxExamples) proof.stuck.push_back(parts_[i]);
    }
    return proof;
  }

 private:
  struct Exchange {
    int64_t awaited = 0;           // parts that have not arrived
    std::vector<int64_t> waiting;  // CTAs
  };

  // Runs a CTA until it ends or waits; the last part of a tile to arrive wakes the others' CTAs.
  bool advance(int64_t cta, std::vector<int64_t>& ready) {
    const std::vector<int64_t>& own = of_cta_[static_cast<size_t>(cta)];
    size_t& next = next_[static_cast<size_t>(cta)];
    while (next < own.size()) {
      Exchange& exchange = exchanges_[exchange_of_[static_cast<size_t>(own[next])]];
      ++next;
      --exchange.awaited;
      if (exchange.awaited > 0) {
        exchange.waiting.push_back(cta);
        return false;
      }
      ready.insert(ready.end(), exchange.waiting.begin(), exchange.waiting.end());
    }
    return true;
  }

  std::span<const TilePart> parts_;
  std::vector<std::vector<int64_t>> of_cta_;
  std::vector<size_t> next_;
  std::vector<Exchange> exchanges_;
  std::vector<size_t> exchange_of_;  // by part
  int64_t resident_;
};

}  // namespace

ExchangeProof prove_exchanges(std::span<const TilePart> parts, int64_t ctas, int64_t resident) {
  return ExchangeRun(parts, ctas, resident).prove();
}

}  // namespace tilewright
