// Divides a tune's share of the problems into those to search and those already answered.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "earlier_runs.hpp"
#include "tune_share.hpp"
#include "tuner_pool.hpp"

namespace tilewright {

/// Each index of the share is in exactly one of the two.
struct TuneAgenda {
  std::vector<TunerPool::Task> tasks;    // in the order of the problems
  std::map<size_t, EarlierAnswer> kept;  // by index
};

/// Keeps the answers of other devices and other ranks. A device that answered a problem itself, in
/// the store `own`, gets the problem again: all of its launches then come from the store.
TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const std::string& own, const TunerPool& pool);

}  // namespace tilewright
