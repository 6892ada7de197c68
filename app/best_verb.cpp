// tilewright best: looks up a winner and exports it.

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "best_vllm.hpp"
#include "exchange/exports.hpp"
#include "job.hpp"
#include "search/complete.hpp"
#include "search/rank.hpp"
#include "store/among_answer.hpp"
#include "store/best_table.hpp"
#include "store/dispatch.hpp"
#include "store/foreign_entry.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

// `document` is the answer's JSON.
Export export_of(const Dispatched& answer, const Document& document, const Artefact& artefact,
                 const std::string& export_format) {
  const TuneEntry& entry = answer.entry;
  if (export_format == "config") return {.text = to_string(entry.choice) + "\n", .unsupported = {}};
  if (export_format == "yaml") {
    return {.text = commented(note_lines(answer), "# ") + to_yaml(document), .unsupported = {}};
  }
  if (export_format == "json") return {.text = to_json(document), .unsupported = {}};
  if (export_format == "cpp") return export_cpp(artefact, answer);
  if (export_format == "cutlass") return export_cutlass(answer);
  return export_format == "triton" ? export_triton(answer) : export_nvfuser(answer);
}

void require_known_export(const std::string& export_format) {
  for (const std::string_view known : kExports) {
    if (known == export_format) return;
  }
  throw usage_error(format("unknown export '{}'{}; --export takes {}", export_format,
                           did_you_mean(export_format, kExports), join_words(kExports, "and")));
}

// The rule that rejects all configs of the problem; empty where a config passes.
std::string refusal_of(const Workload& problem, const DeviceSpec& device) {
  try {
    complete_config({}, problem, device);
  } catch (const Error& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    return error.what();
  }
  return "";
}

void explain_missing(const Artefact& artefact, const Workload& problem, const std::string& from,
                     const Console& console) {
  const std::string missing = format("{} has no entry for {}", from, to_string(problem));
  const std::optional<DeviceSpec> device = device_of(artefact);
  const std::string refusal = device ? refusal_of(problem, *device) : "";
  if (!refusal.empty()) {
    console.note(format("{}, and no config is legal: {}", missing, refusal));
    return;
  }
  const TuneEntry* const nearest = nearest_entry(artefact, problem);
  if (nearest == nullptr) {
    const std::string kind = is_triangular(problem) ? to_string(problem.op) : "product";
    console.note(format("{}; it has no entry of any {}", missing, kind));
    return;
  }
  console.note(
      format("{}; the nearest is {}. Its entries are:", missing, to_string(nearest->problem)));
  for (const TuneEntry& entry : artefact.entries) {
    if (entry.problem.op == problem.op) console.note("  " + to_string(entry.problem));
  }
}

// Measurements near a product that was not measured itself.
std::string measured_text(const Dispatched& answer) {
  const Bucket* const bucket = answer.bucket;
  if (bucket == nullptr)
    return answer.trial == nullptr ? "nothing ran" : "no tuned range contains it";
  return format(
      "in its range {:.1f} % slower than the best config at worst, measured on {} shape{} by {}",
      100 * bucket->worst_regret, bucket->trials, bucket->trials == 1 ? "" : "s", bucket->date);
}

// The problem's own entry, else the dispatch from other entries' winners; empty without either.
std::optional<Dispatched> answer_for(const Artefact& artefact, const Workload& problem,
                                     const std::string& from, const Console& console) {
  if (const TuneEntry* const entry = find_entry(artefact, problem)) {
    const bool exact = entry->problem == problem;
    if (!exact) {
      console.note(format("the entry was tuned for another distribution of this layer's rows: {}",
                          to_string(entry->problem)));
    }
    TuneEntry answer = *entry;
    if (answer.timing) answer.origin = origin_of(answer, artefact);
    if (!entry->timing) console.note(format("predicted for {}; nothing ran", artefact.device.name));
    return Dispatched{.entry = std::move(answer),
                      .source = exact ? DispatchSource::Tuned : DispatchSource::Dispatched,
                      .from = entry->problem,
                      .tuned_entry = entry};
  }
  const std::optional<DeviceSpec> device = device_of(artefact);
  if (!device) return std::nullopt;
  std::optional<Dispatched> answer = dispatch(artefact, problem, *device);
  if (!answer) return answer;
  const bool is_model_s = answer->source == DispatchSource::Fallback && answer->trial == nullptr;
  const std::string regret =
      is_model_s ? ""
                 : format(", predicted {:.1f} % slower than the model's best config",
                          100 * *answer->predicted_regret);
  console.note(format("{} was not tuned in {}: {}{}; {}", to_string(problem), from,
                      origin_text(*answer), regret, measured_text(*answer)));
  return answer;
}

