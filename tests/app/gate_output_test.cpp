#include "render/gate_output.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "base/escape.hpp"
#include "gate/gate_numbers.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::lines_of;

std::vector<CaseVerdict> sample_verdicts() {
  const std::vector<GateNumber> numbers = {{"predicted_us", 1349.42, 1349.42, false},
                                           {"dram_read_bytes", 1389363153, 1389363153, false},
                                           {"waves", 21, 21, false}};
  const std::string config =
      "config=family=sm90,cta=128x192x64,cluster=2x1,stages=2,schedule=pingpong,raster=row";
  return {{"cube-4096", Verdict::Pass, numbers, {}, ""},
          {"ragged-2304x2304x4096", Verdict::New, numbers, {"not in the baseline"}, ""},
          {"cube-8192",
           Verdict::Regression,
           numbers,
           {"predicted_us 2820.79, baseline 1349.42 (+109.0 %)", config},
           ""}};
}

TEST_CASE("failures come first and the counts last, in any order of the suite") {
  const std::vector<std::string> notes = {"registers and spills were not compared"};
  const auto lines = lines_of(gate_report(sample_verdicts(), notes, 100, false));
  CHECK(lines.front() ==
        "regression    cube-8192              predicted_us 2820.79, baseline 1349.42 (+109.0 %)");
  CHECK(lines.back() == "1 regression, 1 new, 1 pass");
  CHECK(lines[lines.size() - 2] == notes[0]);
  CHECK(contains(lines[lines.size() - 3], "pass"));
  CHECK(contains(lines[lines.size() - 3],
                 "predicted_us 1349.42, dram_read_bytes 1389.36 MB, waves 21"));
}

TEST_CASE("no text starts a line or becomes a command to the CI runner that shows the log") {
  const std::string texts[] = {"::error::x", "a\n::error::x", "\r::stop-commands::x",
                               "##[group]x", "\xc2\xa0::x::", "\x1b[2K::x"};
  for (const std::string& text : texts) {
    const std::vector<CaseVerdict> verdicts = {
        {text, Verdict::Regression, {}, {text, "b\n" + text}, ""}};
    for (const size_t width : {size_t{14}, size_t{40}, size_t{100}}) {
      const auto report = gate_report(verdicts, std::vector<std::string>{text}, width, false);
      for (const std::string& line : lines_of(report)) {
        CAPTURE(line);
        CHECK(!first_unsafe_character(line));
        CHECK(log_line(line) == line);
      }
    }
  }
}

TEST_CASE("no line is wider than the window") {
  const std::vector<std::string> notes = {
      "registers and spills were not compared: this build has no GPU module"};
  for (size_t width = 20; width <= 160; ++width) {
    CAPTURE(width);
    const std::string text = gate_report(sample_verdicts(), notes, width, false);
    for (const std::string& line : lines_of(text)) {
      CAPTURE(line);
      CHECK(line.size() <= width);
      CHECK_FALSE(line.ends_with(' '));
    }
    CHECK(contains(text, "2820.79"));
    CHECK(contains(text, "cube-4096"));
  }
}

TEST_CASE("only the verdict is coloured") {
  const std::string text = gate_report(sample_verdicts(), {}, 100, true);
  CHECK(text.starts_with("\x1b[31mregression\x1b[0m    cube-8192"));
  CHECK(contains(text, "\x1b[33mnew\x1b[0m "));
}

}  // namespace
}  // namespace tilewright
