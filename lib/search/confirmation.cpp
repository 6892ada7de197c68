#include "search/confirmation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "search/choice.hpp"

namespace tilewright {
namespace {

constexpr double kTieConfidence = 0.95;

// The choice among entries that ran in the same rounds, and whether more rounds could change it.
struct Decision {
  std::string choice;
  std::string fallback;  // the choice if only sure ties count
  std::string likely;    // the choice by the ratios themselves
  std::vector<std::string> ties;
  std::string reference;  // empty without any
  bool is_settled() const { return choice == fallback; }
};

std::vector<const RaceEntry*> ours_of(const std::vector<RaceEntry>& entries) {
  std::vector<std::pair<double, const RaceEntry*>> order;
  for (const RaceEntry& entry : entries) {
    if (!is_reference(entry.contender)) order.emplace_back(median(entry.samples_us), &entry);
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second->contender.name < b.second->contender.name;
  });
  std::vector<const RaceEntry*> ours;
  ours.reserve(order.size());
  for (const auto& entry : order) ours.push_back(entry.second);
  return ours;
}

const RaceEntry* find_entry(const std::vector<RaceEntry>& entries, const std::string& name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&name](const RaceEntry& entry) {
    return entry.contender.name == name;
  });
  return found == entries.end() ? nullptr : &*found;
}

// Adds the samples of later rounds. Removes entries that were lost in them.
void append_samples(std::vector<RaceEntry>& entries, const std::vector<RaceEntry>& more) {
  std::erase_if(entries, [&more](const RaceEntry& entry) {
    return find_entry(more, entry.contender.name) == nullptr;
  });
  for (RaceEntry& entry : entries) entry.append(*find_entry(more, entry.contender.name));
}

class FinalRace {
 public:
  FinalRace(const Workload& problem, Runner& runner, const ConfirmationPolicy& policy,
            const RoundListener& listener)
      : problem_(problem), runner_(runner), policy_(policy), listener_(listener) {}

  Confirmation run(std::vector<Contender> field) {
    constexpr int kMaxReports = 3;
    field_ = std::move(field);
    rounds_ = policy_.rounds > 0 ? policy_.rounds : rounds_for(pilot(), policy_.seconds);
    std::vector<RaceEntry> decided = rounds(field_);
    for (int report = 1;; ++report) {
      if (ours_of(decided).empty()) return conclude({}, {}, {});
      const Decision decision = decide(decided);
      std::vector<RaceEntry> fresh = rounds(with_guests(decision.choice));
      const std::vector<RaceEntry> observers = split_observers(fresh);
      const bool is_there = find_entry(fresh, decision.choice) != nullptr;
      if (is_there && (report >= kMaxReports || stands(decision, fresh))) {
        drop_wrong(fresh);
        if (find_entry(fresh, decision.choice) != nullptr) {
          return conclude(decision, std::move(fresh), observers);
        }
      }
      append_samples(decided, fresh);
    }
  }

 private:
  std::vector<Contender> with_guests(const std::string& choice) const {
    std::vector<Contender> all = field_;
    for (const Contender& contender : field_) {
      if (contender.name != choice) continue;
      for (const Contender& observer : policy_.observers(contender)) {
        const bool is_new = std::find(field_.begin(), field_.end(), observer) == field_.end();
        if (is_new) all.push_back(observer);
      }
    }
    return all;
  }

  // Removes and returns the entries of contenders that are not in the field.
  std::vector<RaceEntry> split_observers(std::vector<RaceEntry>& entries) const {
    const auto observers =
        std::stable_partition(entries.begin(), entries.end(), [this](const RaceEntry& entry) {
          return std::find(field_.begin(), field_.end(), entry.contender) != field_.end();
        });
    std::vector<RaceEntry> split(observers, entries.end());
    entries.erase(observers, entries.end());
    return split;
  }

  // Microseconds of a round, after one that loads modules and fills caches.
  double pilot() {
    constexpr int64_t kPilotRounds = 3;
    Race race = start(field_, kPilotRounds + 1);
    race.warm_up();
    race.run(kPilotRounds);
    returned(race);
    return race.round_us();
  }

  // The entries that returned; the others leave the field.
  std::vector<RaceEntry> returned(const Race& race) {
    std::vector<RaceEntry> entries;
    for (const RaceEntry& entry : race.entries()) {
      if (entry.failure.empty()) {
        entries.push_back(entry);
        continue;
      }
      std::erase(field_, entry.contender);
      if (!is_reference(entry.contender)) lost_.push_back(entry);
    }
    return entries;
  }

  // Verifies each of our finalists as it is timed: at the end of a round of all.
  void drop_wrong(std::vector<RaceEntry>& entries) {
    std::vector<Contender> round = field_;
    for (const Contender& finalist : std::vector<Contender>(field_)) {
      if (is_reference(finalist)) continue;
      std::erase(round, finalist);
      round.push_back(finalist);
      const Verification verification = runner_.verify_in_round(round);
      if (verification.ok) continue;
      std::erase(round, finalist);
      std::erase(field_, finalist);
      RaceEntry wrong = *find_entry(entries, finalist.name);
      wrong.failure = "right alone, wrong among other launches: " + verification.detail;
      std::erase_if(entries, [&](const RaceEntry& entry) { return entry.contender == finalist; });
      lost_.push_back(std::move(wrong));
    }
  }

  Race start(const std::vector<Contender>& field, int64_t rounds) {
    total_ += rounds;
    policy_.between_races();
    return Race(runner_, field, policy_.seed + races_++, [this] { listener_(done_++, total_); });
  }

