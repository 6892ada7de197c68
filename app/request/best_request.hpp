// What the command line asks of best, in the library's types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "request/options.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Every text of the options is parsed, and a file of problems is read.
struct BestRequest : BestSettings {
  std::vector<Workload> products;       // a kernel family runs each; one, except for Vllm
  std::optional<ConfigRequest> config;  // with pin: the answer from now on; none: unchanged
};

/// The value of --export of this name. Throws a usage error.
BestExport parse_best_export(const std::string& name);

/// Parses the options once. Throws a usage error for a text that is malformed, and for options that
/// contradict each other.
BestRequest read_best(const BestOptions& options);

}  // namespace tilewright
