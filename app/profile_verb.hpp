// tilewright profile, after its words were read: what the tests call with devices of their own.
#pragma once

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Prints one config's counters beside their predictions. Throws Environment where counters are
/// not permitted or a trace is asked of a preset, WrongResult for a wrong kernel, No for one that
/// does not compile.
ExitCode profile_config(const ProfileOptions& options, const Problem& problem,
                        const ResolvedDevice& device, Console& console);

}  // namespace tilewright
