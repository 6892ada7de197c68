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

/// Keeps all answers. A problem without one goes to the device that began it, if there is one.
TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const TunerPool& pool);

}  // namespace tilewright
