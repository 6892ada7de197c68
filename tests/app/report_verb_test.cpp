#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "options.hpp"
#include "page/report_page.hpp"
#include "store/best_table.hpp"
#include "store/document.hpp"
#include "store/gate_history.hpp"
#include "support/complaint.hpp"
#include "support/temporary_folder.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

const std::string kRoot = TILEWRIGHT_SOURCE_DIR;

Outcome report(const std::vector<std::string>& files, const std::string& output) {
  const ReportOptions options{.files = files, .output = output, .device = "h200"};
  return testing::outcome_of([&](Console& console) { return run_report(options, console); });
}

std::string page_of(const std::vector<std::string>& files) {
  const testing::TemporaryFolder folder;
  const std::string output = folder.path() / "report.html";
  REQUIRE(report(files, output).code == ExitCode::Good);
  return read_file(output);
}

Document json_of(const std::string& html, std::string_view id) {
  const std::string head = format("id=\"{}\">", id);
  const size_t begin = html.find(head) + head.size();
  return Document::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

}  // namespace

TEST_CASE("a page takes all that other verbs write, and holds their numbers") {
  const testing::TemporaryFolder folder;
  const auto path = [&folder](const char* name) { return (folder.path() / name).string(); };
  HistoryRun run;
  run.time = 1767225600;
  run.suite = "s.yaml";
  run.mode = "baseline";
  run.device = "NVIDIA H200";
  run.cases = {{"cube", "pass", {{"ratio", 1.25}}}};
  write_file(path("history.jsonl"), print_history(run));
  GridOptions grid;
  grid.grid = "8x8";
  grid.sweep.over = "factor=1,2,4";
  grid.sweep.metrics = {"waste_pct"};
  grid.format = Format::Json;
  const Outcome swept =
      testing::outcome_of([&](Console& console) { return run_analyze_grid(grid, console); });
  REQUIRE(swept.code == ExitCode::Good);
  write_file(path("sweep.json"), swept.out);
  const std::string trace = kRoot + "/tests/data/made_up_trace.json";
  const std::string store = kRoot + "/tests/data/made_up_store.jsonl";
  const std::string artefact = kRoot + "/presets/tuned/h200-fp8.yaml";
  const std::string html =
      page_of({path("history.jsonl"), path("sweep.json"), trace, store, artefact});
  const Document data = json_of(html, kReportDataId);
  CHECK(data["schema"] == kReportSchema);
  const Document& sources = data["sources"];
  REQUIRE(sources.size() == 5);
  CHECK(sources[0]["history"][0]["cases"][0] == Document::parse(print_history(run))["cases"][0]);
  CHECK(sources[1]["sweep"] == Document::parse(swept.out));
  CHECK(sources[2]["trace"] == Document::parse(read_file(trace)));
  CHECK(sources[3]["store"]["records"] == 5);
  CHECK(sources[3]["store"]["problems"][0]["problem"] == "256x256x256");
  CHECK(sources[4]["artefact"]["entries"].size() == load_best(artefact).entries.size());
}

TEST_CASE("a file that no verb wrote is refused, and leaves no page") {
  const testing::TemporaryFolder folder;
  const std::string input = folder.path() / "input";
  const std::string output = folder.path() / "report.html";
  for (const char* const text :
       {"", "hello", "[1, 2]", "{}", R"({"points": 3})", R"({"records": []})",
        R"({"schema": "tilewright.history/2"})", R"({"schema": "tilewright.store/9", "run": "x"})",
        R"({"records": [], "config": "family=sm90", "problem": "64x64x64"})"}) {
    CAPTURE(text);
    write_file(input, text);
    const Outcome outcome = report({input}, output);
    CHECK(outcome.code == ExitCode::Usage);
    CHECK(contains(outcome.err, input));
    CHECK_FALSE(std::filesystem::exists(output));
  }
}

}  // namespace tilewright
