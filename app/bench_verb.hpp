// tilewright bench behind its command line; tests call these functions with devices of their own.
#pragma once

#include "bench_request.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "report.hpp"

namespace tilewright {

/// Runs the configs of the only workload side by side. The code is Good; No when one did not
/// compile; WrongResult when one computed wrong results (the others are still timed and shown).
Report bench_configs(const BenchRequest& request, const ResolvedDevice& device, Console& console);

/// bench over many problems, one table: runs each problem with the artefact's choice, or all with
/// --config. A problem that the artefact lacks runs with the predicted best config, and the table
/// marks it. An error ends it after the results so far. Codes as bench_configs().
Report bench_suite(const BenchRequest& request, const ResolvedDevice& device, Console& console);

}  // namespace tilewright
