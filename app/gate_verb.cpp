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
#include "devices.hpp"
#include "gate/case_rules.hpp"
#include "gate/gate_measured.hpp"
#include "gate/gate_self_check.hpp"
#include "gate/gate_static.hpp"
#include "gate_harness.hpp"
#include "gate_output.hpp"
#include "gate_setup.hpp"
#include "gate_trend.hpp"
#include "gate_vllm.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/complete.hpp"
#include "store/baseline.hpp"
#include "store/best_table.hpp"
#include "store/suite.hpp"
#include "tile/plan/legality.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

GateMode parse_mode(const std::string& mode, bool gpu) {
  if (mode == "auto") return gpu ? GateMode::Baseline : GateMode::Static;
  if (mode == "gpu") return GateMode::Baseline;  // the mode's former name
  for (const GateMode known :
       {GateMode::Static, GateMode::Baseline, GateMode::Ab, GateMode::Reference}) {
    if (mode == to_string(known)) return known;
  }
  throw usage_error(
      format("unknown mode '{}'{}; --mode takes {}", mode, did_you_mean(mode, kGateModes),
             join(std::vector<std::string>(std::begin(kGateModes), std::end(kGateModes)), ", ")));
}

GateMode choose_mode(const GateOptions& options, const ResolvedDevice& device) {
  const bool gpu = device.gpu_index >= 0 || is_host(device);
  const GateMode mode = parse_mode(options.mode, gpu);
  if (mode != GateMode::Static && !gpu) throw needs_gpu("--mode " + options.mode, device);
  // --update measures the numbers of every measured mode.
  return options.update && mode != GateMode::Static ? GateMode::Baseline : mode;
}

bool is_chosen(const GateOptions& options, const std::string& name) {
  return options.cases.empty() ||
         std::find(options.cases.begin(), options.cases.end(), name) != options.cases.end();
}

void keep_chosen(const GateOptions& options, Baseline& baseline) {
  std::erase_if(baseline.cases, [&](const CaseNumbers& c) { return !is_chosen(options, c.name); });
}

