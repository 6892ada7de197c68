// tilewright profile behind its command line; tests call these functions with devices of their own.
#pragma once

#include <vector>

#include "base/check_expression.hpp"
#include "host/console.hpp"
#include "host/devices.hpp"
#include "layout/smem/wavefronts.hpp"
#include "render/report.hpp"
#include "request/profile_request.hpp"

namespace tilewright {

/// One config's counters beside their predictions. Throws Environment where counters are not
/// permitted, and for a trace on a preset; WrongResult for a wrong kernel; No for one that does not
/// compile.
Report profile_config(const ProfileRequest& request, const ResolvedDevice& device,
                      Console& console);

/// profile access: each access's predicted wavefronts beside those that the hardware counted; a
/// preset only predicts. A measurement that differs from its prediction counts as a violated check.
/// Throws Environment where counters are not permitted.
Report profile_accesses(const std::vector<WarpAccess>& accesses,
                        const std::vector<CheckExpression>& checks, const ResolvedDevice& device);

}  // namespace tilewright
