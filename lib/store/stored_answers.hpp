// What the runs of a store answered, as artefacts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "store/best_table.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// The answers of all runs as one artefact: of each problem the last one, in the order of the
/// command, commands one behind the other. Throws a usage error where they come of different kinds
/// of devices, or there are none.
Artefact artefact_of(const RecordStore& store);

/// Each of them as an artefact of one entry, by problem (full_text).
std::map<std::string, Artefact> answers_of(const RecordStore& store);

/// How many problems of the store's commands have no answer, as far as the answers' places say.
int64_t unanswered_count(const RecordStore& store);

}  // namespace tilewright
