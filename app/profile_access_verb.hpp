// tilewright profile access, after its device was resolved: what the tests call with their own.
#pragma once

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"

namespace tilewright {

/// Prints each access's predicted wavefronts beside those that the hardware counted; a preset only
/// predicts. No where a measurement differs from its prediction or a check is violated; throws
/// Environment where counters are not permitted.
ExitCode profile_accesses(const AccessOptions& options, const ResolvedDevice& device,
                          Console& console);

}  // namespace tilewright
