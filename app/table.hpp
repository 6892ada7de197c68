// Tables: aligned columns that fit the window, for people, or comma-separated values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

/// Where a column is.
enum class ColumnOf { Both, Text, Csv };

/// A column; where the window is narrow, columns that are alike in all rows leave first, then those
/// with the highest `drop`; those with 0 stay.
struct Column {
  std::string title;
  bool right = true;  // numbers
  int drop = 0;
  ColumnOf of = ColumnOf::Both;
  std::string csv_title = {};  // empty: `title`
};

/// Columns of sentences where there is no window, as of help.
inline constexpr int kTextWidth = 80;

/// A line of a report: what is told, and its value, the values of all lines below each other.
std::string row(std::string_view name, const std::string& value);

/// A sentence in lines of at most `width` columns, each with a final newline, the first one behind
/// `head` and the others below where it ends; 0: in one line.
std::string sentence_lines(const std::string& sentence, int width, const std::string& head = "");

/// Rows of cells, one a column.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Title line and rows, each with a final newline and at most `width` columns as long as columns
  /// can be dropped, and what was dropped below; 0: no limit. Columns without any content are left
  /// out.
  std::string render(int width) const;
  /// Comma-separated values as in RFC 4180: all columns, empty ones too; titles are a line where
  /// `with_titles`.
  std::string csv(bool with_titles = true) const;

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
