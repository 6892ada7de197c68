// Layouts copied verbatim from public sources: `analyze` and `draw` read each, and get the layout
// that a separate evaluation of every thread, value or coordinate gave.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "outcome.hpp"
#include "support/temporary_folder.hpp"
#include "verbs/verbs.hpp"

using namespace tilewright;

namespace {

struct Spelling {
  std::string place;  // repository and path
  std::string meaning;
  std::string text;
};

std::string with_lines(std::string_view text) {
  std::string lines;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool line = text.substr(i, 2) == "\\n";
    lines += line ? '\n' : text[i];
    i += line ? 1 : 0;
  }
  return lines;
}

std::vector<Spelling> spellings() {
  std::vector<Spelling> all;
  const std::string file = read_file(TILEWRIGHT_SOURCE_DIR "/tests/data/layout_spellings.tsv");
  for (const std::string_view line : split(file, '\n')) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() != 5 || cells[0] == "repository") continue;
    all.push_back(
        {format("{} {}", cells[0], cells[1]), std::string(cells[3]), with_lines(cells[4])});
  }
  return all;
}

}  // namespace

TEST_CASE("analyze and draw read public spellings of layouts as the layouts that they mean") {
  const std::vector<Spelling> all = spellings();
  CHECK(all.size() >= 120);
  const testing::TemporaryFolder folder;
  for (const Spelling& one : all) {
    CAPTURE(one.place);
    CAPTURE(one.text);
    LayoutOptions analyzed;
    analyzed.expression = one.text;
    analyzed.equal = one.meaning;
    const testing::Outcome answer = testing::outcome_of([&](Console& console) {
      return print(run_analyze_layout(read_layout_options(analyzed)), analyzed.format, console);
    });
    CHECK(answer.code == ExitCode::Good);
    CHECK(answer.err == "");
    DrawLayoutOptions drawn;
    drawn.layout = as_layout(read_layout(one.text), "the layout");
    drawn.picture.output = (folder.path() / "layout.svg").string();
    CHECK(testing::outcome_of([&](Console& console) {
            return print(run_draw_layout(drawn), Format::Text, console);
          }).code == ExitCode::Good);
  }
}
