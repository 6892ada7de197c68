#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "render/gate_formats.hpp"
#include "store/gate_json.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

TEST_CASE("failures and errors are counted and carry every finding") {
  const std::vector<CaseVerdict> verdicts = {
      {"good", Verdict::Pass, {{"slots", 130, {}, false}}, {}, ""},
      {"better", Verdict::Improved, {{"slots", 130, 160, false}}, {"raster=row"}, ""},
      {"slow", Verdict::Regression, {}, {"slots 160, baseline 130", "raster=row"}, ""},
      {"noisy", Verdict::Inconclusive, {}, {"too noisy"}, ""},
      {"wrong", Verdict::WrongResult, {}, {"relative error 0.7"}, ""}};
  const std::string xml = junit_xml("smoke", verdicts);
  CHECK(contains(xml, "tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"0\" "));
  CHECK(contains(xml,
                 "<failure type=\"regression\" message=\"slots 160, baseline 130\">"
                 "slots 160, baseline 130\nraster=row</failure>"));
  CHECK(contains(xml, "<error type=\"wrong result\""));
  CHECK(contains(xml, "<system-out>slots 130, baseline 160 (-18.8 %)\nraster=row</system-out>"));
}

TEST_CASE("a waived case is skipped, and every case has its seconds") {
  std::vector<CaseVerdict> verdicts = {{"a", Verdict::Waived, {}, {"known"}, ""},
                                       {"b", Verdict::Pass, {}, {}, ""}};
  verdicts[0].seconds = 1.25;
  verdicts[1].seconds = 0.5;
  const std::string xml = junit_xml("s", verdicts);
  CHECK(contains(xml, "failures=\"0\" errors=\"0\" skipped=\"1\" time=\"1.750\">"));
  CHECK(contains(xml, "name=\"a\" time=\"1.250\">\n    <skipped message=\"known\"/>"));
  CHECK(contains(xml, "name=\"b\" time=\"0.500\">"));
}

TEST_CASE("every report is valid UTF-8 for its format, whatever its texts") {
  const char* const texts[] = {"a\xff",         "a\xef\xbf\xbe", "a\xef\xbf\xbf", "a\xed\xa0\x80",
                               "a\x1b[31m\x07", "a\rb",          "a\xc2\x85",     "a\xe2\x80\xa8"};
  for (const std::string text : texts) {
    CAPTURE(text);
    GateRun run;
    run.verdicts = {{text, Verdict::Regression, {{text, 1, {}, false}}, {text, text + "\n"}, text},
                    {text, Verdict::New, {}, {text}, ""}};
    run.notes = {text};
    for (const std::string& made : {junit_xml(text, run.verdicts), gate_summary(text, {}, run),
                                    github_annotations(text, run.verdicts)}) {
      for (const std::string_view line : split(made, '\n')) CHECK(!first_unsafe_character(line));
    }
    CHECK(Document::parse(gate_json(text, {}, run)).at("cases").size() == 2);
  }
}

TEST_CASE("no text breaks out of its element") {
  const std::vector<CaseVerdict> verdicts = {
      {"a<b>\"&'", Verdict::Regression, {{"\x01", 1, {}, false}}, {"</failure>"}, ""}};
  const std::string xml = junit_xml("s\"uite", verdicts);
  CHECK(contains(xml, "name=\"a&lt;b&gt;&quot;&amp;&apos;\""));
  CHECK(contains(xml, "&lt;/failure&gt;</failure>"));
  CHECK(contains(xml, "<system-out>\\x01 1</system-out>"));
}

}  // namespace
}  // namespace tilewright
