// tilewright gate: did this change make the suite worse?

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "gate/case_rules.hpp"
#include "gate/gate_measured.hpp"
#include "gate/gate_self_check.hpp"
#include "gate/gate_static.hpp"
#include "host/devices.hpp"
#include "host/harness_files.hpp"
#include "render/gate_output.hpp"
#include "render/progress_bar.hpp"
#include "request/job.hpp"
#include "search/complete.hpp"
#include "store/baseline.hpp"
#include "store/best_table.hpp"
#include "store/suite.hpp"
#include "tile/plan/legality.hpp"
#include "verbs/gate_trend.hpp"
#include "verbs/gate_vllm.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

// The device that the request names; host memory where it names "host".
ResolvedDevice resolve_gate_device(const GateRequest& request, const BackendLoader& load) {
  return request.device == "host" ? resolve_harness_device(request.device)
                                  : resolve_device(request.device, load);
}

void require_gpu(const std::string& what, const ResolvedDevice& device) {
  if (device.gpu_index >= 0 || is_host(device)) return;
  throw environment_error(format("{} needs a GPU: {}", what,
                                 device.why_no_gpu.empty()
                                     ? format("'{}' is a preset", device.spec.name)
                                     : device.why_no_gpu));
}

GateMode choose_mode(const GateRequest& request, const ResolvedDevice& device) {
  const bool gpu = device.gpu_index >= 0 || is_host(device);
  const GateMode mode = request.mode.value_or(gpu ? GateMode::Baseline : GateMode::Static);
  if (mode == GateMode::Static) return mode;
  require_gpu("--mode " + to_string(mode), device);
  // --update measures the numbers of every measured mode.
  return request.update ? GateMode::Baseline : mode;
}

bool is_chosen(const GateRequest& request, const std::string& name) {
  return request.cases.empty() ||
         std::find(request.cases.begin(), request.cases.end(), name) != request.cases.end();
}

void keep_chosen(const GateRequest& request, Baseline& baseline) {
  std::erase_if(baseline.cases, [&](const CaseNumbers& c) { return !is_chosen(request, c.name); });
}

bool compares_with_baseline(const GateRequest& request, GateMode mode) {
  return !request.update && !request.self_check && mode != GateMode::Reference &&
         !request.baseline.empty();
}

GateCase complete_case(const SuiteCase& suite_case, const Artefact& tuned,
                       const DeviceSpec& device) {
  GateCase made{suite_case.name, suite_case.problem, {}, {}, {}, suite_case.rules, suite_case.line};
  if (!suite_case.harness.empty()) return made;  // its library supplies the rest
  try {
    const TuneEntry* const entry = find_entry(tuned, suite_case.problem);
    made.config = entry != nullptr ? entry->choice
                                   : complete_config(suite_case.config, suite_case.problem, device);
    if (const auto rejection = reject_workload(made.problem, made.config, device)) {
      made.why_illegal = format("{}: {}", rejection->rule, rejection->reason);
    }
  } catch (const std::exception& exception) {
    const Error error = as_error(exception);
    if (error.code() == ExitCode::Interrupted) throw;
    (is_internal(error) ? made.internal_failure : made.why_illegal) = error.what();
  }
  return made;
}

std::vector<GateCase> complete_cases(std::span<const SuiteCase> suite, const Artefact& tuned,
                                     const DeviceSpec& device, ProgressListener& progress) {
  std::vector<GateCase> cases;
  progress.begin("complete", static_cast<int64_t>(suite.size()));
  for (const SuiteCase& suite_case : suite) {
    cases.push_back(complete_case(suite_case, tuned, device));
    progress.advance(static_cast<int64_t>(cases.size()), 0);
  }
  return cases;
}

// Times of foreign kernels are neither predicted nor recorded: the gate compares two builds side by
// side.
Suite without_harnesses(Suite suite, const Console& console) {
  const size_t left = std::erase_if(
      suite.cases, [](const SuiteCase& suite_case) { return !suite_case.harness.empty(); });
  if (left > 0) {
    console.note(
        format("{} skipped (harnesses): --mode ab --against-build OLD compares two builds, --mode "
               "reference compares with the library",
               left == 1 ? "1 case is" : format("{} cases are", left)));
  }
  return suite;
}

