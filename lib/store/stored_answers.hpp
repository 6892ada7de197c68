// Makes artefacts from the answers in a store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/best_table.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// The answers of all runs as one artefact: for each problem the answer with the best evidence
/// (timed, verified, most rounds, narrowest interval, most configs measured), independent of the
/// order of the runs, and likewise for each problem and harness. Problems are in the order of their
/// command, commands one after the other.
/// Throws a usage error if runs are of different GPU models or answers of different regimes, or if
/// there is no answer.
Artefact artefact_of(const RecordStore& store);

/// An answer and the run that gave it.
struct RunAnswer {
  TuneEntry entry;
  std::string run;
};

/// An answer that artefact_of() leaves out, and the answer to the same problem that it keeps.
struct DroppedAnswer {
  RunAnswer kept;
  RunAnswer dropped;
  std::string why;  // the rule by which `kept` has the better evidence
};

/// All answers that differ from the kept answer, by problem.
std::vector<DroppedAnswer> dropped_answers(const RecordStore& store);

/// The kept answers, each as an artefact with one entry, by problem (full_text).
std::map<std::string, Artefact> answers_of(const RecordStore& store);

/// The origins of all answers of all runs.
std::vector<Origin> origins_of(const RecordStore& store);

/// The number of problems of the store's commands that have no answer, as far as the answers'
/// places show.
int64_t unanswered_count(const RecordStore& store);

}  // namespace tilewright
