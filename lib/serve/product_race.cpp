#include "serve/product_race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/sample.hpp"

namespace tilewright {

ProductRace::ProductRace(int candidates) : candidates_(static_cast<size_t>(candidates)) {
  // Nothing to find out.
  if (candidates == 1) winner_ = 0;
}

RaceTurn ProductRace::next() {
  if (winner_) return {.candidate = *winner_};
  if (calls() < max_calls()) {
    if (const std::optional<RaceTurn> turn = cold_turn()) return *turn;
    // None: other threads warm up all that are left, and will soon have done so.
    return timed_turn().value_or(RaceTurn{});
  }
  if (!has_pending() || ++grace_calls_ > kGraceCalls) decide();
  return {.candidate = winner()};
}

RaceTurn ProductRace::issue(int candidate, std::optional<size_t> round) {
  tickets_.push_back({candidate, round});
  return {candidate, static_cast<int>(tickets_.size()) - 1, round.has_value()};
}

std::optional<RaceTurn> ProductRace::cold_turn() {
  const auto cold =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [](const Candidate& candidate) { return candidate.state == State::Cold; });
  if (cold == candidates_.end()) return std::nullopt;
  cold->state = State::Warming;
  return issue(static_cast<int>(cold - candidates_.begin()), std::nullopt);
}

// The turn of a candidate with the fewest rounds; every second round is in reverse, so that a drift
// favours no candidate.
std::optional<RaceTurn> ProductRace::timed_turn() {
  std::optional<size_t> best;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].state != State::Warm) continue;
    const size_t rounds = candidates_[i].rounds.size();
    const bool takes = !best || rounds < candidates_[*best].rounds.size() ||
                       (rounds == candidates_[*best].rounds.size() && rounds % 2 == 1);
    if (takes) best = i;
  }
  if (!best) return std::nullopt;
  std::vector<Sample>& rounds = candidates_[*best].rounds;
  rounds.emplace_back();
  return issue(static_cast<int>(*best), rounds.size() - 1);
}

ProductRace::Candidate& ProductRace::candidate_of(int ticket) {
  return candidates_[static_cast<size_t>(tickets_.at(static_cast<size_t>(ticket)).candidate)];
}

ProductRace::Sample* ProductRace::sample_of(int ticket) {
  const std::optional<size_t> round = tickets_.at(static_cast<size_t>(ticket)).round;
  return round ? &candidate_of(ticket).rounds[*round] : nullptr;
}

void ProductRace::warmed(int ticket) {
  Candidate& candidate = candidate_of(ticket);
  if (candidate.state == State::Warming) candidate.state = State::Warm;
}

void ProductRace::record(int ticket, double us) {
  Sample* const sample = sample_of(ticket);
  if (sample == nullptr || !sample->is_pending) return;
  sample->is_pending = false;
  if (std::isfinite(us) && us > 0) sample->us = us;
  drop_slow();
}

void ProductRace::lose(int ticket) {
  if (Sample* const sample = sample_of(ticket)) sample->is_pending = false;
  drop_slow();
}

void ProductRace::fail(int ticket, std::string why) {
  Candidate& candidate = candidate_of(ticket);
  if (&candidate == &candidates_.front()) {
    warmed(ticket);
    return lose(ticket);
  }
  candidate.state = State::Gone;
  candidate.failure = std::move(why);
  for (Sample& sample : candidate.rounds) sample.is_pending = false;
  drop_slow();
}

std::vector<std::string> ProductRace::failures() const {
  std::vector<std::string> all;
  for (const Candidate& candidate : candidates_) all.push_back(candidate.failure);
  return all;
}

// Rounds without a time that is on its way.
size_t ProductRace::complete_rounds() const {
  size_t complete = std::numeric_limits<size_t>::max();
  for (const Candidate& candidate : candidates_) {
    if (!is_in(candidate)) continue;
    const auto pending = std::find_if(candidate.rounds.begin(), candidate.rounds.end(),
                                      [](const Sample& sample) { return sample.is_pending; });
    complete = std::min(complete, static_cast<size_t>(pending - candidate.rounds.begin()));
  }
  return complete;
}

