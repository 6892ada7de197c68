#include "cli/gate_commands.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "base/limits.hpp"
#include "cli/shared_options.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

void add_gate_trend(CLI::App& gate, GateTrendOptions& o, Action& action, Console& console) {
  CLI::App* const trend = gate.add_subcommand(
      "trend", "list which numbers of a --history changed, and at which commit");
  trend->add_option("FILE", o.history, "FILE.jsonl of gate --history")->required();
  add_parsed(*trend, "--export", o.export_as, parse_trend_export,
             "otava or bmf: print the history for Apache Otava or Bencher");
  add_format(*trend, o.format);
  add_examples(*trend, "gate trend history.jsonl", "gate trend history.jsonl --export otava");
  trend->callback([&] { action = [&] { return print(run_gate_trend(o), o.format, console); }; });
}

void add_gate_bisect(CLI::App& gate, GateBisectOptions& o, Action& action, Console& console) {
  CLI::App* const bisect = gate.add_subcommand(
      "bisect", "find the commit that made a suite worse, by static gates or by rounds");
  bisect
      ->add_option("SUITE", o.suite,
                   "FILE.yaml; each commit's own version where the commit has the file")
      ->required();
  bisect->add_option("GOOD", o.good, "a commit before the suite got worse")->required();
  bisect->add_option("BAD", o.bad, "a later commit, where the suite is worse")->required();
  bisect
      ->add_option("COMMAND", o.build,
                   "after --: the command that builds a commit, run in the root of its worktree; a "
                   "commit that fails to build is skipped")
      ->required();
  bisect->add_option("--case", o.cases, "test this case only, not the whole suite; repeatable")
      ->allow_extra_args(false);
  add_parsed(*bisect, "--program", o.program, parse_bisect_program,
             "the program that the command builds, a path in the worktree; a full path: one "
             "program for all commits")
      ->default_str(o.program);
  add_parsed(*bisect, "--mode", o.mode, parse_bisect_mode,
             "static, without a GPU; ab: times each build beside GOOD's, in turns")
      ->default_str(to_string(o.mode));
  bisect->add_option("--log", o.log,
                     "FILE.jsonl for the answers: an interrupted bisection continues from it");
  add_percent(*bisect, "--threshold", o.threshold_pct,
              "with ab: slowdown in percent that counts, before the suite's; else 1");
  add_rounds(*bisect, o.rounds, "with ab; default: by length");
  add_device(*bisect, o.device);
  add_format(*bisect, o.format);
  add_examples(*bisect, "gate bisect suite.yaml HEAD~1 HEAD --case cube -- sh build.sh",
               "gate bisect suite.yaml HEAD~1 HEAD --program \"$(command -v tilewright)\" -- true");
  bisect->callback(
      [&] { action = [&] { return print(run_gate_bisect(o, console), o.format, console); }; });
}

}  // namespace

void add_gate(CLI::App& app, GateOptions& o, Action& action, Console& console) {
  CLI::App* const gate = app.add_subcommand("gate", "CI gate: exit code 1 when a suite got worse");
  CLI::Option* const suite = gate->add_option(
      "SUITE", o.suite,
      "FILE.yaml; or a folder of vLLM's and SGLang's files of launch parameters: which rows are "
      "missing, cannot run, or are the default config");
  gate->add_option("--harness", o.harness,
                   "the kernel of a folder: each row of its files must not be slower than the "
                   "harness's default config in the same rounds");
  add_whole(*gate, "--hidden", o.hidden, 1, kMaxSize,
            "with --harness, of experts' files: the hidden size of the layer");
  add_whole(*gate, "--top-k", o.top_k, 1, kMaxProducts,
            "with --harness, of experts' files: the experts that a token goes to");
  gate->add_option("--baseline", o.baseline,
                   "FILE.yaml that --update writes; not for --mode reference or --self-check");
  gate->add_option("--against-build", o.against_build,
                   "with --mode ab: the other build of the suite's harnesses, a folder that "
                   "contains the same relative paths, or one file");
  gate->add_flag("--update", o.update, "write the baseline instead of comparing");
  gate->add_flag("--self-check", o.self_check,
                 "test the gate: equal numbers must pass, and artificial slowdowns must fail");
  add_parsed(*gate, "--mode", o.mode, parse_gate_mode,
             "static, baseline, ab or reference; auto: baseline on a GPU, else static")
      ->default_str("auto");
  add_device(*gate, o.device);
  gate->add_option("--from", o.from, "best.yaml with the tuned configs");
  gate->add_option("--junit", o.junit, "write JUnit XML; '-' replaces the report on stdout");
  gate->add_option("--summary", o.summary,
                   "append a markdown table to a file; '-' replaces the report on stdout");
  add_parsed(*gate, "--annotations", o.annotates, parse_annotations,
             "github: print ::error and ::warning lines; to stderr if stdout has another "
             "format than text");
  add_percent(
      *gate, "--threshold", o.threshold_pct,
      "slowdown in percent that fails, such as 1 or 1%; it replaces the suite's; default 1");
  gate->add_option("--history", o.history, "append the run to a file of JSON lines");
  gate->add_option("--case", o.cases, "run this case only, not the whole suite; repeatable");
  gate->add_flag("--promote", o.promote, "record the improved cases in the baseline");
  gate->add_flag("--accept-model", o.accept_model,
                 "record the cases whose numbers a change of the model changed");
  gate->add_flag("--allow-new", o.allow_new, "pass even if nothing was compared");
  add_rounds(*gate, o.rounds, "default: depends on the kernel's time");
  add_shared(*gate, o.shared);
  add_format(*gate, o.format);
  add_examples(*gate,
               "gate presets/suites/smoke.yaml --mode static --baseline baseline.yaml --update",
               "gate presets/suites/smoke.yaml --mode static --baseline baseline.yaml "
               "--history history.jsonl");
  add_gate_trend(*gate, o.trend, action, console);
  add_gate_bisect(*gate, o.bisect, action, console);
  gate->callback([&, gate, suite] {
    if (!gate->get_subcommands().empty()) return;
    if (suite->count() == 0) throw CLI::RequiredError("SUITE");
    action = [&] {
      const GateRequest request = read_gate(o);
      const auto verb = [&](const ReportSink& show) { return run_gate(request, show, console); };
      return print_parts(verb, o.format, console);
    };
  });
}

}  // namespace tilewright
