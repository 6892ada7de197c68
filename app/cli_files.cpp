#include "cli_files.hpp"

#include <CLI/CLI.hpp>

#include "verbs.hpp"

namespace tilewright {

void add_merge(CLI::App& app, MergeOptions& o, Action& action, Console& console) {
  CLI::App* const merge = app.add_subcommand("merge", "join the records of several tune --store");
  merge->add_option("STORE", o.stores, "FILE.jsonl; several")->required();
  merge->add_option("-o,--output", o.output, "the joined store");
  merge->add_option("--best", o.best,
                    "an artefact, best.yaml, of the stores' answers; those of other problems that "
                    "it has stay");
  merge->add_flag("--overwrite", o.overwrite, "begin --best anew; pinned rows stay");
  add_examples(*merge, "merge store.jsonl -o joined.jsonl", "merge store.jsonl --best merged.yaml");
  merge->callback([&] { action = [&] { return run_merge(o, console); }; });
}

void add_report(CLI::App& app, ReportOptions& o, Action& action, Console& console) {
  CLI::App* const report =
      app.add_subcommand("report", "write one self-contained page: verdict, charts, a table");
  report
      ->add_option("FILE", o.files,
                   "best.yaml, a gate's --history, a tune's --store, the JSON of a --sweep or of "
                   "profile --trace; several")
      ->required();
  report->add_option("-o,--output", o.output, "FILE.html; '-' is stdout")->required();
  add_device(*report, o.device);
  add_examples(*report, "report best.yaml -o report.html", "report best.yaml -o -");
  report->callback([&] { action = [&] { return run_report(o, console); }; });
}

}  // namespace tilewright