bool compares_with_baseline(const GateOptions& options, GateMode mode) {
  return !options.update && !options.self_check && mode != GateMode::Reference &&
         !options.baseline.empty();
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

void complete_harnesses(std::vector<GateCase>& cases, std::span<const SuiteCase> suite,
                        const GateOptions& options, Runner& runner) {
  for (size_t i = 0; i < cases.size(); ++i) {
    if (suite[i].harness.empty()) continue;
    complete_harness_case(cases[i], suite[i], options.against_build, runner);
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
                   const GateOptions& options, Baseline& now, const Baseline* before,
                   const BackendLoader& load, ProgressListener& progress) {
  const double threshold = threshold_of(options);
  if (options.self_check) {
    const auto through_file = [](const Baseline& baseline) {
      return parse_baseline(print_baseline(baseline), "the self-check's baseline");
    };
    return self_check_static(cases, device, threshold, through_file, progress);
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
  return run_static_gate(cases, device, compiler, before, threshold, progress);
}

GateRun run_measured(std::vector<GateCase> cases, std::span<const SuiteCase> suite,
                     const ResolvedDevice& device, const GateOptions& options, GateMode mode,
                     const Console& console, const Baseline* before, ProgressListener& progress,
                     std::optional<HarnessRunner>& runner) {
  if (!is_host(device)) {
    for (const GateCase& one : cases) require_memory(one.problem, device.spec);
  }
  runner.emplace(device, console.err, options.shared, RunnerOptions{});
  console.note((**runner).timer_check());
  complete_harnesses(cases, suite, options, **runner);
  MeasurePolicy policy;
  policy.mode = mode;
  policy.threshold = threshold_of(options);
  policy.rounds = options.rounds;
  return options.self_check ? self_check_measured(cases, **runner, policy, progress)
                            : run_measured_gate(cases, **runner, policy, before, progress);
}

void check_options(const GateOptions& options) {
  threshold_of(options);
  if (options.update && (options.promote || options.accept_model)) {
    throw usage_error("--update records every case: omit --promote and --accept-model");
  }
  if (options.self_check && options.update) {
    throw usage_error("--self-check uses no baseline: omit --update");
  }
  if (!options.against_build.empty() && options.mode != to_string(GateMode::Ab)) {
    throw usage_error(
        "--against-build names the harness builds that --mode ab compares with: add --mode ab");
  }
  const bool needs_none = options.self_check || !options.against_build.empty() ||
                          (options.mode == "reference" && !options.update);
  if (options.baseline.empty() && !needs_none) {
    throw usage_error(
        "a gate compares with a baseline: add --baseline FILE, which --update writes");
  }
  check_outputs(options);
}

// The baseline that an update replaces, if its numbers compare; otherwise adds a note with the
// reason.
std::optional<Baseline> replaced_baseline(const GateOptions& options, const Baseline& now,
                                          std::vector<std::string>& notes) {
  const std::string& path = options.baseline;
  if (path == "-" || !std::filesystem::exists(path)) return std::nullopt;
  try {
    Baseline before = load_baseline(path);
    keep_chosen(options, before);
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
Suite chosen_suite(const GateOptions& options) {
  Suite suite = load_suite(options.suite, options.cases);
  // --threshold overrides the suite's thresholds.
  for (SuiteCase& suite_case : suite.cases) {
    if (options.threshold_pct) suite_case.rules.threshold.reset();
  }
  return suite;
}

void tell_replaced(const GateOptions& options, const Baseline& now, GateRun& run) {
  const std::optional<Baseline> before = replaced_baseline(options, now, run.notes);
  if (before) report_update(run, *before, now);
}

// A new model is accepted only if nothing else changed: a file with numbers of two models could not
// be compared with either.
void rerecord_asked(const GateOptions& options, const Baseline& before, const Baseline& now,
                    GateRun& run, Console& console) {
  if (options.accept_model) {
    const bool others_fail =
        std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const CaseVerdict& v) {
          return v.verdict != Verdict::ModelChanged && is_failure(v.verdict);
        });
    if (others_fail) {
      console.note(format("{} was not written: other cases fail", options.baseline));
    } else {
      rerecord(options, before, now, Verdict::ModelChanged, run, console);
    }
  }
  if (options.promote) rerecord(options, before, now, Verdict::Improved, run, console);
}

}  // namespace

ExitCode run_gate(const GateOptions& options, Console& console, const BackendLoader& load,
                  std::chrono::sys_days today) {
  if (!options.harness.empty() || is_folder(options.suite)) {
    return gate_vllm_folder(options, console, load);
  }
  check_options(options);
  const ResolvedDevice device = resolve_gate_device(options, load);
  const GateMode mode = choose_mode(options, device);
  Baseline now;
  now.tool_version = kVersion;
  now.mode = mode == GateMode::Static ? GateMode::Static : GateMode::Baseline;
  now.device = fingerprint(device.spec, device.gpu_index < 0);
  const bool runs_harnesses = mode == GateMode::Reference || !options.against_build.empty();
  const Suite suite = runs_harnesses && !options.self_check
                          ? chosen_suite(options)
                          : without_harnesses(chosen_suite(options), console);
  const Artefact tuned = options.from.empty() ? Artefact{} : load_best(options.from);
  std::optional<Baseline> before;
  bool is_empty = false;
  if (compares_with_baseline(options, mode)) {
    before = load_baseline(options.baseline);
    require_comparable(*before, mode, now.device);
    is_empty = before->cases.empty();
    keep_chosen(options, *before);
  }
  explain_rates(device.spec, console);
  const Baseline* const known = before ? &*before : nullptr;

  ProgressBar bar(console);
  bar.subject(std::filesystem::path(options.suite).stem().string());
  const std::vector<GateCase> cases = complete_cases(suite.cases, tuned, device.spec, bar);
  std::optional<HarnessRunner> runner;
  GateRun run =
      mode == GateMode::Static
          ? run_static(cases, device.spec, options, now, known, load, bar)
          : run_measured(cases, suite.cases, device, options, mode, console, known, bar, runner);
  bar.clear();
  const ExitCode seen = runner ? runner->report_disturbances(ExitCode::Good) : ExitCode::Good;
  now.cases = run.numbers;
  now.method = run.method;
  if (options.update) tell_replaced(options, now, run);
  apply_waivers(run, suite.waivers, today);
  if (before && !options.allow_new) set_nothing_compared(run, is_empty);
  if (before && seen == ExitCode::Good) rerecord_asked(options, *before, now, run, console);
  write_outputs(options, now, run, console);
  // Runs that other processes disturbed are left out of the history.
  if (!options.history.empty() && !options.update && seen == ExitCode::Good) {
    append_history(options.history, history_run(options.suite, now.device, run));
  }
  // A baseline needs undisturbed times.
  if (options.update && seen == ExitCode::Good) update_baseline(options, now, run, console);
  if (!run.nothing_compared.empty()) console.note(run.nothing_compared);
  const ExitCode code = gate_exit_code(run);
  return code == ExitCode::Good ? seen : code;
}

}  // namespace tilewright