// Queries the case's library, and its other build, for the config that runs.
void complete_harness_case(GateCase& gate_case, const SuiteCase& suite_case,
                           const std::string& against, Runner& runner) {
  HarnessRequest request = parse_harness_request(suite_case.harness);
  try {
    gate_case.foreign = chosen_config(runner, request, suite_case.problem);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    gate_case.why_illegal = error.what();
    return;
  }
  if (against.empty()) {
    gate_case.why_no_other = "--against-build gives none";
    return;
  }
  // Both builds run with the same axis values; the other build might choose different ones.
  request.values = gate_case.foreign->values;
  request.file = other_build_of(request.file, against);
  try {
    gate_case.other = chosen_config(runner, request, suite_case.problem);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    gate_case.why_no_other = error.what();
  }
}

void complete_harnesses(std::vector<GateCase>& cases, std::span<const SuiteCase> suite,
                        const GateRequest& request, Runner& runner) {
  for (size_t i = 0; i < cases.size(); ++i) {
    if (suite[i].harness.empty()) continue;
    complete_harness_case(cases[i], suite[i], request.against_build, runner);
  }
}

// The backend's line about its compiler: register counts are comparable within one version only.
std::string compiler_version(const std::string& versions) {
  for (const std::string_view line : split(versions, '\n')) {
    if (line.find("NVRTC") != std::string_view::npos) return std::string(trim(line));
  }
  return std::string(trim(versions));
}

GateRun run_static(std::span<const GateCase> cases, const DeviceSpec& device,
                   const GateRequest& request, Baseline& now, const Baseline* before,
                   const BackendLoader& load, ProgressListener& progress) {
  if (request.self_check) {
    const auto through_file = [](const Baseline& baseline) {
      return parse_baseline(print_baseline(baseline), "the self-check's baseline");
    };
    return self_check_static(cases, device, request.threshold, through_file, progress);
  }
  const BackendOrReason loaded = load();
  StaticCompiler compiler{nullptr, "", loaded.why_not};
  std::unique_ptr<KernelCompiler> kernels;
  if (loaded.backend) {
    kernels = loaded.backend->open_compiler();
    compiler.compiler = kernels.get();
    compiler.version = compiler_version(loaded.backend->versions());
  }
  if (compiler.compiler != nullptr) now.compiler = compiler.version;
  return run_static_gate(cases, device, compiler, before, request.threshold, progress);
}

GateRun run_measured(std::vector<GateCase> cases, std::span<const SuiteCase> suite,
                     const ResolvedDevice& device, const GateRequest& request, GateMode mode,
                     const Console& console, const Baseline* before, ProgressListener& progress,
                     std::optional<HarnessRunner>& runner) {
  if (!is_host(device)) {
    for (const GateCase& one : cases) require_room(one.problem, device.spec);
  }
  runner.emplace(device, console.err, request.shared, RunnerOptions{});
  console.note((**runner).timer_check());
  complete_harnesses(cases, suite, request, **runner);
  MeasurePolicy policy;
  policy.mode = mode;
  policy.threshold = request.threshold;
  policy.rounds = request.rounds;
  return request.self_check ? self_check_measured(cases, **runner, policy, progress)
                            : run_measured_gate(cases, **runner, policy, before, progress);
}

// The baseline that an update replaces, if its numbers compare; otherwise adds a note with the
// reason.
std::optional<Baseline> replaced_baseline(const GateRequest& request, const Baseline& now,
                                          std::vector<std::string>& notes) {
  const std::string& path = request.baseline;
  if (path == "-" || !std::filesystem::exists(path)) return std::nullopt;
  try {
    Baseline before = load_baseline(path);
    keep_chosen(request, before);
    if (before.mode != now.mode) {
      notes.push_back(
          format("replaces a baseline of --mode {}: the numbers of two modes cannot be compared",
                 to_string(before.mode)));
      return std::nullopt;
    }
    if (before.device != now.device) {
      notes.push_back(format("replaces a baseline of {}", to_string(before.device)));
    }
    return before;
  } catch (const Error& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    notes.push_back(format("replaces a baseline that cannot be read: {}", error.what()));
    return std::nullopt;
  }
}

