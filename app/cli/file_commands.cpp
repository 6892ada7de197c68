#include "cli/file_commands.hpp"

#include <CLI/CLI.hpp>

#include "verbs/verbs.hpp"

namespace tilewright {

void add_merge(CLI::App& app, MergeOptions& o, Action& action, Console& console) {
  CLI::App* const merge = app.add_subcommand("merge", "join the records of several stores of tune");
  merge->add_option("STORE", o.stores, "FILE.jsonl; repeatable")->required();
  merge->add_option("-o,--output", o.output, "the joined store");
  merge->add_option(
      "--best", o.best,
      "an artefact, best.yaml, of the stores' answers; it keeps its answers of other problems");
  merge->add_flag("--overwrite", o.overwrite, "start with an empty --best; pinned rows stay");
  add_examples(*merge, "merge store.jsonl -o joined.jsonl", "merge store.jsonl --best merged.yaml");
  merge->callback(
      [&] { action = [&] { return print(run_merge(o, console), Format::Text, console); }; });
}

void add_report(CLI::App& app, ReportOptions& o, Action& action, Console& console) {
  CLI::App* const report =
      app.add_subcommand("report", "write one self-contained page: verdict, charts, a table");
  report
      ->add_option("FILE", o.files,
                   "best.yaml, a gate's --history, a tune's --store, the JSON of a --sweep or of "
                   "profile --trace; repeatable")
      ->required();
  report->add_option("-o,--output", o.output, "FILE.html; '-' is stdout")->required();
  add_device(*report, o.device);
  add_examples(*report, "report best.yaml -o report.html", "report best.yaml -o -");
  report->callback(
      [&] { action = [&] { return print(run_report(o, console), Format::Text, console); }; });
}

}  // namespace tilewright
