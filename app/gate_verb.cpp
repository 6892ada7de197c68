// tilewright gate: did this change make the suite worse?

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "devices.hpp"
#include "search/complete.hpp"
#include "search/gate_measured.hpp"
#include "search/gate_static.hpp"
#include "store/baseline.hpp"
#include "store/best_table.hpp"
#include "store/gate_json.hpp"
#include "store/junit.hpp"
#include "store/suite.hpp"
#include "tile/legality.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

GateMode choose_mode(const std::string& mode, const ResolvedDevice& device) {
  if (mode == "static") return GateMode::Static;
  if (mode == "auto") return device.gpu_index >= 0 ? GateMode::Gpu : GateMode::Static;
  constexpr std::string_view kModes[] = {"auto", "static", "gpu"};
  if (mode != "gpu") {
    throw usage_error(format("unknown mode '{}'{}; known are auto, static, gpu", mode,
                             did_you_mean(mode, kModes)));
  }
  if (device.gpu_index >= 0) return GateMode::Gpu;
  throw environment_error(
      format("--mode gpu needs a GPU: {}", device.why_no_gpu.empty()
                                               ? format("'{}' is a preset", device.spec.name)
                                               : device.why_no_gpu));
}

GateCase complete_case(const SuiteCase& suite_case, const Artefact& tuned,
                       const DeviceSpec& device) {
  GateCase made{suite_case.name, suite_case.problem, {}, {}};
  try {
    const TuneEntry* const entry = find_entry(tuned, suite_case.problem);
    made.config = entry != nullptr ? entry->choice
                                   : complete_config(suite_case.config, suite_case.problem, device);
  } catch (const Error& error) {
    made.refused = error.what();
    return made;
  }
  if (const auto rejection = reject_config(made.problem, made.config, device)) {
    made.refused = format("{}: {}", rejection->rule, rejection->reason);
  }
  return made;
}

std::vector<GateCase> complete_cases(const GateOptions& options, const DeviceSpec& device) {
  const Artefact tuned = options.from.empty() ? Artefact{} : load_best(options.from);
  std::vector<GateCase> cases;
  for (const SuiteCase& suite_case : load_suite(options.suite)) {
    cases.push_back(complete_case(suite_case, tuned, device));
  }
  return cases;
}

// The backend's line about its compiler: register counts are comparable within one version only.
std::string compiler_version(const std::string& versions) {
  for (const std::string_view line : split(versions, '\n')) {
    if (line.find("NVRTC") != std::string_view::npos) return std::string(trim(line));
  }
  return std::string(trim(versions));
}

GateRun run_static(std::span<const GateCase> cases, const DeviceSpec& device, double threshold,
                   Baseline& now, const Baseline* before, const BackendLoader& load,
                   const OnVerdict& show) {
  const BackendOrReason loaded = load();
  StaticCompiler compiler{nullptr, "", loaded.why_not};
  std::unique_ptr<KernelCompiler> kernels;
  if (loaded.backend) {
    kernels = loaded.backend->open_compiler();
    compiler.compiler = kernels.get();
    compiler.version = compiler_version(loaded.backend->versions());
  }
  if (compiler.compiler != nullptr) now.compiler = compiler.version;
  return run_static_gate(cases, device, compiler, before, threshold, show);
}

GateRun run_measured(std::span<const GateCase> cases, const ResolvedDevice& device,
                     const GateOptions& options, const Console& console, const Baseline* before,
                     const OnVerdict& show) {
  const auto runner = device.backend->open_runner(device.gpu_index, device.spec, kDataSeed);
  console.err << runner->timer_check() << '\n';
  MeasurePolicy policy;
  policy.threshold = options.threshold_pct / 100;
  policy.rounds = options.rounds;
  policy.interrupted = console.interrupted;
  return run_measured_gate(cases, *runner, policy, before, show);
}

const char* color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Regression:
    case Verdict::WrongResult: return "\x1b[31m";
    case Verdict::Inconclusive:
    case Verdict::Environment: return "\x1b[33m";
    default: return "\x1b[32m";
  }
}

void print_verdict(const CaseVerdict& v, size_t name_width, Console& console) {
  const std::string word = format("{:<12}", to_string(v.verdict));
  std::string details = join(v.findings, "; ");
  if (!details.empty() && !v.numbers.empty()) details = format("{} | {}", details, v.numbers);
  if (details.empty()) details = v.numbers;
  console.out << (console.color_out ? color_of(v.verdict) + word + "\x1b[0m" : word)
              << format("  {:<{}}  {}", v.name, name_width, details) << std::endl;
}

void check_options(const GateOptions& options) {
  if (!(options.threshold_pct > 0 && options.threshold_pct < 100)) {
    throw usage_error(
        format("--threshold {} is not a percentage between 0 and 100", options.threshold_pct));
  }
  if (options.update) require_writable(options.baseline);
  if (!options.junit.empty()) require_writable(options.junit);
}

void update_baseline(const Baseline& now, const GateOptions& options, ExitCode code,
                     Console& console) {
  if (code != ExitCode::Good) {
    console.err << format("{} was not written: not every case is good\n", options.baseline);
    return;
  }
  write_file(options.baseline, print_baseline(now));
  console.err << format("wrote {}: {} case{}, mode {}, {}\n", options.baseline, now.cases.size(),
                        now.cases.size() == 1 ? "" : "s", to_string(now.mode),
                        to_string(now.device));
}

}  // namespace

ExitCode run_gate(const GateOptions& options, Console& console, const BackendLoader& load) {
  check_options(options);
  const ResolvedDevice device = resolve_device(options.device, load);
  const GateMode mode = choose_mode(options.mode, device);
  Baseline now;
  now.tool_version = kVersion;
  now.mode = mode;
  now.device = fingerprint(device.spec, device.gpu_index < 0);
  const std::vector<GateCase> cases = complete_cases(options, device.spec);
  std::optional<Baseline> before;
  if (!options.update) {
    before = load_baseline(options.baseline);
    require_comparable(*before, mode, now.device);
  }
  const Baseline* const known = before ? &*before : nullptr;

  size_t name_width = 0;
  for (const GateCase& gate_case : cases) name_width = std::max(name_width, gate_case.name.size());
  const OnVerdict show = [&](const CaseVerdict& verdict) {
    if (options.format == Format::Text) print_verdict(verdict, name_width, console);
  };
  const GateRun run =
      mode == GateMode::Static
          ? run_static(cases, device.spec, options.threshold_pct / 100, now, known, load, show)
          : run_measured(cases, device, options, console, known, show);
  now.cases = run.numbers;
  now.method = run.method;
  const ExitCode code = gate_exit_code(run.verdicts);
  if (options.format == Format::Json) {
    console.out << gate_json(options.suite, now, run.verdicts, code);
  }
  if (!options.junit.empty()) write_file(options.junit, junit_xml(options.suite, run.verdicts));
  if (options.update) update_baseline(now, options, code, console);
  return code;
}

}  // namespace tilewright
