#include "render/table.hpp"

#include <algorithm>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr size_t kGap = 2;  // blanks between columns

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string blank(width - std::min(width, text.size()), ' ');
  return right ? blank + text : text + blank;
}

// A field of comma-separated values, quoted where it contains a separator.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
  return join(fields, ",") + "\r\n";
}

void drop_last_trailing_blanks(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string row(std::string_view name, const std::string& value) {
  return format("{:<18}{}\n", name, one_line(value));
}

std::string sentence_lines(const std::string& words, int width, const std::string& head) {
  const std::string sentence = one_line(words);
  if (width <= 0) return format("{}{}\n", head, sentence);
  // The least width of the sentence beside a head that fills the window.
  const size_t least = head.empty() ? 0 : 20;
  const size_t room = std::max(static_cast<size_t>(width), head.size() + least) - head.size();
  std::string text;
  for (const std::string& line : wrap(sentence, room)) {
    text += format("{}{}\n", text.empty() ? head : std::string(head.size(), ' '), line);
  }
  return text;
}

// The columns that fit. Lines below the table give the values of columns that are equal in all rows
// (`alike`), and the names of the others (`left_out`).
struct Table::Fitted {
  std::vector<Shown> shown;
  std::vector<std::string> alike;
  std::vector<std::string> left_out;
  size_t needed = 0;  // text columns that all table columns would take
};

bool Table::is_alike(size_t column) const {
  return rows_.size() > 1 && std::all_of(rows_.begin(), rows_.end(), [&](const auto& row) {
           return row[column] == rows_.front()[column];
         });
}

Table::Fitted Table::fit(int width) const {
  Fitted fitted;
  std::vector<Shown>& shown = fitted.shown;
  size_t total = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].of == ColumnOf::Csv) continue;
    size_t content = 0;
    for (const auto& row : rows_) content = std::max(content, row[i].size());
    if (content == 0) continue;
    shown.push_back({i, std::max(content, columns_[i].title.size())});
    total += shown.back().width + kGap;
  }
  fitted.needed = std::max(total, kGap) - kGap;
  const auto order_of = [this](const Shown& column) {
    return std::pair(is_alike(column.index), columns_[column.index].drop);
  };
  const auto goes_later = [&](const Shown& a, const Shown& b) {
    const bool stays_a = columns_[a.index].drop == 0;
    const bool stays_b = columns_[b.index].drop == 0;
    return stays_a != stays_b ? stays_a : order_of(a) < order_of(b);
  };
  while (width > 0 && total > static_cast<size_t>(width) + kGap) {
    const auto first = std::max_element(shown.begin(), shown.end(), goes_later);
    if (first == shown.end() || columns_[first->index].drop == 0) break;
    const std::string& title = columns_[first->index].title;
    if (is_alike(first->index)) {
      fitted.alike.push_back(
          std::string(trim(format("{} {}", title, rows_.front()[first->index]))));
    } else if (!title.empty()) {
      fitted.left_out.push_back(title);
    }
    total -= first->width + kGap;
    shown.erase(first);
  }
  return fitted;
}

std::string Table::render(int width) const {
  const Fitted fitted = fit(width);
  const std::vector<Shown>& shown = fitted.shown;
  std::string text;
  for (size_t row = 0; row <= rows_.size(); ++row) {
    std::string line;
    for (const Shown& column : shown) {
      const Column& head = columns_[column.index];
      const std::string& cell = row == 0 ? head.title : rows_[row - 1][column.index];
      if (!line.empty()) line += std::string(kGap, ' ');
      line += padded(cell, column.width, head.right);
    }
    drop_last_trailing_blanks(line);
    text += line + '\n';
  }
  if (!fitted.alike.empty())
    text += sentence_lines(format("in all rows: {}", join(fitted.alike, ", ")), width);
  if (!fitted.left_out.empty()) {
    text += sentence_lines(format("not shown: {}; {} columns, a pipe or --format json show all",
                                  join(fitted.left_out, ", "), fitted.needed),
                           width);
  }
  return text;
}

std::string Table::csv(bool with_titles) const {
  if (columns_.empty()) return {};
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    if (column.of == ColumnOf::Text) continue;
    titles.push_back(csv_field(column.csv_title.empty() ? column.title : column.csv_title));
  }
  std::string text = with_titles ? csv_line(titles) : "";
  for (const std::vector<std::string>& row : rows_) {
    std::vector<std::string> fields;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].of != ColumnOf::Text) fields.push_back(csv_field(row[i]));
    }
    text += csv_line(fields);
  }
  return text;
}

std::string Table::markdown(bool with_titles) const {
  std::string titles;
  std::string rule;
  for (const Column& column : columns_) {
    if (column.of == ColumnOf::Csv) continue;
    titles += format("| {} ", markdown_text(column.title));
    rule += column.right ? "|---:" : "|---";
  }
  if (titles.empty()) return {};
  std::string text = with_titles ? format("{}|\n{}|\n", titles, rule) : "";
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].of != ColumnOf::Csv) text += format("| {} ", markdown_text(row[i]));
    }
    text += "|\n";
  }
  return text;
}

}  // namespace tilewright
