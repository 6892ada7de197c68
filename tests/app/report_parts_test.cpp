#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "render/report.hpp"

namespace tilewright {
namespace {

using testing::Outcome;

// The part of one problem: text and a row, as tune shows it.
Report part_of(const std::string& name) {
  Table table({{"problem", false}, {"us"}});
  table.add_row({name, "1.00"});
  return {.text = {name + ":\n", table}, .table = [table] { return table; }};
}

// What ends a verb of several problems: a summary, and one document of all.
Report whole(ExitCode code) {
  return {.text = {"two\n"}, .json = [] { return std::string("{}\n"); }, .code = code};
}

Outcome tuned(Format form, const std::vector<std::string>& names) {
  return testing::shown(form, [&](const ReportSink& show, Console&) {
    for (const std::string& name : names) show(part_of(name));
    return whole(ExitCode::No);
  });
}

TEST_CASE("parts are printed one after the other; the rows of all are one table") {
  CHECK(tuned(Format::Text, {"a", "b"}).out ==
        "a:\nproblem    us\na        1.00\nb:\nproblem    us\nb        1.00\ntwo\n");
  CHECK(tuned(Format::Csv, {"a", "b"}).out == "problem,us\r\na,1.00\r\nb,1.00\r\n");
  CHECK(tuned(Format::Markdown, {"a", "b"}).out ==
        "| problem | us |\n|---|---:|\n| a | 1.00 |\n| b | 1.00 |\n");
  CHECK(tuned(Format::Json, {"a", "b"}).out == "{}\n");
  for (const Format form : {Format::Text, Format::Json, Format::Csv, Format::Markdown}) {
    CHECK(tuned(form, {"a"}).code == ExitCode::No);
  }
}

TEST_CASE("a part is printed as soon as it is shown") {
  for (const Format form : {Format::Text, Format::Csv, Format::Markdown}) {
    std::ostringstream out;
    Console console{.out = out, .err = out};
    const auto verb = [&](const ReportSink& show) {
      for (const char* const name : {"a", "b", "c"}) {
        show(part_of(name));
        const std::string end = form == Format::Text ? ":" : form == Format::Csv ? "," : " |";
        CHECK(out.str().find(name + end) != std::string::npos);
      }
      return Report{};
    };
    CHECK(print_parts(verb, form, console) == ExitCode::Good);
  }
}

TEST_CASE("a failure is thrown after the answer so far is printed, in every format") {
  for (const Format form : {Format::Text, Format::Json, Format::Csv, Format::Markdown}) {
    const Outcome one = testing::printed(form, [](Console&) {
      Report report = part_of("a");
      report.json = [] { return std::string("[\"a\"]\n"); };
      report.failure = std::make_exception_ptr(environment_error("the GPU is gone"));
      return report;
    });
    CHECK(one.out.find('a') != std::string::npos);
    CHECK(one.code == ExitCode::Environment);
    CHECK(one.err == "the GPU is gone");
  }
}

TEST_CASE("a violated check ends a good report with 1; a higher code stays") {
  for (const ExitCode code : {ExitCode::Good, ExitCode::Environment}) {
    const Outcome one = testing::printed(Format::Text, [&](Console&) {
      return Report{.text = {"x\n"}, .violated = {"b<2: b is 3"}, .code = code};
    });
    CHECK(one.code == std::max(code, ExitCode::No));
    CHECK(one.out == "x\n");
    CHECK(one.err.find("b is 3") != std::string::npos);
  }
}

TEST_CASE("CSV without a table is a usage error that prints nothing") {
  const Outcome one = testing::printed(
      Format::Csv, [](Console&) { return Report{.notes = {"n"}, .text = {"x\n"}}; });
  CHECK(one.code == ExitCode::Usage);
  CHECK(one.out.empty());
}

TEST_CASE("a sentence fits the window and its own limit, whichever is narrower") {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  words += "end";
  for (const int width : {0, 30, 80, 200}) {
    for (const int most : {0, 40, 100}) {
      const std::string text =
          text_of(Report{.text = {Sentence{.text = words, .most = most}}}, width);
      for (const std::string& line : testing::lines_of(text)) {
        CHECK((width == 0 || line.size() <= static_cast<size_t>(width)));
        CHECK((most == 0 || line.size() <= static_cast<size_t>(most)));
      }
      CHECK((testing::lines_of(text).size() == 1) == (width == 0 && most == 0));
    }
  }
}

}  // namespace
}  // namespace tilewright
