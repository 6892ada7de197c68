#include "tune_agenda.hpp"

namespace tilewright {

TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const TunerPool& pool) {
  TuneAgenda agenda;
  for (const size_t index : share.indices) {
    const Workload& problem = share.problems[index];
    const auto answer = answers.find(full_text(problem));
    if (answer != answers.end()) {
      agenda.kept.emplace(index, answer->second);
    } else {
      const auto knows = [&problem](const DeviceTuner& one) { return one.knows(problem); };
      agenda.tasks.push_back({index, problem, pool.find(knows)});
    }
  }
  return agenda;
}

}  // namespace tilewright
