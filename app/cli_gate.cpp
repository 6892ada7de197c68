#include "cli_gate.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "cli_parts.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

void add_gate_trend(CLI::App& gate, GateTrendOptions& o, Action& action, Console& console) {
  CLI::App* const trend =
      gate.add_subcommand("trend", "which numbers of a --history changed, and with which commit");
  trend->add_option("FILE", o.history, "FILE.jsonl of gate --history")->required();
  trend->add_option("--export", o.export_as, "otava or bmf: the history for Apache Otava, Bencher");
  add_format(*trend, o.format);
  add_examples(*trend, "gate trend history.jsonl", "gate trend history.jsonl --export otava");
  trend->callback([&] { action = [&] { return run_gate_trend(o, console); }; });
}

void add_gate_bisect(CLI::App& gate, GateBisectOptions& o, Action& action, Console& console) {
  CLI::App* const bisect = gate.add_subcommand(
      "bisect",
      "which commit made a suite worse, by static gates or rounds, in a worktree of its own");
  bisect->add_option("SUITE", o.suite, "FILE.yaml; each commit's own where it has the file")
      ->required();
  bisect->add_option("GOOD", o.good, "a commit that is not worse")->required();
  bisect->add_option("BAD", o.bad, "a commit after it that is")->required();
  bisect
      ->add_option("COMMAND", o.build,
                   "behind --: builds a commit, in the root of its worktree; a commit where it "
                   "fails is skipped")
      ->required();
  bisect->add_option("--case", o.cases, "a case of the suite, not all; several")
      ->allow_extra_args(false);
  bisect
      ->add_option("--program", o.program,
                   "what the command builds, in the worktree; a full path: one for all commits")
      ->capture_default_str();
  bisect
      ->add_option("--mode", o.mode,
                   "static, without a GPU; ab: times each build beside GOOD's, in turns")
      ->capture_default_str();
  bisect->add_option("--log", o.log,
                     "FILE.jsonl with the answers: an interrupted bisection goes on from it");
  add_percent(*bisect, "--threshold", o.threshold_pct,
              "with ab: slowdown in percent that counts, before the suite's; else 1");
  add_rounds(*bisect, o.rounds, "with ab; default: by length");
  add_device(*bisect, o.device);
  add_format(*bisect, o.format);
  add_examples(*bisect, "gate bisect suite.yaml HEAD~1 HEAD --case cube -- sh build.sh",
               "gate bisect suite.yaml HEAD~1 HEAD --program \"$(command -v tilewright)\" -- true");
  bisect->callback([&] { action = [&] { return run_gate_bisect(o, console); }; });
}

}  // namespace

void add_gate(CLI::App& app, GateOptions& o, Action& action, Console& console) {
  CLI::App* const gate = app.add_subcommand("gate", "CI gate: exit 1 when a suite got worse");
  CLI::Option* const suite = gate->add_option("SUITE", o.suite, "FILE.yaml");
  gate->add_option("--baseline", o.baseline,
                   "FILE.yaml of --update; not for --mode reference, --self-check");
  gate->add_option("--against-build", o.against_build,
                   "with --mode ab: what the suite's harnesses are compared with, a folder below "
                   "which their paths lead to another build, or one file");
  gate->add_flag("--update", o.update, "write the baseline instead of comparing");
  gate->add_flag("--self-check", o.self_check,
                 "equal things must pass, made-up slowdowns must not");
  gate->add_option("--mode", o.mode,
                   "static, baseline, ab or reference; auto: baseline on a GPU, else static")
      ->default_str("auto");
  add_device(*gate, o.device);
  gate->add_option("--from", o.from, "best.yaml with the tuned configs");
  gate->add_option("--junit", o.junit, "write JUnit XML; '-': in the place of the report");
  gate->add_option("--summary", o.summary, "add a markdown table to a file; '-' likewise");
  gate->add_option("--annotations", o.annotations,
                   "github: ::error and ::warning lines; on stderr where stdout is no text");
  add_percent(*gate, "--threshold", o.threshold_pct,
              "slowdown in percent that fails, 1 or 1%, before the suite's; else 1");
  gate->add_option("--history", o.history, "add the run to a file of JSON lines");
  gate->add_option("--case", o.cases, "a case of the suite, not all; several");
  gate->add_flag("--promote", o.promote, "record the improved cases in the baseline");
  gate->add_flag("--accept-model", o.accept_model,
                 "record the cases whose numbers a changed model changed");
  gate->add_flag("--allow-new", o.allow_new, "a run in which nothing was compared may pass");
  add_rounds(*gate, o.rounds, "default: by length");
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
    action = [&] { return run_gate(o, console); };
  });
}

}  // namespace tilewright
