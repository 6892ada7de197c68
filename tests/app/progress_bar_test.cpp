#include "render/progress_bar.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace tilewright {
namespace {

// The content of a terminal's line after each redraw.
std::vector<std::string> redraws(const std::string& output) {
  std::vector<std::string> lines;
  std::string line;
  for (size_t i = 0; i < output.size(); ++i) {
    if (output[i] == '\r') {
      if (!line.empty()) lines.push_back(line);
      line.clear();
    } else if (output.compare(i, 3, "\033[K") == 0) {
      i += 2;
    } else {
      line += output[i];
    }
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string run(bool terminal, int width) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  console.terminal_err = terminal;
  console.width = width;
  double now = 0;
  {
    ProgressBar bar(console, [&now] { return now; });
    bar.subject("8192x8192x8192 (1 of 5)");
    bar.begin("race", 40);
    for (int64_t done = 0; done <= 40; ++done) {
      now += 0.5;
      bar.advance(done, done == 0 ? 0 : 1341.2);
    }
    bar.begin("confirm", 10);
  }
  CHECK(out.str().empty());
  return err.str();
}

TEST_CASE("on a terminal no redraw is wider than the window, nor ends in a new line") {
  for (const int width : {1, 10, 20, 40, 60, 80, 200}) {
    const std::string output = run(true, width);
    CHECK(output.find('\n') == std::string::npos);
    for (const std::string& line : redraws(output)) {
      CAPTURE(line);
      CHECK(static_cast<int>(line.size()) <= std::max(width - 1, 1));
    }
    CHECK(output.substr(output.size() - 4) == "\r\033[K");  // the bar is erased
  }
}

TEST_CASE("the bar shows progress, best time and time left; a narrow bar only the count") {
  const std::vector<std::string> wide = redraws(run(true, 100));
  CHECK(std::count(wide.begin(), wide.end(),
                   "[############............]  race 20/40  best 1341.2 us  0:11 left  "
                   "8192x8192x8192 (1 of 5)") == 1);
  const std::vector<std::string> narrow = redraws(run(true, 40));
  CHECK(std::any_of(narrow.begin(), narrow.end(), [](const std::string& line) {
    return line.find("race 20/40  best 1341.2 us") != std::string::npos && line[0] == '[';
  }));
}

TEST_CASE("without a terminal each phase prints one plain line") {
  const std::string output = run(false, 80);
  CHECK(output ==
        "8192x8192x8192 (1 of 5): race (40)\n"
        "8192x8192x8192 (1 of 5): confirm (10), best so far 1341.20 us\n");
}

TEST_CASE("ticks within a twentieth of a second are not drawn") {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  console.terminal_err = true;
  ProgressBar bar(console, [] { return 1.0; });
  bar.begin("race", 1000);
  for (int64_t done = 0; done < 1000; ++done) bar.advance(done, 0);
  CHECK(redraws(err.str()).size() == 1);
}

TEST_CASE("a note has its own line") {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  console.terminal_err = true;
  ProgressBar bar(console, [] { return 1.0; });
  bar.begin("verify", 2);
  bar.note("wrong results: x");
  const std::string output = err.str();
  CHECK(output.find("\r\033[Kwrong results: x\n") != std::string::npos);
}

TEST_CASE("a bar with patience prints nothing before that time, then its progress once") {
  for (const bool terminal : {false, true}) {
    for (const int64_t last : {3, 4, 40}) {
      CAPTURE(terminal);
      CAPTURE(last);
      std::ostringstream out;
      std::ostringstream err;
      Console console{.out = out, .err = err};
      console.terminal_err = terminal;
      double now = 100;
      {
        ProgressBar bar(
            console, [&now] { return now; }, kPatienceSeconds);
        bar.subject("32768x32768x32768");
        bar.begin("rasters", 260);
        for (int64_t done = 1; done <= last; ++done) {
          now += 0.5;
          bar.advance(done, 0);
        }
      }
      const std::string said = err.str();
      CHECK(said.empty() == (last < 4));
      if (last < 4 || terminal) continue;
      CHECK(said.find("32768x32768x32768: rasters (4 of 260)\n") != std::string::npos);
      CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    }
  }
}

}  // namespace
}  // namespace tilewright
