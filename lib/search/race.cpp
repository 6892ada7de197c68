#include "search/race.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "stats/sample.hpp"

namespace tilewright {
namespace {

double entry_median(const RaceEntry& entry) {
  if (entry.samples_us.empty()) return std::numeric_limits<double>::infinity();
  return median(entry.samples_us);
}

bool is_ours(const RaceEntry& entry) {
  return !is_reference(entry.contender);
}

}  // namespace

void RaceEntry::add(const LaunchTime& time) {
  samples_us.push_back(time.us);
  sm_mhz.push_back(time.sm_mhz);
  watts.push_back(time.watts);
}

void RaceEntry::append(const RaceEntry& later) {
  samples_us.insert(samples_us.end(), later.samples_us.begin(), later.samples_us.end());
  sm_mhz.insert(sm_mhz.end(), later.sm_mhz.begin(), later.sm_mhz.end());
  watts.insert(watts.end(), later.watts.begin(), later.watts.end());
}

double returned_us(const LaunchTime& time) {
  if (!time.failure.empty()) throw Error(ExitCode::WrongResult, time.failure);
  return time.us;
}

Regime parse_regime(std::string_view text) {
  for (size_t i = 0; i < std::size(kRegimes); ++i) {
    if (kRegimes[i] == text) return static_cast<Regime>(i);
  }
  throw usage_error(format("--regime '{}'{}; it takes {}", text, did_you_mean(text, kRegimes),
                           join_words(kRegimes, "and")));
}

Regime regime_of(const MeasuringMethod& method) {
  for (const Regime regime : {Regime::Hot, Regime::Cold}) {
    const std::string begin = format("{}: ", kRegimes[static_cast<size_t>(regime)]);
    if (method.regime.starts_with(begin)) return regime;
  }
  return Regime::Rotate;
}

Race::Race(Runner& runner, std::vector<Contender> contenders, uint64_t seed,
           std::function<void()> before_round)
    : runner_(runner), random_(seed), before_round_(std::move(before_round)) {
  for (Contender& contender : contenders) {
    entries_.push_back({.contender = std::move(contender), .samples_us = {}});
  }
}

std::vector<LaunchTime> Race::one_round(std::vector<size_t>& order) {
  throw_if_interrupted();
  before_round_();
  order.clear();
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].racing) order.push_back(i);
  }
  shuffle(std::span<size_t>(order), random_);
  std::vector<Contender> contenders;
  contenders.reserve(order.size());
  for (const size_t entry : order) contenders.push_back(entries_[entry].contender);
  std::vector<LaunchTime> times = runner_.time_round(contenders);
  if (times.size() != order.size()) throw internal_error("a round lost some of its times");
  for (size_t i = 0; i < order.size(); ++i) {
    if (times[i].failure.empty()) continue;
    RaceEntry& entry = entries_[order[i]];
    entry.failure = times[i].failure;
    entry.racing = false;
    entry.samples_us.clear();
    entry.sm_mhz.clear();
    entry.watts.clear();
  }
  return times;
}

void Race::warm_up() {
  std::vector<size_t> order;
  one_round(order);
}

void Race::run(int64_t rounds) {
  std::vector<size_t> order;
  for (int64_t round = 0; round < rounds; ++round) {
    const std::vector<LaunchTime> times = one_round(order);
    for (size_t i = 0; i < order.size(); ++i) {
      if (times[i].failure.empty()) entries_[order[i]].add(times[i]);
    }
  }
}

void Race::require_all() const {
  for (const RaceEntry& entry : entries_) {
    if (entry.failure.empty()) continue;
    throw Error(ExitCode::WrongResult, format("{}: {}", entry.contender.name, entry.failure));
  }
}

void Race::drop_dominated(double confidence, double slack) {
  const std::vector<const RaceEntry*> racing = racing_by_median();
  for (const RaceEntry* const entry : racing) {
    const PairedRatio over_fastest =
        paired_ratio(entry->samples_us, racing.front()->samples_us, confidence);
    if (over_fastest.interval.low > 1 + slack) own(entry).racing = false;
  }
}

void Race::keep_fastest(size_t ours) {
  const std::vector<const RaceEntry*> racing = racing_by_median();
  for (size_t i = ours; i < racing.size(); ++i) own(racing[i]).racing = false;
}

std::vector<const RaceEntry*> Race::ours_by_median() const {
  std::vector<std::pair<double, const RaceEntry*>> order;
  for (const RaceEntry& entry : entries_) {
    if (is_ours(entry) && entry.failure.empty()) order.emplace_back(entry_median(entry), &entry);
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second->contender.name < b.second->contender.name;
  });
  std::vector<const RaceEntry*> entries;
  entries.reserve(order.size());
  for (const auto& entry : order) entries.push_back(entry.second);
  return entries;
}

std::vector<const RaceEntry*> Race::racing_by_median() const {
  std::vector<const RaceEntry*> racing = ours_by_median();
  std::erase_if(racing, [](const RaceEntry* entry) { return !entry->racing; });
  return racing;
}

const RaceEntry* Race::best_reference() const {
  const RaceEntry* best = nullptr;
  for (const RaceEntry& entry : entries_) {
    if (is_ours(entry) || !entry.failure.empty()) continue;
    if (best == nullptr || entry_median(entry) < entry_median(*best)) best = &entry;
  }
  return best;
}

double Race::best_us() const {
  double best = std::numeric_limits<double>::infinity();
  for (const RaceEntry& entry : entries_) {
    if (is_ours(entry) && entry.racing) best = std::min(best, entry_median(entry));
  }
  return best == std::numeric_limits<double>::infinity() ? 0 : best;
}

double Race::round_us() const {
  double sum = 0;
  for (const RaceEntry& entry : entries_) {
    if (entry.racing && !entry.samples_us.empty()) sum += entry_median(entry);
  }
  return sum;
}

// One that is as fast leaves one race in a hundred or fewer by chance, for a race looks less than
// ten times.
void run_race(Race& race, RacePatience patience, const std::function<void(int64_t rounds)>& begin) {
  constexpr double kConfidence = 0.999;
  constexpr int64_t kFirstRounds = 12;
  constexpr double kBudgetUs = 0.3e6;
  begin(kFirstRounds + 1);
  race.warm_up();
  race.run(kFirstRounds);
  race.drop_dominated(kConfidence, patience.slack);
  double spent_us = 0;
  for (int64_t done = kFirstRounds; race.racing_by_median().size() > 1;) {
    const double affordable = std::min((kBudgetUs - spent_us) / race.round_us(),
                                       patience.most_rounds - static_cast<double>(done));
    const int64_t next = std::min(done / 2, static_cast<int64_t>(affordable));
    if (next <= 0) break;
    begin(done + next + 1);
    race.run(next);
    done += next;
    spent_us += static_cast<double>(next) * race.round_us();
    race.drop_dominated(kConfidence, patience.slack);
  }
}

}  // namespace tilewright
