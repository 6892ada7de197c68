// tilewright bench behind its command line; tests call it with devices of their own.
#pragma once

#include "host/console.hpp"
#include "host/devices.hpp"
#include "render/report.hpp"
#include "request/bench_request.hpp"

namespace tilewright {

/// Runs the configs of the request's workload side by side. Of several workloads, or with an
/// artefact, each runs with the artefact's choice or with the only config, in one table: a problem
/// that the artefact lacks runs with the predicted best config, and the table marks it. The code is
/// Good; No when a config did not compile; WrongResult when one computed wrong results (the others
/// are still timed and shown). An error ends it after the results so far.
Report bench_on(const ResolvedDevice& device, const BenchRequest& request, Console& console);

}  // namespace tilewright
