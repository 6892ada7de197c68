#include "table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr size_t kGap = 2;  // blanks between columns

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string blank(width - std::min(width, text.size()), ' ');
  return right ? blank + text : text + blank;
}

void drop_last_trailing_blanks(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string row(std::string_view name, const std::string& value) {
  return format("{:<18}{}\n", name, value);
}

std::string Table::render(int width) const {
  struct Shown {
    size_t index;
    size_t width;
  };
  std::vector<Shown> shown;
  size_t total = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t content = 0;
    for (const auto& row : rows_) content = std::max(content, row[i].size());
    if (content == 0) continue;
    shown.push_back({i, std::max(content, columns_[i].title.size())});
    total += shown.back().width + kGap;
  }
  const auto drop_of = [this](const Shown& column) { return columns_[column.index].drop; };
  while (width > 0 && total > static_cast<size_t>(width) + kGap) {
    const auto first_to_go =
        std::max_element(shown.begin(), shown.end(),
                         [&](const Shown& a, const Shown& b) { return drop_of(a) < drop_of(b); });
    if (first_to_go == shown.end() || drop_of(*first_to_go) == 0) break;
    total -= first_to_go->width + kGap;
    shown.erase(first_to_go);
  }
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
  return text;
}

}  // namespace tilewright