// The row to pin. It stays the answer even if a later tune finds a faster one.
TuneEntry pinned_row(const BestOptions& options, const Artefact& artefact, const Workload& problem,
                     const Console& console) {
  if (options.config.empty()) {
    const std::optional<Dispatched> found = answer_for(artefact, problem, options.from, console);
    if (found) return found->entry;
    throw usage_error(format("{} has no answer for {}: give a config with --config", options.from,
                             to_string(problem)));
  }
  const std::optional<DeviceSpec> device = device_of(artefact);
  if (!device) {
    throw environment_error(
        format("{} was made on {}, and no preset describes that device: add a device file to "
               "presets/devices",
               options.from, to_string(artefact.device)));
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
         const Console& console) {
  if (options.from == "-") throw usage_error("--pin writes to a file: give its name with --from");
  TuneEntry row = pinned_row(options, artefact, problem, console);
  row.problem = problem;
  row.pinned = true;
  {
    // Another process may have written the file since the lookup: keep its entries.
    const FileLock lock(options.from);
    artefact = load_best(options.from);
    keep_pinned(artefact, {row});
    write_file(options.from, print_best(artefact));
  }
  console.note(format("{}: pinned in {}", to_string(problem), options.from));
}

ExitCode print_answer(const Dispatched& answer, const Document& document, const Artefact& artefact,
                      const BestOptions& options, const Workload& asked, Console& console) {
  const Export exported = export_of(answer, document, artefact, options.export_format);
  if (const auto lead = library_lead(answer)) console.note(lead_text(*lead, asked));
  if (const std::string required = required_text(answer.entry); !required.empty()) {
    console.note(required);
  }
  if (!exported.substitution.empty()) console.note(exported.substitution);
  for (const std::string& line : exported.unsupported) {
    console.note(format("{} cannot express: {}", options.export_format, line));
  }
  if (exported.text.empty()) {
    console.note(format("{}: {} cannot be exported", options.export_format,
                        to_string(answer.entry.problem)));
  }
  console.out << exported.text;
  return exported.text.empty() ? ExitCode::No : ExitCode::Good;
}

// Prints the answer of a library that combines the files' kernels.
ExitCode run_among(const BestOptions& options, const Workload& problem, Console& console) {
  if (options.pin) throw usage_error("--pin writes to the file of --from: omit --among");
  std::vector<TunedFile> files;
  for (const std::string& path : options.among) files.push_back({path, load_best(path)});
  const AnswerTable table = shipped_answers(files);
  const std::optional<AmongAnswer> found = among_answer(table, files, problem);
  if (!found) {
    console.note(why_none_shipped(table, problem));
    return ExitCode::No;
  }
  console.note(format("{}: {}: {}", to_string(problem),
                      kAnswerSources[static_cast<size_t>(found->source)], found->origin));
  return print_answer(found->answer, to_document(*found), found->file->artefact, options, problem,
                      console);
}

// Prints the fastest harness kernel that was tuned for exactly this problem.
ExitCode print_foreign(const ForeignEntry& entry, const BestOptions& options, Console& console) {
  if (options.export_format == "yaml") {
    console.out << to_yaml(to_document(entry));
  } else if (options.export_format == "json") {
    console.out << to_json(to_document(entry));
  } else if (options.export_format == "config") {
    console.out << to_string(entry.choice) << '\n';
  } else {
    console.note(
        format("--export {} takes this project's own kernels only, and {} is the fastest for {}: "
               "--export config, yaml and json print its values",
               options.export_format, to_string(entry.choice), to_string(entry.problem)));
    return ExitCode::No;
  }
  return ExitCode::Good;
}

// The harness's kernel that answers, if it beats all other answers of the artefact for the problem.
const ForeignEntry* foreign_winner(const Artefact& artefact, const Workload& problem) {
  const std::vector<const ForeignEntry*> answers = foreign_answers(artefact, problem);
  if (answers.empty()) return nullptr;
  const TuneEntry* const known = find_entry(artefact, problem);
  const bool is_ours = known != nullptr && known->problem == problem &&
                       (known->pinned || winner_text(*answers.front()) == "ours");
  return is_ours ? nullptr : answers.front();
}

}  // namespace

ExitCode run_best(const BestOptions& options, Console& console) {
  require_known_export(options.export_format);
  if (options.export_format == "vllm") return export_vllm_files(options, console);
  if (!options.output.empty()) throw usage_error("-o is for --export vllm, which writes files");
  if (!options.config.empty() && !options.pin) throw usage_error("--config needs --pin");
  const Workload problem = read_runnable_one(read_problem_argument(options.problem), options.kind);
  if (!options.among.empty()) return run_among(options, problem, console);
  Artefact artefact = load_best(options.from);
  if (options.pin) pin(options, artefact, problem, console);
  if (const ForeignEntry* const foreign = foreign_winner(artefact, problem)) {
    return print_foreign(*foreign, options, console);
  }
  const std::optional<Dispatched> found = answer_for(artefact, problem, options.from, console);
  if (!found) {
    explain_missing(artefact, problem, options.from, console);
    return ExitCode::No;
  }
  return print_answer(*found, to_document(*found), artefact, options, problem, console);
}

}  // namespace tilewright
