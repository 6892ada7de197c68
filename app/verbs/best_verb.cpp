// tilewright best: looks up a winner and exports it.

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "exchange/export_vllm.hpp"
#include "exchange/exports.hpp"
#include "host/devices.hpp"
#include "host/output_files.hpp"
#include "render/rank_columns.hpp"
#include "request/job.hpp"
#include "search/complete.hpp"
#include "search/rank.hpp"
#include "search/stack_support.hpp"
#include "store/among_answer.hpp"
#include "store/best_table.hpp"
#include "store/dispatch.hpp"
#include "store/foreign_entry.hpp"
#include "verbs/tune_verb.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// `document` is the answer's JSON.
Export export_of(const Dispatched& answer, const Document& document, const Artefact& artefact,
                 BestExport as) {
  switch (as) {
    case BestExport::Yaml:
      return {.text = commented(note_lines(answer), "# ") + to_yaml(document), .unsupported = {}};
    case BestExport::Json: return {.text = to_json(document), .unsupported = {}};
    case BestExport::Cpp: return export_cpp(artefact, answer);
    case BestExport::Cutlass: return export_cutlass(answer);
    case BestExport::Triton: return export_triton(answer);
    case BestExport::Nvfuser: return export_nvfuser(answer);
    default: return {.text = to_string(answer.entry.choice) + "\n", .unsupported = {}};
  }
}

std::string_view name_of(BestExport as) {
  return kExports[static_cast<size_t>(as)];
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
    if (!entry->timing) {
      console.note(
          format("{} for {}; nothing ran", how_ranked(entry->predicted), artefact.device.name));
    }
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
      is_model_s || !answer->predicted_regret
          ? ""
          : format(", predicted {:.1f} % slower than the model's best config",
                   100 * *answer->predicted_regret);
  console.note(format("{} was not tuned in {}: {}{}; {}; --race times a short list in two seconds",
                      to_string(problem), from, origin_text(*answer), regret,
                      measured_text(*answer)));
  return answer;
}

// Races the problem on the GPU, and writes the answer to the file of --from.
ExitCode race(const BestRequest& request, const Workload& problem, Console& console,
              const BackendLoader& load) {
  TuneRequest tune;
  tune.device = request.device;
  tune.output = request.from;
  tune.race = request.race;
  tune.problems = {problem};
  tune.indices = {0};
  const std::vector<ResolvedDevice> devices = {resolve_device(request.device, load)};
  if (devices.front().gpu_index < 0) {
    const std::string& why = devices.front().why_no_gpu;
    throw environment_error(
        format("--race runs kernels, and {}; without --race, best answers from {}",
               why.empty() ? format("device {} is a preset", devices.front().spec.name) : why,
               request.from));
  }
  const TuneShare share{.problems = tune.problems, .indices = tune.indices, .rank = {}};
  return tune_problems(
             tune, share, devices, [](const Report&) {}, console)
      .code;
}

bool is_measured(const std::string& from, const Workload& problem) {
  if (is_missing(from)) return false;
  const Artefact artefact = load_best(from);
  const TuneEntry* const entry = find_entry(artefact, problem);
  return entry != nullptr && entry->problem == problem && (entry->pinned || entry->timing);
}

// The row to pin. It stays the answer even if a later tune finds a faster one.
TuneEntry pinned_row(const BestRequest& request, const Artefact& artefact, const Workload& problem,
                     const Console& console) {
  if (!request.config) {
    const std::optional<Dispatched> found = answer_for(artefact, problem, request.from, console);
    if (found) return found->entry;
    throw usage_error(format("{} has no answer for {}: give a config with --config", request.from,
                             to_string(problem)));
  }
  const std::optional<DeviceSpec> device = device_of(artefact);
  if (!device) {
    throw environment_error(
        format("{} was made on {}, and no preset describes that device: add a device file to "
               "presets/devices",
               request.from, to_string(artefact.device)));
  }
  TuneEntry row;
  row.problem = problem;
  row.choice = complete_config(*request.config, problem, *device);
  row.predicted = estimate(make_plan(problem, row.choice, *device), *device);
  row.determinism = determinism_of(row.choice.decomposition);
  const TuneEntry* const known = find_entry(artefact, problem);
  const bool is_same = known != nullptr && known->problem == problem && known->choice == row.choice;
  return is_same ? *known : row;
}

void pin(const BestRequest& request, Artefact& artefact, const Workload& problem,
         const Console& console) {
  TuneEntry row = pinned_row(request, artefact, problem, console);
  row.problem = problem;
  row.pinned = true;
  {
    // Another process may have written the file since the lookup: keep its entries.
    const FileLock lock(request.from);
    artefact = load_best(request.from);
    keep_pinned(artefact, {row});
    write_file(request.from, print_best(artefact));
  }
  console.note(format("{}: pinned in {}", to_string(problem), request.from));
}

