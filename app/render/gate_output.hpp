// Writes the gate's results: the report, files for CI systems, annotations.
#pragma once

#include <span>
#include <string>

#include "gate/gate.hpp"
#include "host/console.hpp"
#include "render/report.hpp"
#include "request/gate_request.hpp"

namespace tilewright {

/// Renders a run in every form that the request names: shows the report, and writes JUnit XML, the
/// annotations and the summary.
void write_outputs(const GateRequest& request, const Baseline& now, const GateRun& run,
                   const ReportSink& show, Console& console);

/// Writes the cases with the verdict `wanted` into the baseline's file with their present values,
/// and changes their verdicts to Changed; other cases stay byte for byte.
void rerecord(const GateRequest& request, const Baseline& before, const Baseline& now,
              Verdict wanted, GateRun& run, Console& console);

/// Writes the baseline if every case is good, and reports that on stderr. With --case only those
/// cases change, if the file exists.
void update_baseline(const GateRequest& request, const Baseline& now, const GateRun& run,
                     Console& console);

/// The gate's verdicts for people: failures first, each with its findings or, without findings, its
/// numbers; then `notes`, and a line of counts last. Lines have at most `width` columns.
std::string gate_report(std::span<const CaseVerdict> verdicts, std::span<const std::string> notes,
                        size_t width, bool color);

}  // namespace tilewright