int ProductRace::rival_count() const {
  const auto count = std::count_if(candidates_.begin() + 1, candidates_.end(),
                                   [this](const Candidate& candidate) { return is_in(candidate); });
  return static_cast<int>(count);
}

// Infinite without a time.
double ProductRace::median_us(const Candidate& candidate) const {
  std::vector<double> times;
  for (const Sample& sample : candidate.rounds) {
    if (sample.us) times.push_back(*sample.us);
  }
  return times.empty() ? std::numeric_limits<double>::infinity() : median(times);
}

void ProductRace::drop_slow() {
  if (winner_) return;
  if (const size_t complete = complete_rounds(); complete > judged_rounds_) {
    if (judged_rounds_ == 0) drop_far_behind();
    if (complete > 1) drop_slower_half();
    judged_rounds_ = complete;
  }
  if (rival_count() == 0) decide();
}

void ProductRace::drop_far_behind() {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates_) {
    if (is_in(candidate)) least = std::min(least, median_us(candidate));
  }
  for (auto rival = candidates_.begin() + 1; rival != candidates_.end(); ++rival) {
    const double us = median_us(*rival);
    // One without a time, because it was lost, stays.
    if (is_in(*rival) && std::isfinite(us) && us > kFarBehind * least) rival->state = State::Gone;
  }
}

void ProductRace::drop_slower_half() {
  std::vector<Candidate*> rivals;
  for (auto rival = candidates_.begin() + 1; rival != candidates_.end(); ++rival) {
    if (is_in(*rival)) rivals.push_back(&*rival);
  }
  std::stable_sort(rivals.begin(), rivals.end(), [this](const Candidate* a, const Candidate* b) {
    return median_us(*a) < median_us(*b);
  });
  const size_t kept = (rivals.size() + 1) / 2;
  for (size_t i = kept; i < rivals.size(); ++i) rivals[i]->state = State::Gone;
}

bool ProductRace::has_pending() const {
  return std::any_of(candidates_.begin(), candidates_.end(), [](const Candidate& candidate) {
    const bool awaits = std::any_of(candidate.rounds.begin(), candidate.rounds.end(),
                                    [](const Sample& sample) { return sample.is_pending; });
    return candidate.state == State::Warming || (candidate.state == State::Warm && awaits);
  });
}

// The rival's time over the plain answer's in the rounds that both have, if it is below 1 beyond
// its interval.
std::optional<double> ProductRace::ratio_if_faster(const Candidate& rival) const {
  const std::vector<Sample>& plain = candidates_.front().rounds;
  std::vector<double> of_rival;
  std::vector<double> of_plain;
  for (size_t i = 0; i < std::min(rival.rounds.size(), plain.size()); ++i) {
    if (!rival.rounds[i].us || !plain[i].us) continue;
    of_rival.push_back(*rival.rounds[i].us);
    of_plain.push_back(*plain[i].us);
  }
  // Up to four pairs, the interval is from the least ratio to the largest. One pair has none.
  const double confidence = of_rival.size() < 3 ? 0.5 : 0.75;
  const PairedRatio paired = paired_ratio(of_rival, of_plain, confidence);
  return paired.interval.high < 1 ? std::optional(paired.ratio) : std::nullopt;
}

void ProductRace::decide() {
  winner_ = 0;
  for (size_t i = 1; i < candidates_.size(); ++i) {
    if (!is_in(candidates_[i])) continue;
    const std::optional<double> ratio = ratio_if_faster(candidates_[i]);
    if (!ratio || *ratio >= ratio_) continue;
    ratio_ = *ratio;
    winner_ = static_cast<int>(i);
  }
}

}  // namespace tilewright
