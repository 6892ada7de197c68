// What the runs of a store answered, as artefacts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/best_table.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// The answers of all runs as one artefact: of each problem the one with the best evidence (timed,
/// verified, most rounds, narrowest interval, most configs measured), whichever order the runs are
/// in; in the order of the command, commands one behind the other. Throws a usage error where runs
/// are of different GPU models or answers of different regimes, or there are none.
Artefact artefact_of(const RecordStore& store);

/// An answer and the run that gave it.
struct RunAnswer {
  TuneEntry entry;
  std::string run;
};

/// An answer that artefact_of() leaves out, and the one of its problem that stands there.
struct DroppedAnswer {
  RunAnswer kept;
  RunAnswer dropped;
  std::string why;  // the first has the better evidence, or which rule decides between equals
};

/// All that are not the same as those kept, by problem.
std::vector<DroppedAnswer> dropped_answers(const RecordStore& store);

/// Each of them as an artefact of one entry, by problem (full_text).
std::map<std::string, Artefact> answers_of(const RecordStore& store);

/// The origins of all answers of all runs.
std::vector<Origin> origins_of(const RecordStore& store);

/// How many problems of the store's commands have no answer, as far as the answers' places say.
int64_t unanswered_count(const RecordStore& store);

}  // namespace tilewright
