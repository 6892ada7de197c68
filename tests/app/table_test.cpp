#include "render/table.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

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

TEST_CASE("in a narrow window the columns with the highest `drop` are left out first") {
  const int full = static_cast<int>(widest(sample_table().render(0)));
  for (int width = 13; width <= full; ++width) {
    CAPTURE(width);
    const std::string text = sample_table().render(width);
    CHECK(widest(text) <= static_cast<size_t>(width));
    const std::string titles = text.substr(0, text.find('\n'));
    if (width < full) CHECK(titles.find("extra") == std::string::npos);
    if (titles.find("extra") != std::string::npos) CHECK(titles.find("more") != std::string::npos);
    // The columns that are left out are named below the table.
    CHECK((titles.find("extra") == std::string::npos) ==
          (text.find("not shown:") != std::string::npos));
  }
  CHECK(sample_table().render(full).find("extra") != std::string::npos);
  CHECK(sample_table().render(5).find("12.25") != std::string::npos);  // these columns always stay
}

TEST_CASE("columns that are equal in all rows are left out first, and printed below") {
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
        "not shown:\n"
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

// The fields of a line of comma-separated values, by RFC 4180's grammar.
std::vector<std::vector<std::string>> parsed_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& field = lines.back().back();
    if (text[i] == '"') {
      const bool doubled = is_quoted && i + 1 < text.size() && text[i + 1] == '"';
      if (doubled) field += text[++i];
      if (!doubled) is_quoted = !is_quoted;
    } else if (is_quoted || (text[i] != ',' && text[i] != '\r' && text[i] != '\n')) {
      field += text[i];
    } else if (text[i] == ',') {
      lines.back().emplace_back();
    } else if (text[i] == '\n') {
      lines.emplace_back(1);
    }
  }
  lines.pop_back();
  return lines;
}

TEST_CASE("comma-separated values parse back to the cells, which may contain any text") {
  Table table({{"problem", false, 0, ColumnOf::Csv},
               {"a, \"b\"", true, 3},
               {"range", true, 1, ColumnOf::Text},
               {"", false, 0, ColumnOf::Both, "note"},
               {"empty", true, 0}});
  const std::vector<std::vector<std::string>> cells = {
      {"8x8x8", "swizzle-merge:8,4", "1..2", "said \"no\"", ""},
      {"1x1x1", "two\r\nlines", "3..4", ",", ""}};
  for (const auto& row : cells) table.add_row(row);
  const auto lines = parsed_csv(table.csv());
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == std::vector<std::string>{"problem", "a, \"b\"", "note", "empty"});
  for (size_t i = 0; i < cells.size(); ++i) {
    CHECK(lines[i + 1] ==
          std::vector<std::string>{cells[i][0], cells[i][1], cells[i][3], cells[i][4]});
  }
  CHECK(table.csv().ends_with("\r\n"));
  // A column that is only for CSV is not in the text.
  CHECK(table.render(0).find("problem") == std::string::npos);
  CHECK(table.render(0).find("1..2") != std::string::npos);
}

// The cells of a row of a table of Markdown: what stands between bars that no backslash precedes.
std::vector<std::string> markdown_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

TEST_CASE(
    "every row of a table of Markdown has a cell for each title, whatever the cells contain") {
  Table table({{"#", true},
               {"problem", false, 0, ColumnOf::Csv},
               {"95 %", true, 1, ColumnOf::Text},
               {"why | not", false},
               {"", false}});
  table.add_row({"1", "8x8x8", "1..2", "a|b\nc", "`x` <b>"});
  table.add_row({"2", "1x1x1", "", "", ""});
  const std::string text = table.markdown();
  const std::vector<std::string_view> lines =
      split(std::string_view(text).substr(0, text.size() - 1), '\n');
  REQUIRE(lines.size() == 4);
  for (const std::string_view line : lines) {
    CHECK(markdown_cells(std::string(line)).size() == markdown_cells(std::string(lines[0])).size());
    CHECK(line.front() == '|');
    CHECK(line.back() == '|');
  }
  CHECK(lines[1] == "|---:|---:|---|---|");
  CHECK(text.find("8x8x8") == std::string::npos);
  CHECK(lines[2] == "| 1 | 1..2 | a\\|b<br>c | \\`x\\` &lt;b&gt; |");
  CHECK(table.markdown(false) == text.substr(text.find("| 1 ")));
  CHECK(Table({}).markdown().empty());
  CHECK(Table({}).csv().empty());
}

TEST_CASE("a sentence fills the window, and continues on the next line where it began") {
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
