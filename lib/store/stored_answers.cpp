#include "store/stored_answers.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/evidence.hpp"

namespace tilewright {
namespace {

struct FoundAnswer {
  size_t session = 0;  // in the order of their first answers
  const StoredRun* run = nullptr;
  const StoredAnswer* answer = nullptr;
};

// The answer with the best evidence for each problem, in the order of the command. Calls drop(kept,
// dropped) for every other answer that differs.
template <typename Drop>
std::vector<FoundAnswer> best_answers(const RecordStore& store, const Drop& drop) {
  std::map<std::string, size_t> sessions;
  std::map<std::string, size_t> places;
  std::vector<std::vector<FoundAnswer>> problems;  // in the order of their first answers
  for (const StoredRun& run : store.runs) {
    if (run.answers.empty()) continue;
    const size_t session = sessions.emplace(run.head.session, sessions.size()).first->second;
    for (const StoredAnswer& answer : run.answers) {
      const auto place = places.emplace(full_text(answer.entry.problem), problems.size());
      if (place.second) problems.emplace_back();
      problems[place.first->second].push_back({session, &run, &answer});
    }
  }
  std::vector<FoundAnswer> found;
  for (std::vector<FoundAnswer>& answers : problems) {
    std::stable_sort(answers.begin(), answers.end(),
                     [](const FoundAnswer& a, const FoundAnswer& b) {
                       return has_better_evidence(a.answer->entry, b.answer->entry);
                     });
    found.push_back(answers.front());
    for (const FoundAnswer& answer : std::span(answers).subspan(1)) {
      const bool is_same = answer.answer->entry == found.back().answer->entry;
      if (!is_same) drop(found.back(), answer);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundAnswer& a, const FoundAnswer& b) {
    if (a.session != b.session) return a.session < b.session;
    return a.answer->place.index < b.answer->place.index;
  });
  return found;
}

std::vector<FoundAnswer> best_answers(const RecordStore& store) {
  return best_answers(store, [](const FoundAnswer&, const FoundAnswer&) {});
}

// The answer with the best evidence for each problem and harness, in the order of their first ones.
std::vector<ForeignEntry> best_foreign(const RecordStore& store) {
  std::map<std::string, size_t> places;
  std::vector<ForeignEntry> found;
  for (const StoredRun& run : store.runs) {
    for (const StoredForeignAnswer& answer : run.foreign) {
      const std::string name =
          format("{} {}", answer.entry.choice.harness, full_text(answer.entry.problem));
      const auto place = places.emplace(name, found.size());
      if (place.second) {
        found.push_back(answer.entry);
      } else if (ForeignEntry& kept = found[place.first->second];
                 has_better_evidence(answer.entry, kept)) {
        kept = answer.entry;
      }
    }
  }
  return found;
}

Artefact artefact_of(std::span<const FoundAnswer> found) {
  Artefact artefact;
  artefact.tool_version = found.front().run->head.tool_version;
  artefact.device = found.front().run->head.device;
  artefact.method = found.back().answer->entry.origin->method;
  for (const FoundAnswer& one : found) {
    artefact.entries.push_back(one.answer->entry);
    artefact.rounds = std::max(artefact.rounds, one.answer->entry.origin->rounds);
  }
  return artefact;
}

// Times of different regimes are not comparable, neither for one problem nor between problems.
void require_one_regime(const RecordStore& store) {
  std::optional<Regime> first;
  for (const Origin& origin : origins_of(store)) {
    const Regime regime = regime_of(origin.method);
    if (first.value_or(regime) != regime) {
      throw usage_error(
          "one artefact cannot hold the answers of several --regime of tune: merge the stores of "
          "each regime separately");
    }
    first = regime;
  }
}

// Applies to all runs, even those without an answer.
void require_one_model(const RecordStore& store) {
  for (const StoredRun& run : store.runs) {
    const DeviceFingerprint& first = store.runs.front().head.device;
    if (same_model(first, run.head.device)) continue;
    throw usage_error(
        format("one artefact cannot hold runs on {} and on {}: merge the stores of each GPU model "
               "separately, each into its own --best",
               to_string(first), to_string(run.head.device)));
  }
}

}  // namespace

Artefact artefact_of(const RecordStore& store) {
  const std::vector<FoundAnswer> found = best_answers(store);
  std::vector<ForeignEntry> foreign = best_foreign(store);
  if (found.empty() && foreign.empty()) throw usage_error("no run of the store has an answer yet");
  require_one_model(store);
  require_one_regime(store);
  Artefact artefact;
  if (!found.empty()) {
    artefact = artefact_of(found);
  } else {
    artefact.tool_version = store.runs.front().head.tool_version;
    artefact.device = store.runs.front().head.device;
    artefact.method = foreign.back().origin.method;
  }
  for (const ForeignEntry& entry : foreign) {
    artefact.rounds = std::max(artefact.rounds, entry.origin.rounds);
  }
  artefact.foreign = std::move(foreign);
  return artefact;
}

std::vector<DroppedAnswer> dropped_answers(const RecordStore& store) {
  std::vector<DroppedAnswer> dropped;
  best_answers(store, [&dropped](const FoundAnswer& kept, const FoundAnswer& other) {
    dropped.push_back({{kept.answer->entry, kept.run->head.run},
                       {other.answer->entry, other.run->head.run},
                       std::string(why_better(kept.answer->entry, other.answer->entry))});
  });
  return dropped;
}

std::map<std::string, Artefact> answers_of(const RecordStore& store) {
  std::map<std::string, Artefact> answers;
  for (const FoundAnswer& one : best_answers(store)) {
    answers.emplace(full_text(one.answer->entry.problem), artefact_of({&one, 1}));
  }
  return answers;
}

std::vector<Origin> origins_of(const RecordStore& store) {
  std::vector<Origin> origins;
  for (const StoredRun& run : store.runs) {
    for (const StoredAnswer& answer : run.answers) origins.push_back(*answer.entry.origin);
    for (const StoredForeignAnswer& answer : run.foreign) origins.push_back(answer.entry.origin);
  }
  return origins;
}

int64_t unanswered_count(const RecordStore& store) {
  // Places, by the number of problems of the command and the harness that it searched.
  std::map<std::pair<int64_t, std::string>, std::set<int64_t>> answered;
  const auto add = [&answered](const ProblemPosition& place, const std::string& harness) {
    if (place.index >= 0) answered[{place.count, harness}].insert(place.index);
  };
  for (const StoredRun& run : store.runs) {
    for (const StoredAnswer& answer : run.answers) add(answer.place, "");
    for (const StoredForeignAnswer& answer : run.foreign) {
      add(answer.place, answer.entry.choice.harness);
    }
  }
  int64_t missing = 0;
  for (const auto& [command, places] : answered) missing += command.first - std::ssize(places);
  return missing;
}

}  // namespace tilewright
