// tilewright profile access: one warp instruction on the GPU, its counters beside the prediction.

#include "profile_access_verb.hpp"

#include <optional>
#include <string>
#include <vector>

#include "access_subject.hpp"
#include "base/text.hpp"
#include "checks.hpp"
#include "job.hpp"
#include "store/access_json.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::string measured_table(const std::vector<ProbedAccess>& rows, const std::string& device,
                           bool predicted_only, int width) {
  std::string text = predicted_only ? format("{}, predicted, nothing ran\n", device)
                                    : format("{}, one warp, hardware counters\n", device);
  Table table({{"access", true, 0},
               {"op", false, 0},
               {"predicted", true, 0},
               {"measured", true, 0},
               {"", false, 0}});
  for (size_t i = 0; i < rows.size(); ++i) {
    const ProbedAccess& row = rows[i];
    const bool differs = row.measured && *row.measured != static_cast<double>(row.predicted);
    table.add_row({format("{}", i), to_string(row.op), format("{}", row.predicted),
                   row.measured ? format("{}", *row.measured) : "", differs ? "differs" : ""});
  }
  return text + table.render(width);
}

std::vector<std::string> violations(const std::vector<CheckExpression>& checks,
                                    const std::vector<ProbedAccess>& rows) {
  std::vector<std::string> violated;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<NamedNumber> numbers{{"predicted", static_cast<double>(rows[i].predicted)}};
    if (rows[i].measured) numbers.push_back({"measured", *rows[i].measured});
    for (const std::string& sentence : violated_checks(checks, numbers)) {
      violated.push_back(format("access {}: {}", i, sentence));
    }
    if (rows[i].measured && *rows[i].measured != static_cast<double>(rows[i].predicted)) {
      violated.push_back(format("access {}: predicted {} wavefronts, measured {}", i,
                                rows[i].predicted, *rows[i].measured));
    }
  }
  return violated;
}

}  // namespace

ExitCode profile_accesses(const AccessOptions& options, const ResolvedDevice& device,
                          Console& console) {
  const std::vector<CheckExpression> checks = parse_checks(options.checks);
  const std::vector<WarpAccess> accesses = read_accesses(options);
  const bool predicted_only = device.gpu_index < 0;
  std::vector<double> measured;
  if (!predicted_only) measured = device.backend->probe_wavefronts(device.gpu_index, accesses);
  std::vector<ProbedAccess> rows;
  for (size_t i = 0; i < accesses.size(); ++i) {
    rows.push_back({.op = accesses[i].op,
                    .predicted = count_wavefronts(accesses[i]).wavefronts,
                    .measured = predicted_only ? std::nullopt : std::optional(measured[i])});
  }
  const std::vector<std::string> violated = violations(checks, rows);
  console.out << (options.format == Format::Json
                      ? probed_access_json(rows, device.spec.name)
                      : measured_table(rows, device.spec.name, predicted_only,
                                       table_width(console)));
  return report_violations(violated, console);
}

ExitCode run_profile_access(const AccessOptions& options, Console& console) {
  const std::vector<WarpAccess> checked = read_accesses(options);  // before a GPU is looked for
  const ResolvedDevice device = resolve_device(options.device);
  explain_device(device, console);
  return profile_accesses(options, device, console);
}

}  // namespace tilewright
