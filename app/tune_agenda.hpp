// What a tune has to do of its share of the problems, and what was answered before.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "earlier_runs.hpp"
#include "tune_share.hpp"
#include "tuner_pool.hpp"

namespace tilewright {

/// Each place of the share is in one of them.
struct TuneAgenda {
  std::vector<TunerPool::Task> tasks;    // in the order of the problems
  std::map<size_t, EarlierAnswer> kept;  // by place
};

/// What another device or another rank has answered is kept. A device that answered a problem
/// itself, in the store `own`, has it again: all of its launches come from the store.
TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const std::string& own, const TunerPool& pool);

}  // namespace tilewright