// The cases that the options name; all cases by default.
Suite chosen_suite(const GateRequest& request) {
  Suite suite = load_suite(request.suite, request.cases);
  // --threshold overrides the suite's thresholds.
  for (SuiteCase& suite_case : suite.cases) {
    if (request.overrides_thresholds) suite_case.rules.threshold.reset();
  }
  return suite;
}

void tell_replaced(const GateRequest& request, const Baseline& now, GateRun& run) {
  const std::optional<Baseline> before = replaced_baseline(request, now, run.notes);
  if (before) report_update(run, *before, now);
}

// A new model is accepted only if nothing else changed: a file with numbers of two models could not
// be compared with either.
void rerecord_asked(const GateRequest& request, const Baseline& before, const Baseline& now,
                    GateRun& run, Console& console) {
  if (request.accept_model) {
    const bool others_fail =
        std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const CaseVerdict& v) {
          return v.verdict != Verdict::ModelChanged && is_failure(v.verdict);
        });
    if (others_fail) {
      console.note(format("{} was not written: other cases fail", request.baseline));
    } else {
      rerecord(request, before, now, Verdict::ModelChanged, run, console);
    }
  }
  if (request.promote) rerecord(request, before, now, Verdict::Improved, run, console);
}

}  // namespace

Report run_gate(const GateRequest& request, const ReportSink& show, Console& console,
                const BackendLoader& load, std::chrono::sys_days today) {
  const ResolvedDevice device = resolve_gate_device(request, load);
  if (request.is_folder && !request.harness) {
    return audit_vllm_folder(request, device, show, console);
  }
  if (request.harness) {
    require_gpu("gate of a folder", device);
    return gate_vllm_folder(request, device, show, console);
  }
  const GateMode mode = choose_mode(request, device);
  Baseline now;
  now.tool_version = kVersion;
  now.mode = mode == GateMode::Static ? GateMode::Static : GateMode::Baseline;
  now.device = fingerprint(device.spec, device.gpu_index < 0);
  const bool runs_harnesses = mode == GateMode::Reference || !request.against_build.empty();
  const Suite suite = runs_harnesses && !request.self_check
                          ? chosen_suite(request)
                          : without_harnesses(chosen_suite(request), console);
  const Artefact tuned = request.from.empty() ? Artefact{} : load_best(request.from);
  std::optional<Baseline> before;
  bool is_empty = false;
  if (compares_with_baseline(request, mode)) {
    before = load_baseline(request.baseline);
    require_comparable(*before, mode, now.device);
    is_empty = before->cases.empty();
    keep_chosen(request, *before);
  }
  explain_rates(device.spec, console);
  const Baseline* const known = before ? &*before : nullptr;

  ProgressBar bar(console);
  bar.subject(std::filesystem::path(request.suite).stem().string());
  const std::vector<GateCase> cases = complete_cases(suite.cases, tuned, device.spec, bar);
  std::optional<HarnessRunner> runner;
  GateRun run =
      mode == GateMode::Static
          ? run_static(cases, device.spec, request, now, known, load, bar)
          : run_measured(cases, suite.cases, device, request, mode, console, known, bar, runner);
  bar.clear();
  const ExitCode seen = runner ? runner->report_disturbances(ExitCode::Good) : ExitCode::Good;
  now.cases = run.numbers;
  now.method = run.method;
  if (request.update) tell_replaced(request, now, run);
  apply_waivers(run, suite.waivers, today);
  if (before && !request.allow_new) set_nothing_compared(run, is_empty);
  if (before && seen == ExitCode::Good) rerecord_asked(request, *before, now, run, console);
  write_outputs(request, now, run, show, console);
  // Runs that other processes disturbed are left out of the history.
  if (!request.history.empty() && !request.update && seen == ExitCode::Good) {
    append_history(request.history, history_run(request.suite, now.device, run));
  }
  // A baseline needs undisturbed times.
  if (request.update && seen == ExitCode::Good) update_baseline(request, now, run, console);
  if (!run.nothing_compared.empty()) console.note(run.nothing_compared);
  const ExitCode code = gate_exit_code(run);
  return {.code = code == ExitCode::Good ? seen : code};
}

}  // namespace tilewright
