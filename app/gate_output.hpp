// Where the gate's answers go: the report, files for CI systems, annotations.
#pragma once

#include "console.hpp"
#include "gate/gate.hpp"
#include "options.hpp"

namespace tilewright {

/// Throws a usage error unless every file that these options write can be written, none is also
/// read or written twice, and at most one thing goes to standard output.
void check_outputs(const GateOptions& options);

/// Prints and writes what the options ask for.
void write_outputs(const GateOptions& options, const Baseline& now, const GateRun& run,
                   Console& console);

/// Writes the baseline where every case is good, and says what was done on stderr.
void update_baseline(const GateOptions& options, const Baseline& now, const GateRun& run,
                     Console& console);

}  // namespace tilewright
