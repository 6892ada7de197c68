// The gate's run for machines.
#pragma once

#include <string>

#include "search/gate.hpp"

namespace tilewright {

/// `suite`, `mode`, `device`, `exit_code`, and a list of `cases` {name, verdict, numbers,
/// findings}.
std::string gate_json(const std::string& suite, const Baseline& now,
                      std::span<const CaseVerdict> verdicts, ExitCode code);

}  // namespace tilewright
