// The gate's results as JSON.
#pragma once

#include <string>

#include "gate/gate.hpp"

namespace tilewright {

/// `suite`, `mode`, `device`, `exit_code`, `counts` by verdict, `notes`, and a list of
/// `cases` {name, verdict, numbers, reference, findings}. Each number has `recorded` (the
/// baseline's value), `baseline_today` (the baseline's config by today's code) and `now`.
std::string gate_json(const std::string& suite, const Baseline& now, const GateRun& run);

}  // namespace tilewright
