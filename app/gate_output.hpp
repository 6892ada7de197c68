// Writes the gate's results: the report, files for CI systems, annotations.
#pragma once

#include <span>
#include <string>

#include "console.hpp"
#include "gate/gate.hpp"
#include "options.hpp"

namespace tilewright {

/// Throws a usage error unless every output file can be written, none is also an input or written
/// twice, and at most one output goes to standard output.
void check_outputs(const GateOptions& options);

/// Prints the report and writes the files that the options name.
void write_outputs(const GateOptions& options, const Baseline& now, const GateRun& run,
                   Console& console);

/// Writes the cases with the verdict `wanted` into the baseline's file with their present values,
/// and changes their verdicts to Changed; other cases stay byte for byte.
void rerecord(const GateOptions& options, const Baseline& before, const Baseline& now,
              Verdict wanted, GateRun& run, Console& console);

/// Writes the baseline if every case is good, and reports that on stderr. With --case only those
/// cases change, if the file exists.
void update_baseline(const GateOptions& options, const Baseline& now, const GateRun& run,
                     Console& console);

/// The gate's verdicts for people: failures first, each with its findings or, without findings, its
/// numbers; then `notes`, and a line of counts last. Lines have at most `width` columns.
std::string gate_report(std::span<const CaseVerdict> verdicts, std::span<const std::string> notes,
                        size_t width, bool color);

}  // namespace tilewright
