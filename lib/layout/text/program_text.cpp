#include "layout/text/program_text.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr size_t kMaxProgram = 65536;

using Names = std::map<std::string, std::string, std::less<>>;

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string with_names(std::string_view text, const Names& names) {
  std::string replaced;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && in_word(text[end])) ++end;
    const auto found = names.find(text.substr(i, end - i));
    end = std::max(end, i + 1);
    replaced += found == names.end() ? std::string(text.substr(i, end - i)) : found->second;
    if (replaced.size() > kMaxProgram) {
      throw usage_error("the names of a program expand to more text than the limit of a layout");
    }
    i = end;
  }
  return replaced;
}

// The position of the first "=" if no bracket comes before it, else npos.
size_t equals_of(std::string_view text) {
  const size_t at = text.find_first_of("=(<[{");
  return at == std::string_view::npos || text[at] != '=' ? std::string_view::npos : at;
}

// The last word before "=".
std::string_view name_before(std::string_view text) {
  text = trim(text);
  size_t begin = text.size();
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Ends a statement at ";" outside brackets (arguments of an operation may be separated by it, too);
// in a program without any, at the end of a line "name = value", as CuTe DSL does.
std::vector<std::string_view> statements_of(std::string_view program) {
  std::vector<std::string_view> statements;
  const bool by_line = program.find(';') == std::string_view::npos;
  size_t begin = 0;
  size_t equals = equals_of(program);
  int depth = 0;
  for (size_t i = 0; i <= program.size(); ++i) {
    const char c = i < program.size() ? program[i] : ';';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    const bool line = c == '\n' && by_line && equals < i &&
                      !trim(program.substr(equals + 1, i - equals - 1)).empty();
    if ((c != ';' && !line) || (depth > 0 && i < program.size())) continue;
    const std::string_view one = trim(program.substr(begin, i - begin));
    if (!one.empty()) statements.push_back(one);
    begin = i + 1;
    if (by_line && i < program.size()) {
      const size_t next = equals_of(program.substr(begin));
      equals = next == std::string_view::npos ? next : begin + next;
    }
  }
  return statements;
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") i = std::min(text.find('\n', i), text.size());
    if (i < text.size()) plain += text[i];
  }
  return plain;
}

std::string text_of_statements(std::string_view program) {
  Names names;
  std::string value;
  for (const std::string_view statement : statements_of(program)) {
    const size_t equals = equals_of(statement);
    const bool named = equals != std::string_view::npos;
    value = with_names(named ? trim(statement.substr(equals + 1)) : statement, names);
    const std::string_view name = named ? name_before(statement.substr(0, equals)) : "";
    if (!name.empty()) names.insert_or_assign(std::string(name), value);
  }
  return value;
}

}  // namespace tilewright
