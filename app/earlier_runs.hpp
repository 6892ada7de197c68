// What a tune that is resumed finds in stores: runs like it, and what they answered.
#pragma once

#include <map>
#include <string>

#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "store/best_table.hpp"
#include "store/record_store.hpp"
#include "tune_share.hpp"

namespace tilewright {

/// The answer of a problem.
struct EarlierAnswer {
  std::string store;  // that it stands in
  Artefact artefact;  // of one entry
};

/// Runs with the same options, on devices of the same kind.
struct EarlierRuns {
  RecordStore runs;
  std::map<std::string, EarlierAnswer> answers;  // by problem (full_text)
};

/// What runs like this one left in this rank's store, which may have died before its first word,
/// and in the others'. Talks of what it leaves out and of what is missing. Throws a usage error
/// where there is no store at all, and one for this rank's store that is none.
EarlierRuns read_earlier_runs(const TuneOptions& options, const TuneShare& share,
                              const ResolvedDevice& device, const Console& console);

}  // namespace tilewright
