// tilewright best: look a winner up and hand it on.

#include "base/error.hpp"
#include "base/text.hpp"
#include "job.hpp"
#include "store/best_table.hpp"
#include "store/exports.hpp"
#include "store/measured_json.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

Export export_of(const TuneEntry& entry, const Artefact& artefact,
                 const std::string& export_format) {
  if (export_format == "config") return {.text = to_string(entry.choice) + "\n", .unsaid = {}};
  if (export_format == "yaml") return {.text = tune_yaml(entry), .unsaid = {}};
  if (export_format == "json") return {.text = tune_json(entry), .unsaid = {}};
  if (export_format == "cpp") return export_cpp(artefact);
  if (export_format == "cutlass") return export_cutlass(entry);
  return export_format == "triton" ? export_triton(entry) : export_nvfuser(entry);
}

void require_known_export(const std::string& export_format) {
  for (const std::string_view known : kExports) {
    if (known == export_format) return;
  }
  throw usage_error(format("unknown export '{}'{}; known are {}", export_format,
                           did_you_mean(export_format, kExports), join_words(kExports, "and")));
}

void explain_missing(const Artefact& artefact, const Workload& problem, const std::string& from,
                     std::ostream& err) {
  err << format("{} has no entry for {}", from, to_string(problem));
  const TuneEntry* const nearest = nearest_entry(artefact, problem);
  if (nearest == nullptr) {
    err << "; it has no entries at all\n";
    return;
  }
  err << format("; the nearest is {}. It has:\n", to_string(nearest->problem));
  for (const TuneEntry& entry : artefact.entries) {
    err << "  " << to_string(entry.problem) << '\n';
  }
}

}  // namespace

ExitCode run_best(const BestOptions& options, Console& console) {
  require_known_export(options.export_format);
  const Workload problem = read_runnable_one(options.problem, options.kind);
  const Artefact artefact = load_best(options.from);
  const TuneEntry* const entry = find_entry(artefact, problem);
  if (entry == nullptr) {
    explain_missing(artefact, problem, options.from, console.err);
    return ExitCode::No;
  }
  if (entry->problem != problem) {
    console.err << format("tuned for another routing of this layer: {}\n",
                          to_string(entry->problem));
  }
  if (!entry->timing) {
    console.err << format("predicted for {}; nothing ran\n", artefact.device.name);
  }
  const Export answer = export_of(*entry, artefact, options.export_format);
  for (const std::string& line : answer.unsaid) {
    console.err << format("{} cannot say: {}\n", options.export_format, line);
  }
  console.out << answer.text;
  return answer.text.empty() ? ExitCode::No : ExitCode::Good;
}

}  // namespace tilewright