  std::vector<RaceEntry> rounds(const std::vector<Contender>& field) {
    Race race = start(field, rounds_);
    race.run(rounds_);
    return returned(race);
  }

  // If the choice depends on whether it ties, the entries that may tie run until that is clear.
  Decision decide(const std::vector<RaceEntry>& entries) {
    constexpr int kMaxRematches = 8;
    Decision decision = decision_of(entries);
    if (decision.is_settled()) return decision;
    std::vector<RaceEntry> tied;
    std::vector<Contender> field;
    for (const std::string& name : decision.ties) {
      tied.push_back(*find_entry(entries, name));
      field.push_back(tied.back().contender);
    }
    Decision among = decision;
    for (int rematch = 0; rematch < kMaxRematches && !among.is_settled(); ++rematch) {
      append_samples(tied, rounds(field));
      if (tied.empty()) return decision;
      among = decision_of(tied);
    }
    decision.choice = among.is_settled() ? among.choice : among.likely;
    return decision;
  }

  bool is_incumbent(const RaceEntry& entry) const {
    return policy_.incumbent && entry.contender.config == policy_.incumbent;
  }

  const RaceEntry* choose(const std::vector<const RaceEntry*>& ties) const {
    const auto incumbent = std::find_if(
        ties.begin(), ties.end(), [this](const RaceEntry* entry) { return is_incumbent(*entry); });
    if (incumbent != ties.end()) return *incumbent;
    return policy_.prefer ? policy_.prefer(ties) : plainest(ties, problem_, runner_.device());
  }

  Decision decision_of(const std::vector<RaceEntry>& entries) const {
    const std::vector<const RaceEntry*> ours = ours_of(entries);
    const std::vector<const RaceEntry*> ties = tie_set(ours, kTieConfidence, kSameWithin);
    std::vector<const RaceEntry*> surely;
    std::vector<const RaceEntry*> likely;
    for (const RaceEntry* const entry : ties) {
      const PairedRatio ratio =
          paired_ratio(entry->samples_us, ours.front()->samples_us, kTieConfidence);
      const bool leads = entry == ours.front();
      if (leads || ratio.interval.high <= 1 + kSameWithin) surely.push_back(entry);
      if (leads || ratio.ratio <= 1 + kSameWithin) likely.push_back(entry);
    }
    Decision decision;
    decision.choice = choose(ties)->contender.name;
    decision.fallback = choose(surely)->contender.name;
    decision.likely = choose(likely)->contender.name;
    for (const RaceEntry* const tie : ties) decision.ties.push_back(tie->contender.name);
    const RaceEntry* reference = nullptr;
    for (const RaceEntry& entry : entries) {
      if (!is_reference(entry.contender)) continue;
      if (reference == nullptr || median(entry.samples_us) < median(reference->samples_us)) {
        reference = &entry;
      }
    }
    if (reference != nullptr) decision.reference = reference->contender.name;
    return decision;
  }

  // If the choice falls clearly behind in fresh rounds, the device is in another state than before.
  bool stands(const Decision& decision, const std::vector<RaceEntry>& fresh) const {
    constexpr double kSure = 0.999;
    const RaceEntry* const choice = find_entry(fresh, decision.choice);
    for (const RaceEntry* const tie : tie_set(ours_of(fresh), kSure, kSameWithin)) {
      if (tie == choice) return true;
    }
    return false;
  }

  Confirmation conclude(const Decision& decision, std::vector<RaceEntry> entries,
                        std::vector<RaceEntry> observers) const {
    Confirmation result;
    result.entries = std::move(entries);
    result.observers = std::move(observers);
    result.ours = ours_of(result.entries);
    result.choice = find_entry(result.entries, decision.choice);
    result.reference = find_entry(result.entries, decision.reference);
    result.lost = lost_;
    result.rounds = rounds_;
    return result;
  }

  const Workload& problem_;
  Runner& runner_;
  const ConfirmationPolicy& policy_;
  const RoundListener& listener_;
  std::vector<Contender> field_;
  std::vector<RaceEntry> lost_;
  int64_t rounds_ = 0;
  int64_t done_ = 0;
  int64_t total_ = 0;
  uint64_t races_ = 0;
};

}  // namespace

Confirmation confirm(const Workload& problem, Runner& runner,
                     const std::vector<Contender>& finalists,
                     const std::vector<Contender>& references, const ConfirmationPolicy& policy,
                     const RoundListener& listener) {
  std::vector<Contender> field = finalists;
  field.insert(field.end(), references.begin(), references.end());
  return FinalRace(problem, runner, policy, listener).run(std::move(field));
}

std::vector<TiedEntry> tied_with(const RaceEntry& choice, const Confirmation& confirmation) {
  std::vector<TiedEntry> ties;
  for (const RaceEntry* const entry : confirmation.ours) {
    if (entry == &choice) continue;
    const PairedRatio ratio = paired_ratio(entry->samples_us, choice.samples_us);
    const bool undecided = ratio.interval.low <= 1 && 1 <= ratio.interval.high;
    if (undecided || std::abs(ratio.ratio - 1) <= kSameWithin) {
      ties.push_back({entry, ratio.ratio});
    }
  }
  return ties;
}

int64_t rounds_for(double round_us, double seconds) {
  constexpr double kFewest = 25;
  constexpr double kMaxPerSecond = 640;
  return static_cast<int64_t>(
      std::clamp(seconds * 1e6 / round_us, kFewest, kMaxPerSecond * seconds));
}

}  // namespace tilewright
