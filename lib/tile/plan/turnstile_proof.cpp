#include "tile/plan/turnstile_proof.hpp"

#include <algorithm>

#include "tile/plan/work_tile.hpp"

namespace tilewright {
namespace {

class TurnstileRun {
 public:
  TurnstileRun(std::span<const TilePart> parts, int64_t ctas, int64_t resident)
      : parts_(parts),
        awaited_(awaited_parts(parts)),
        of_cta_(parts_by_cta(parts, ctas)),
        next_(of_cta_.size()),
        done_(parts.size()),
        waiting_cta_(parts.size(), -1),
        resident_(resident) {}

  TurnstileProof prove() {
    TurnstileProof proof;
    std::vector<int64_t> chain(parts_.size(), 1);
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (awaited_[i] == -1) continue;
      ++proof.waits;
      // Parts are sorted by k, so the chain of the awaited part is already known.
      if (awaited_[i] >= 0) chain[i] = chain[static_cast<size_t>(awaited_[i])] + 1;
      proof.longest_chain = std::max(proof.longest_chain, chain[i]);
    }
    const auto ctas = static_cast<int64_t>(of_cta_.size());
    simulate_ctas(ctas, resident_,
                  [this](int64_t cta, std::vector<int64_t>& ready) { return advance(cta, ready); });
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (done_[i]) continue;
      proof.ends = false;
      if (proof.stuck.size() < ScheduleProof::kMaxExamples) proof.stuck.push_back(parts_[i]);
    }
    return proof;
  }

 private:
  // Runs a CTA until it ends or waits; wakes the CTAs that waited for its parts.
  bool advance(int64_t cta, std::vector<int64_t>& ready) {
    const std::vector<int64_t>& own = of_cta_[static_cast<size_t>(cta)];
    size_t& next = next_[static_cast<size_t>(cta)];
    for (; next < own.size(); ++next) {
      const auto part = static_cast<size_t>(own[next]);
      const int64_t awaited = awaited_[part];
      if (awaited == -2) return false;
      if (awaited >= 0 && !done_[static_cast<size_t>(awaited)]) {
        waiting_cta_[static_cast<size_t>(awaited)] = cta;
        return false;
      }
      done_[part] = true;
      if (waiting_cta_[part] >= 0) ready.push_back(waiting_cta_[part]);
    }
    return true;
  }

  std::span<const TilePart> parts_;
  std::vector<int64_t> awaited_;
  std::vector<std::vector<int64_t>> of_cta_;
  std::vector<size_t> next_;
  std::vector<bool> done_;
  std::vector<int64_t> waiting_cta_;  // by part
  int64_t resident_;
};

}  // namespace

std::vector<int64_t> awaited_parts(std::span<const TilePart> parts) {
  std::vector<int64_t> awaited(parts.size(), -1);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].k_begin == 0) continue;
    const bool follows =
        i > 0 && parts[i - 1].tile == parts[i].tile && parts[i - 1].k_end == parts[i].k_begin;
    awaited[i] = follows ? static_cast<int64_t>(i) - 1 : -2;
  }
  return awaited;
}

std::vector<std::vector<int64_t>> parts_by_cta(std::span<const TilePart> parts, int64_t ctas) {
  std::vector<std::vector<int64_t>> of_cta(static_cast<size_t>(ctas));
  for (size_t i = 0; i < parts.size(); ++i) {
    of_cta[static_cast<size_t>(parts[i].cta)].push_back(static_cast<int64_t>(i));
  }
  for (std::vector<int64_t>& own : of_cta) {
    std::sort(own.begin(), own.end(), [&](int64_t a, int64_t b) {
      return parts[static_cast<size_t>(a)].unit_index < parts[static_cast<size_t>(b)].unit_index;
    });
  }
  return of_cta;
}

TurnstileProof prove_turnstiles(std::span<const TilePart> parts, int64_t ctas, int64_t resident) {
  return TurnstileRun(parts, ctas, resident).prove();
}

}  // namespace tilewright
