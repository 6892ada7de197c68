// tilewright profile behind its command line; tests call these functions with devices of their own.
#pragma once

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "profile_request.hpp"

namespace tilewright {

/// Prints one config's counters beside their predictions. Throws Environment where counters are not
/// permitted, and for a trace on a preset; WrongResult for a wrong kernel; No for one that does not
/// compile.
ExitCode profile_config(const ProfileRequest& request, const ResolvedDevice& device,
                        Console& console);

/// Prints the workload's counters of the foreign kernel `request.harness`, and the DRAM reads that
/// the replay of its mapping predicts, if it has one. It records no trace. On host memory it only
/// has a time. Throws as profile_config().
ExitCode profile_harness(const ProfileRequest& request, Console& console);

/// profile access: prints each access's predicted wavefronts beside those that the hardware
/// counted; a preset only predicts. Returns No where a measurement differs from its prediction or a
/// check is violated; throws Environment where counters are not permitted.
ExitCode profile_accesses(const AccessOptions& options, const ResolvedDevice& device,
                          Console& console);

}  // namespace tilewright
