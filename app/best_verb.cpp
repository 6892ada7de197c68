// tilewright best: look a winner up and hand it on.

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "job.hpp"
#include "search/rank.hpp"
#include "store/best_table.hpp"
#include "store/dispatch.hpp"
#include "store/exports.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

Export export_of(const Dispatched& answer, const Artefact& artefact,
                 const std::string& export_format) {
  const TuneEntry& entry = answer.entry;
  if (export_format == "config") return {.text = to_string(entry.choice) + "\n", .unsaid = {}};
  if (export_format == "yaml") return {.text = to_yaml(to_document(answer)), .unsaid = {}};
  if (export_format == "json") return {.text = to_json(to_document(answer)), .unsaid = {}};
  if (export_format == "cpp") return export_cpp(artefact, answer);
  if (export_format == "cutlass") return export_cutlass(answer);
  return export_format == "triton" ? export_triton(answer) : export_nvfuser(answer);
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

// What was measured around a product that was not.
std::string measured_text(const Dispatched& answer) {
  const Bucket* const bucket = answer.measured;
  if (bucket == nullptr) return answer.tried == nullptr ? "nothing ran" : "no range names it";
  return format("around it {:.1f} % behind the best at worst, measured on {} shape{} by {}",
                100 * bucket->worst_regret, bucket->trials, bucket->trials == 1 ? "" : "s",
                bucket->date);
}

// The entry of this problem, else what the winners of others make of it; nothing where it has none.
std::optional<Dispatched> answer_for(const Artefact& artefact, const Workload& problem,
                                     const std::string& from, std::ostream& err) {
  if (const TuneEntry* const entry = find_entry(artefact, problem)) {
    const bool exact = entry->problem == problem;
    if (!exact) {
      err << format("tuned for another routing of this layer: {}\n", to_string(entry->problem));
    }
    if (!entry->timing) err << format("predicted for {}; nothing ran\n", artefact.device.name);
    return Dispatched{.entry = *entry,
                      .source = exact ? Source::Tuned : Source::Dispatched,
                      .from = entry->problem,
                      .predicted_regret = std::nullopt,
                      .measured = nullptr};
  }
  const std::optional<DeviceSpec> device = device_of(artefact);
  if (!device) return std::nullopt;
  std::optional<Dispatched> answer = dispatch(artefact, problem, *device);
  if (!answer) return answer;
  err << format("{} was not tuned in {}: {}, predicted {:.1f} % behind the model's best; {}\n",
                to_string(problem), from, origin_text(*answer), 100 * *answer->predicted_regret,
                measured_text(*answer));
  return answer;
}

}  // namespace

namespace {

// What is to be the answer, whoever finds another one later.
TuneEntry pinned_row(const BestOptions& options, const Artefact& artefact, const Workload& problem,
                     std::ostream& err) {
  if (options.config.empty()) {
    const std::optional<Dispatched> found = answer_for(artefact, problem, options.from, err);
    if (found) return found->entry;
    throw usage_error(format("{} has no answer for {}: name one with --config", options.from,
                             to_string(problem)));
  }
  const std::optional<DeviceSpec> device = device_of(artefact);
  if (!device) {
    throw environment_error(format("{} is of {}, of which there is no preset", options.from,
                                   to_string(artefact.device)));
  }
  TuneEntry row;
  row.problem = problem;
  row.choice = complete_config(parse_config(options.config), problem, *device);
  row.predicted = estimate(make_plan(problem, row.choice, *device), *device);
  row.determinism = determinism_of(row.choice.decomposition);
  const TuneEntry* const known = find_entry(artefact, problem);
  const bool is_same = known != nullptr && known->problem == problem && known->choice == row.choice;
  return is_same ? *known : row;
}

void pin(const BestOptions& options, Artefact& artefact, const Workload& problem,
         std::ostream& err) {
  if (options.from == "-") throw usage_error("--pin writes into a file: name it with --from");
  TuneEntry row = pinned_row(options, artefact, problem, err);
  row.problem = problem;
  row.pinned = true;
  keep_pinned(artefact, {row});
  write_file(options.from, print_best(artefact));
  err << format("{}: pinned in {}\n", to_string(problem), options.from);
}

}  // namespace

ExitCode run_best(const BestOptions& options, Console& console) {
  require_known_export(options.export_format);
  if (!options.config.empty() && !options.pin) throw usage_error("--config goes with --pin");
  const Workload problem = read_runnable_one(options.problem, options.kind);
  Artefact artefact = load_best(options.from);
  if (options.pin) pin(options, artefact, problem, console.err);
  const std::optional<Dispatched> found = answer_for(artefact, problem, options.from, console.err);
  if (!found) {
    explain_missing(artefact, problem, options.from, console.err);
    return ExitCode::No;
  }
  const Export answer = export_of(*found, artefact, options.export_format);
  for (const std::string& line : answer.unsaid) {
    console.err << format("{} cannot say: {}\n", options.export_format, line);
  }
  console.out << answer.text;
  return answer.text.empty() ? ExitCode::No : ExitCode::Good;
}

}  // namespace tilewright
