#include "tune_agenda.hpp"

namespace tilewright {

TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const std::string& own, const LanePool& pool) {
  TuneAgenda agenda;
  for (const size_t place : share.places) {
    const Workload& problem = share.problems[place];
    const auto answer = answers.find(full_text(problem));
    const bool is_answered = answer != answers.end();
    const bool is_own = is_answered && answer->second.store == own;
    const TuneLane* const lane = pool.find(
        [&](const TuneLane& one) { return is_own ? one.answered(problem) : one.knows(problem); });
    if (is_answered && !(is_own && lane != nullptr)) {
      agenda.kept.emplace(place, answer->second);
    } else {
      agenda.turns.push_back({place, problem, lane});
    }
  }
  return agenda;
}

}  // namespace tilewright
