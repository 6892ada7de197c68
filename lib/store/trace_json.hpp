// A kernel's own trace, for machines.
#pragma once

#include <string>

#include "search/runner.hpp"

namespace tilewright {

/// `problem`, `config`, `slots` and `records`: list of {`cta`, `sm`, `slot`, `m`, `n`, `inside`,
/// `start_ns`, `end_ns`}, times from the first start.
std::string trace_json(const Problem& problem, const TileConfig& config, const KernelTrace& trace);

}  // namespace tilewright
