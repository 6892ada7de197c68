#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "render/gate_formats.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::lines_of;

GateRun sample() {
  GateRun run;
  run.verdicts = {
      {"good", Verdict::Pass, {{"predicted_us", 10, 10, false}}, {}, ""},
      {"fresh", Verdict::New, {{"predicted_us", 10, {}, false}}, {"not in the baseline"}, ""},
      {"better", Verdict::Improved, {{"predicted_us", 9, 10, false}}, {"improved"}, ""},
      {"a|b\n<i>",
       Verdict::Regression,
       {{"predicted_us", 20, 10, false, 9, 10}},
       {"50 %", "x, y"},
       ""}};
  run.notes = {"registers were not looked at"};
  return run;
}

// Counts the cells of a table row, from the bars without a backslash.
size_t cells(const std::string& line) {
  size_t bars = 0;
  for (size_t i = 0; i < line.size(); ++i)
    bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
  return bars - 1;
}

TEST_CASE("the page has a table with a row per case, failures first, and the counts") {
  const std::string page = gate_summary("smoke.yaml", {}, sample());
  CHECK(contains(page, "### tilewright gate: smoke.yaml\n"));
  CHECK(contains(page, "1 regression, 1 new, 1 improved, 1 pass; mode static"));
  CHECK(contains(page, "registers were not looked at"));
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("|")) rows.push_back(line);
  }
  REQUIRE(rows.size() == 6);
  for (const std::string& line : rows) CHECK(cells(line) == 8);
  CHECK(rows[2] ==
        "| regression | a\\|b<br>&lt;i&gt; | predicted\\_us | 9.00 | 10.00 | 20.00 | +100.0 % | "
        "50 %<br>x, y |");
}

TEST_CASE("workflow commands: one line each, escaped, and none for a plain pass") {
  const auto lines = lines_of(github_annotations("a,b.yaml", sample().verdicts));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "::error file=a%2Cb.yaml,title=a|b%0A<i>%3A regression::50 %25%0Ax, y");
  CHECK(lines[1] == "::warning file=a%2Cb.yaml,title=fresh%3A new::not in the baseline");
  CHECK(lines[2] == "::notice file=a%2Cb.yaml,title=better%3A improved::improved");
}

TEST_CASE("an annotation names the line of the case, and a waived case is a warning") {
  CaseVerdict verdict{"c", Verdict::Waived, {}, {"x"}, ""};
  verdict.line = 7;
  CHECK(github_annotations("s.yaml", std::vector{verdict}) ==
        "::warning file=s.yaml,line=7,title=c%3A waived::x\n");
}

TEST_CASE("every verdict that ends a gate is an error") {
  for (const Verdict verdict :
       {Verdict::Inconclusive, Verdict::Environment, Verdict::Regression, Verdict::WrongResult}) {
    CHECK(github_annotations("s", std::vector<CaseVerdict>{{"c", verdict, {}, {"x"}, ""}})
              .starts_with("::error "));
  }
}

}  // namespace
}  // namespace tilewright
