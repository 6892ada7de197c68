// What the command line asks of tune, in the library's types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/harness_files.hpp"
#include "host/launcher.hpp"
#include "request/options.hpp"
#include "search/requirement.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "search/strategy.hpp"
#include "search/tuner.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Every text of the options is parsed, and every file of problems is read.
struct TuneRequest : TuneSettings {
  std::vector<Workload> problems;  // a kernel family runs each; a search takes each once
  size_t repeated = 0;             // problems that were listed again, also under aliases
  std::vector<size_t> indices;     // the problems that this rank searches
  ConfigRequest config;            // the keys that every candidate must have
  ConfigRequest incumbent;         // it wins ties; a whole config unless a harness is tuned
  std::string spelled;  // --config and --incumbent as given, which are part of a session's name
  Rank rank;
  std::optional<HarnessRequest> harness;  // none: our kernels
  uint64_t seed = 1;
};

/// Parses the options once. Throws a usage error for a text that is malformed, for files that
/// overwrite each other, and for options that contradict each other.
TuneRequest read_tune(const TuneOptions& options);

/// Throws a usage error for options that limit or steer measurements, where nothing is measured.
void require_search(const TuneRequest& request, const std::string& why_not);

/// The strategy's name; empty where the request names none.
std::string_view strategy_name(const TuneRequest& request);

/// The policy of the request's searches.
TunePolicy policy_of(const TuneRequest& request);

}  // namespace tilewright
