#include "support/golden.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

bool& updating() {
  static bool update = false;
  return update;
}

std::string quoted_lines(const std::vector<std::string_view>& lines, size_t begin, char mark) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = begin; i < lines.size() && i < begin + kShown; ++i) {
    text += format("{} {}\n", mark, lines[i]);
  }
  return text;
}

}  // namespace

void update_golden_files(bool update) {
  updating() = update;
}

std::string golden_difference(std::string_view name, std::string_view actual) {
  const std::filesystem::path path =
      std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests" / "golden" / name;
  if (updating()) {
    write_file(path, actual);
    return "";
  }
  const std::string expected = std::filesystem::exists(path) ? read_file(path) : "";
  if (expected == actual) return "";
  const std::vector<std::string_view> old_lines = split(expected, '\n');
  const std::vector<std::string_view> new_lines = split(actual, '\n');
  const auto [old_at, new_at] =
      std::mismatch(old_lines.begin(), old_lines.end(), new_lines.begin(), new_lines.end());
  const auto line = static_cast<size_t>(old_at - old_lines.begin());
  return format("tests/golden/{} differs from line {}:\n{}{}accept it with --update-golden\n", name,
                line + 1, quoted_lines(old_lines, line, '-'), quoted_lines(new_lines, line, '+'));
}

}  // namespace tilewright
