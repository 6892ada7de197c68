#include "store/stored_answers.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

struct FoundAnswer {
  size_t session = 0;  // in the order of their first answers
  const StoredRun* run = nullptr;
  const StoredAnswer* answer = nullptr;
};

// Of each problem the last answer, in the order of the command.
std::vector<FoundAnswer> last_answers(const RecordStore& store) {
  std::map<std::string, size_t> sessions;
  std::map<std::string, size_t> problems;  // places in `found`
  std::vector<FoundAnswer> found;
  for (const StoredRun& run : store.runs) {
    if (run.answers.empty()) continue;
    const size_t session = sessions.emplace(run.head.session, sessions.size()).first->second;
    for (const StoredAnswer& answer : run.answers) {
      const std::string problem = full_text(workload_from(answer.entry));
      const auto [at, is_new] = problems.emplace(problem, found.size());
      if (is_new) found.emplace_back();
      found[at->second] = {session, &run, &answer};
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundAnswer& a, const FoundAnswer& b) {
    if (a.session != b.session) return a.session < b.session;
    return a.answer->place.index < b.answer->place.index;
  });
  return found;
}

// Lines from before the key say nothing: what the run's records say stands for it.
MeasuringMethod method_of(const FoundAnswer& found) {
  MeasuringMethod method = found.answer->method;
  if (found.answer->rounds > 0) return method;
  for (const Record& record : found.run->records) {
    if (const auto* const problem = std::get_if<ProblemRecord>(&record)) method = problem->method;
  }
  return method;
}

int64_t rounds_of(const FoundAnswer& found) {
  int64_t rounds = found.answer->rounds;
  if (rounds > 0) return rounds;
  for (const Record& record : found.run->records) {
    const auto* const time = std::get_if<TimeRecord>(&record);
    if (time != nullptr) rounds = std::max(rounds, time->round + 1);
  }
  return rounds;
}

Artefact artefact_of(std::span<const FoundAnswer> found) {
  Artefact frame;
  frame.tool_version = found.front().run->head.tool_version;
  frame.device = found.front().run->head.device;
  frame.method = method_of(found.back());
  for (const FoundAnswer& one : found) frame.rounds = std::max(frame.rounds, rounds_of(one));
  Document document = to_document(frame);
  for (const FoundAnswer& one : found) document["entries"].push_back(one.answer->entry);
  return parse_best(to_yaml(document), "the store's answers");
}

// Their times do not compare, be it of one problem or of several.
void require_one_regime(const RecordStore& store) {
  std::optional<Regime> first;
  for (const StoredRun& run : store.runs) {
    for (const StoredAnswer& answer : run.answers) {
      const Regime regime = regime_of(method_of({0, &run, &answer}));
      if (first.value_or(regime) != regime) {
        throw usage_error(
            "answers for launches that find different things in L2 (tune --regime) are not one "
            "artefact; merge them apart");
      }
      first = regime;
    }
  }
}

}  // namespace

Artefact artefact_of(const RecordStore& store) {
  const std::vector<FoundAnswer> found = last_answers(store);
  if (found.empty()) throw usage_error("no run of the store has an answer yet");
  const DeviceFingerprint& first = found.front().run->head.device;
  require_one_regime(store);
  for (const FoundAnswer& one : found) {
    if (same_architecture(first, one.run->head.device)) continue;
    throw usage_error(format("answers for {} and for {} are not one artefact; merge them apart",
                             to_string(first), to_string(one.run->head.device)));
  }
  return artefact_of(found);
}

std::map<std::string, Artefact> answers_of(const RecordStore& store) {
  std::map<std::string, Artefact> answers;
  for (const FoundAnswer& one : last_answers(store)) {
    answers.emplace(full_text(workload_from(one.answer->entry)), artefact_of({&one, 1}));
  }
  return answers;
}

int64_t unanswered_count(const RecordStore& store) {
  std::map<int64_t, std::set<int64_t>> answered;  // places, by how many problems there were
  for (const StoredRun& run : store.runs) {
    for (const StoredAnswer& answer : run.answers) {
      if (answer.place.index >= 0) answered[answer.place.count].insert(answer.place.index);
    }
  }
  int64_t missing = 0;
  for (const auto& [count, places] : answered) missing += count - std::ssize(places);
  return missing;
}

}  // namespace tilewright
