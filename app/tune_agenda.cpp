#include "tune_agenda.hpp"

namespace tilewright {

TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const std::string& own, const TunerPool& pool) {
  TuneAgenda agenda;
  for (const size_t index : share.indices) {
    const Workload& problem = share.problems[index];
    const auto answer = answers.find(full_text(problem));
    const bool is_answered = answer != answers.end();
    const bool is_own = is_answered && answer->second.store == own;
    const DeviceTuner* const tuner = pool.find([&](const DeviceTuner& one) {
      return is_own ? one.answered(problem) : one.knows(problem);
    });
    if (is_answered && !(is_own && tuner != nullptr)) {
      agenda.kept.emplace(index, answer->second);
    } else {
      agenda.tasks.push_back({index, problem, tuner});
    }
  }
  return agenda;
}

}  // namespace tilewright
