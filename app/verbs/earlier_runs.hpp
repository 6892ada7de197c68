// Reads from stores what a resumed tune can reuse: earlier runs with the same request, and their
// answers.
#pragma once

#include <map>
#include <string>

#include "host/console.hpp"
#include "host/devices.hpp"
#include "request/tune_request.hpp"
#include "request/tune_share.hpp"
#include "store/best_table.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// The answer for a problem.
struct EarlierAnswer {
  std::string store;  // where the answer is stored
  Artefact artefact;  // has one entry
};

/// Runs with the same request, on devices of the same kind.
struct EarlierRuns {
  RecordStore runs;
  std::map<std::string, EarlierAnswer> answers;  // by problem (full_text)
};

/// Reads the store that --resume goes on from, and reports what of it is left out. Throws a usage
/// error if it does not exist or is not a store.
RecordStore read_resumed_store(const std::string& path, const Console& console);

/// Reads the earlier runs from this rank's store and from those of the other ranks. This rank's
/// store may be absent, because its process may have died before it wrote anything. Reports what it
/// skips and what is missing. Throws a usage error where no store exists, and where this rank's
/// file is not a store.
EarlierRuns read_earlier_runs(const TuneRequest& request, const TuneShare& share,
                              const ResolvedDevice& device, const Console& console);

}  // namespace tilewright
