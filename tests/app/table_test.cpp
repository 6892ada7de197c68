#include "table.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace tilewright {
namespace {

Table sample_table() {
  Table table({{"name", false, 0}, {"us", true, 0}, {"extra", true, 2}, {"more", false, 1}});
  table.add_row({"a", "1.5", "100", "x"});
  table.add_row({"longer", "12.25", "7", "yyyyyyyy"});
  return table;
}

size_t widest(const std::string& text) {
  std::istringstream lines(text);
  size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

TEST_CASE("columns are aligned: text left, numbers right, no blanks at the ends") {
  CHECK(sample_table().render(0) ==
        "name       us  extra  more\n"
        "a         1.5    100  x\n"
        "longer  12.25      7  yyyyyyyy\n");
}

TEST_CASE("in a narrow window the columns with the highest drop leave first") {
  const int full = static_cast<int>(widest(sample_table().render(0)));
  for (int width = 13; width <= full; ++width) {
    CAPTURE(width);
    const std::string text = sample_table().render(width);
    CHECK(widest(text) <= static_cast<size_t>(width));
    const std::string titles = text.substr(0, text.find('\n'));
    if (width < full) CHECK(titles.find("extra") == std::string::npos);
    if (titles.find("extra") != std::string::npos) CHECK(titles.find("more") != std::string::npos);
    // What left is named below.
    CHECK((titles.find("extra") == std::string::npos) ==
          (text.find("left out:") != std::string::npos));
  }
  CHECK(sample_table().render(full).find("extra") != std::string::npos);
  CHECK(sample_table().render(5).find("12.25") != std::string::npos);  // these never leave
}

TEST_CASE("columns that are alike in all rows leave first, and are told below") {
  Table table({{"name", false, 0}, {"stages", true, 1}, {"us", true, 2}, {"l2", true, 3}});
  table.add_row({"first", "4", "100.5", "128"});
  table.add_row({"second", "4", "200.5", "128"});
  CHECK(table.render(25) ==
        "name    stages     us\n"
        "first        4  100.5\n"
        "second       4  200.5\n"
        "in all rows: l2 128\n");
  CHECK(table.render(20) ==
        "name       us\n"
        "first   100.5\n"
        "second  200.5\n"
        "in all rows: l2 128,\n"
        "stages 4\n");
  CHECK(table.render(0).find("in all rows") == std::string::npos);
  // A single row has nothing to compare.
  Table single({{"name", false, 0}, {"stages", true, 1}});
  single.add_row({"a long name", "4"});
  CHECK(single.render(12) ==
        "name\n"
        "a long name\n"
        "left out:\n"
        "stages; 19\n"
        "columns, a\n"
        "pipe or\n"
        "--format\n"
        "json show\n"
        "all\n");
}

TEST_CASE("a column without content is left out") {
  Table table({{"a", false, 0}, {"empty", true, 0}});
  table.add_row({"x", ""});
  CHECK(table.render(0) == "a\nx\n");
}

TEST_CASE("a sentence fills the window, and goes on below where it began") {
  CHECK(sentence_lines("add a device", 0, "-> ") == "-> add a device\n");
  CHECK(sentence_lines("add a device", 80) == "add a device\n");
  const std::string text = sentence_lines(
      "use a preset such as h200, which predicts and needs no driver", 40, "problem   ");
  CHECK(text ==
        "problem   use a preset such as h200,\n"
        "          which predicts and needs no\n"
        "          driver\n");
}

}  // namespace
}  // namespace tilewright
