// What the command line asks of profile, in the library's types.
#pragma once

#include <optional>
#include <string>

#include "host/harness_files.hpp"
#include "request/options.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Every text of the options is parsed, and a file of problems is read.
struct ProfileRequest : ProfileSettings {
  Workload workload;
  ConfigRequest config;
  std::optional<HarnessRequest> harness;  // none: our kernel
  std::string requested;                  // --config or --harness as given
};

/// Parses the options once. Throws a usage error for a text that is malformed, and for options that
/// contradict each other.
ProfileRequest read_profile(const ProfileOptions& options);

}  // namespace tilewright
