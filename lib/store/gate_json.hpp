// The gate's run for machines.
#pragma once

#include <string>

#include "gate/gate.hpp"

namespace tilewright {

/// `suite`, `mode`, `device`, `exit_code`, `counts` by verdict, `notes`, and a list of `cases`
/// {name, verdict, numbers, baseline, reference, findings}: numbers are numbers under their keys,
/// `baseline` those that they were compared with.
std::string gate_json(const std::string& suite, const Baseline& now, const GateRun& run);

}  // namespace tilewright