Report report_of(const Dispatched& answer, const Document& document, const Artefact& artefact,
                 const BestRequest& request, Console& console) {
  const Workload& asked = request.products.front();
  const Export exported = export_of(answer, document, artefact, request.export_as);
  if (const auto lead = library_lead(answer)) console.note(lead_text(*lead, asked));
  if (const std::string required = required_text(answer.entry); !required.empty()) {
    console.note(required);
  }
  if (!exported.substitution.empty()) console.note(exported.substitution);
  for (const std::string& line : exported.unsupported) {
    console.note(format("{} cannot express: {}", name_of(request.export_as), line));
  }
  if (exported.text.empty()) {
    const std::optional<Stack> stack = stack_of(name_of(request.export_as));
    const std::optional<DeviceSpec> device = device_of(artefact);
    if (stack && device) {
      const std::string cost = cost_of_export(*stack, answer.entry, *device);
      if (!cost.empty()) console.note(cost);
    }
    console.note(format("{}: {} cannot be exported", name_of(request.export_as),
                        to_string(answer.entry.problem)));
  }
  return {.text = {exported.text}, .code = exported.text.empty() ? ExitCode::No : ExitCode::Good};
}

// The answer of a library that combines the files' kernels.
Report run_among(const BestRequest& request, Console& console) {
  const Workload& problem = request.products.front();
  std::vector<TunedFile> files;
  for (const std::string& path : request.among) files.push_back({path, load_best(path)});
  const AnswerTable table = shipped_answers(files);
  const std::optional<AmongAnswer> found = among_answer(table, files, problem);
  if (!found) {
    console.note(why_none_shipped(table, problem));
    return {.code = ExitCode::No};
  }
  console.note(format("{}: {}: {}", to_string(problem),
                      kAnswerSources[static_cast<size_t>(found->source)], found->origin));
  return report_of(found->answer, to_document(*found), found->file->artefact, request, console);
}

// The fastest harness kernel that was tuned for exactly this problem.
Report report_of(const ForeignEntry& entry, BestExport as, Console& console) {
  switch (as) {
    case BestExport::Config: return {.text = {to_string(entry.choice) + "\n"}};
    case BestExport::Yaml: return {.text = {to_yaml(to_document(entry))}};
    case BestExport::Json: return {.text = {to_json(to_document(entry))}};
    default: break;
  }
  console.note(
      format("--export {} takes this project's own kernels only, and {} is the fastest for {}: "
             "--export config, yaml and json print its values",
             name_of(as), to_string(entry.choice), to_string(entry.problem)));
  return {.code = ExitCode::No};
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

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw usage_error(format("-o '{}' is no folder and cannot be made one{}{}", folder.string(),
                             error ? ": " : "", error ? error.message() : ""));
  }
}

// The evidence beside a file shows that an export wrote both.
void require_own_files(const fs::path& path) {
  const fs::path evidence = evidence_path_of(path);
  require_writable(path);
  require_own_schema({"-o", evidence.string()}, "evidence of vLLM's parameters", kVllmEvidence);
  if (is_missing(path) || !is_missing(evidence)) return;
  throw usage_error(
      format("-o would overwrite '{}', which has no evidence beside it, so another tool wrote it: "
             "move it away, or name another folder",
             path.string()));
}

// Writes the files and their evidence into the folder, which is created. Files of the same names
// are replaced.
Report export_vllm_files(const BestRequest& request, Console& console) {
  const std::vector<VllmExport> files =
      export_vllm(load_best(request.from), request.products, request.from,
                  {.top_k = request.top_k, .is_down = request.is_down});
  const fs::path folder = request.output;
  make_folder(folder);
  for (const VllmExport& file : files) require_own_files(folder / to_string(file.name));
  Report report;
  for (const VllmExport& file : files) {
    const fs::path path = folder / to_string(file.name);
    write_file(evidence_path_of(path), file.evidence);
    write_file(path, print_vllm_rows(file.rows));
    report.text.emplace_back(format("{}\n{}\n", path.string(), evidence_path_of(path).string()));
    console.note(format("{} row{}, {} with the values of the default", file.rows.size(),
                        file.rows.size() == 1 ? "" : "s", file.defaults));
  }
  return report;
}

}  // namespace

Report run_best(const BestRequest& request, Console& console, const BackendLoader& load) {
  if (request.export_as == BestExport::Vllm) return export_vllm_files(request, console);
  if (!request.among.empty()) return run_among(request, console);
  const Workload& problem = request.products.front();
  if (request.race > 0 && !is_measured(request.from, problem)) {
    const ExitCode code = race(request, problem, console, load);
    if (code != ExitCode::Good && code != ExitCode::Inconclusive) return {.code = code};
  }
  Artefact artefact = load_best(request.from);
  if (request.pin) pin(request, artefact, problem, console);
  if (const ForeignEntry* const foreign = foreign_winner(artefact, problem)) {
    return report_of(*foreign, request.export_as, console);
  }
  const std::optional<Dispatched> found = answer_for(artefact, problem, request.from, console);
  if (!found) {
    explain_missing(artefact, problem, request.from, console);
    return {.code = ExitCode::No};
  }
  return report_of(*found, to_document(*found), artefact, request, console);
}

}  // namespace tilewright
