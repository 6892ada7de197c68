#include "cli/file_commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kRecord = "record";

}  // namespace

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

void add_record(CLI::App& app, RecordOptions& o, Action& action, Console& console) {
  CLI::App* const record = app.add_subcommand(
      std::string(kRecord), "run a program, and list the products that it computes with cuBLAS");
  record->add_option("COMMAND", o.command, "after --: the program and its arguments");
  record
      ->add_option("-o,--output", o.output,
                   "the list, FILE.yaml, for tune @FILE.yaml; '-' is stdout")
      ->required();
  add_examples(*record, "record -o products.yaml -- python3 train.py",
               "record -o products.yaml -- ./program --steps 3");
  record->callback([&] { action = [&] { return print(run_record(o), Format::Text, console); }; });
}

std::vector<const char*> without_command(int argc, const char* const* argv,
                                         std::vector<std::string>& behind) {
  std::vector<const char*> words(argv, argv + argc);
  if (words.size() < 2 || std::string_view(words[1]) != kRecord) return words;
  const auto mark = std::find(words.begin(), words.end(), std::string_view("--"));
  if (mark != words.end()) behind.assign(mark + 1, words.end());
  words.erase(mark, words.end());
  return words;
}

void add_report(CLI::App& app, ReportOptions& o, Action& action, Console& console) {
  CLI::App* const report =
      app.add_subcommand("report", "write one self-contained page: verdict, charts, a table");
  report
      ->add_option("FILE", o.files,
                   "best.yaml, a gate's --history, a tune's --store, the JSON of a --sweep or of "
                   "profile --trace, the list of record beside the best.yaml of its products; "
                   "repeatable")
      ->required();
  report->add_option("-o,--output", o.output, "FILE.html; '-' is stdout")->required();
  add_device(*report, o.device);
  add_examples(*report, "report best.yaml -o report.html", "report best.yaml -o -");
  report->callback(
      [&] { action = [&] { return print(run_report(o, console), Format::Text, console); }; });
}

}  // namespace tilewright
