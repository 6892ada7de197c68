#include "host/console.hpp"

#include <doctest/doctest.h>

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "base/escape.hpp"
#include "render/progress_bar.hpp"

namespace tilewright {
namespace {

// Records each write of an unbuffered stream (as std::cerr) to its file descriptor.
class Writes : public std::streambuf {
 public:
  std::vector<std::string> all;

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    all.emplace_back(text, static_cast<size_t>(size));
    return size;
  }
  int_type overflow(int_type letter) override {
    all.emplace_back(1, traits_type::to_char_type(letter));
    return letter;
  }
};

struct Unbuffered {
  Writes writes;
  std::ostream stream{&writes};
  Console console{.out = stream, .err = stream};

  Unbuffered() { stream.setf(std::ios::unitbuf); }
};

TEST_CASE("a sentence is one write, which other ranks of a terminal cannot break") {
  Unbuffered output;
  output.console.note("256x256x256: s.rank-0of4.jsonl holds the answer already; kept");
  output.console.note(std::vector<std::string>{"one", "two"});
  CHECK(output.writes.all == std::vector<std::string>{
                                 "256x256x256: s.rank-0of4.jsonl holds the answer already; kept\n",
                                 "one\n",
                                 "two\n",
                             });
}

TEST_CASE("a note beside a progress bar is one write, and so is each redraw") {
  Unbuffered output;
  output.console.terminal_err = true;
  double now = 0;
  ProgressBar bar(output.console, [&now] { return now; });
  bar.begin("race", 4);
  now = 1;
  bar.advance(2, 109);
  REQUIRE(output.writes.all.size() == 2);
  for (const std::string& redraw : output.writes.all) {
    CHECK(redraw.front() == '\r');
    CHECK(std::string_view(redraw).substr(redraw.size() - 3) == "\033[K");
  }
  output.writes.all.clear();
  bar.note("refused: spills 8 bytes a thread");
  CHECK(output.writes.all.back() == "refused: spills 8 bytes a thread\n");
}

TEST_CASE("a sentence cannot end its line or give a CI runner a command") {
  Unbuffered output;
  output.console.note("a\n::error::b");
  output.console.note("::error::b");
  REQUIRE(output.writes.all.size() == 2);
  CHECK(output.writes.all[0] == "a\\x0a::error::b\n");
  CHECK(output.writes.all[1] == "\\x3a:error::b\n");
}

TEST_CASE(
    "an error holds no control character, line end, text direction mark or CI runner command") {
  const std::string hostile =
      "a\x1b[31m\a\r\x7f \xe2\x80\xae \xef\xbf\xbe \xff ##[error]b\n::error::c";
  for (const ExitCode code : {ExitCode::Usage, ExitCode::Environment}) {
    CHECK(error_text(hostile, code) ==
          "tilewright: a\\x1b[31m\\x07\\x0d\\x7f \\u202e \\xef\\xbf\\xbe \\xff #\\x23[error]b"
          "\\x0a::error::c\n");
  }
  // An internal error keeps its lines, because it may hold a compiler's log.
  CHECK(error_text("one\n::error::two\tthree", ExitCode::Internal) ==
        "tilewright: one\n\\x3a:error::two\\x09three\n");
}

TEST_CASE("a long error is cut between characters") {
  for (size_t offset = 0; offset < 4; ++offset) {
    std::string text(offset, 'x');
    for (int i = 0; i < 3000; ++i) text += "\xf0\x9f\x98\x80";
    const std::string said = error_text(text, ExitCode::Usage);
    CHECK(said.size() < 1000);
    CHECK_FALSE(first_unsafe_character(said.substr(0, said.size() - 1)));
  }
}

}  // namespace
}  // namespace tilewright
