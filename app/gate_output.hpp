// Where the gate's answers go: the report, files for CI systems, annotations.
#pragma once

#include <span>
#include <string>

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

/// Writes the cases with the verdict `wanted` into the baseline's file as they are now, and turns
/// their verdicts into Changed; other cases stay byte for byte.
void rerecord(const GateOptions& options, const Baseline& before, const Baseline& now,
              Verdict wanted, GateRun& run, Console& console);

/// Writes the baseline where every case is good, and says what was done on stderr. Of a part of a
/// suite, those cases alone where there is a file.
void update_baseline(const GateOptions& options, const Baseline& now, const GateRun& run,
                     Console& console);

/// The gate's verdicts for people. Verdicts with their findings or, where there are none, their
/// numbers, failures first; then what `notes` say, and a line of counts last. Lines have at most
/// `width` columns.
std::string gate_report(std::span<const CaseVerdict> verdicts, std::span<const std::string> notes,
                        size_t width, bool color);

}  // namespace tilewright
