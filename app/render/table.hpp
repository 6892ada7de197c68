// Tables: aligned columns that fit the window, for people, or comma-separated values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

/// The outputs in which a column appears.
enum class ColumnOf { Both, Text, Csv };

/// A column. In a narrow window, columns that are equal in all rows are dropped first, then those
/// with the highest `drop`; those with 0 stay.
struct Column {
  std::string title;
  bool right = true;  // numbers
  int drop = 0;
  ColumnOf of = ColumnOf::Both;
  std::string csv_title = {};  // empty: `title`
};

/// The width of prose where there is no window, for example in help.
inline constexpr int kTextWidth = 80;

/// A line of a report: a name and its value. The values of all lines are aligned.
std::string row(std::string_view name, const std::string& value);

/// A sentence in lines of at most `width` columns, each with a final newline. The first line
/// follows `head`, and the others are indented to where it ends. 0: one line.
std::string sentence_lines(const std::string& sentence, int width, const std::string& head = "");

/// Rows of cells, one cell per column.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The title line and the rows, each with a final newline, then a line that names the dropped
  /// columns. Columns are dropped until lines have at most `width` columns; 0: no limit. Columns
  /// without any content are left out.
  std::string render(int width) const;
  /// Comma-separated values as in RFC 4180: the titles, if requested, then the rows; all columns,
  /// also empty ones. Empty where there are no columns.
  std::string csv(bool with_titles = true) const;
  /// A table of Markdown: the titles, if requested, then the rows; the columns of text, also
  /// empty ones. Empty where there are no columns.
  std::string markdown(bool with_titles = true) const;

 private:
  struct Shown {
    size_t index;
    size_t width;
  };
  struct Fitted;
  bool is_alike(size_t column) const;
  Fitted fit(int width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tilewright
