#include "base/escape.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace tilewright {
namespace {

bool is_hidden(const Letter& letter) {
  return is_control(letter.code) || is_invisible(letter.code) || is_malformed(letter);
}

// The blanks that .NET trims; GitHub's runner is written in .NET.
bool is_blank(char32_t code) {
  constexpr char32_t kBlanks[] = {0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000};
  return std::find(std::begin(kBlanks), std::end(kBlanks), code) != std::end(kBlanks) ||
         (code >= 0x2000 && code <= 0x200a);
}

// "x0a" or "u2028".
std::string number_of(const Letter& letter, std::string_view bytes) {
  if (is_malformed(letter)) return format("x{:02x}", static_cast<unsigned char>(bytes.front()));
  const auto code = static_cast<uint32_t>(letter.code);
  return code < 0x100 ? format("x{:02x}", code) : format("u{:04x}", code);
}

// Replaces each character by show(letter, its bytes).
template <class Show>
std::string shown_by(std::string_view text, const Show& show) {
  std::string shown;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    shown += show(letter, text.substr(0, letter.bytes));
    text.remove_prefix(letter.bytes);
  }
  return shown;
}

}  // namespace

std::optional<std::string> misplaced_letter(std::string_view name) {
  while (!name.empty()) {
    const Letter letter = first_letter(name);
    if (is_hidden(letter)) return one_line(name.substr(0, letter.bytes));
    name.remove_prefix(letter.bytes);
  }
  return std::nullopt;
}

std::string one_line(std::string_view text) {
  return shown_by(text, [](const Letter& letter, std::string_view bytes) {
    return is_hidden(letter) ? format("\\{}", number_of(letter, bytes)) : std::string(bytes);
  });
}

std::string log_line(std::string_view line) {
  std::string shown(line);
  size_t first = 0;
  while (first < shown.size()) {
    const Letter letter = first_letter(line.substr(first));
    if (!is_blank(letter.code)) break;
    first += letter.bytes;
  }
  if (shown.compare(first, 2, "::") == 0) shown.replace(first, 1, "\\x3a");
  for (size_t at = shown.find("##["); at != std::string::npos; at = shown.find("##[", at)) {
    shown.replace(at + 1, 1, "\\x23");
  }
  return shown;
}

std::string comment_text(std::string_view text) {
  bool after_question = false;
  return shown_by(text, [&](const Letter& letter, std::string_view bytes) {
    const bool twice = after_question && letter.code == U'?';
    after_question = letter.code == U'?' && !twice;
    const bool escaped = is_hidden(letter) || letter.code == U'\\' || twice;
    return escaped ? format("<{}>", number_of(letter, bytes)) : std::string(bytes);
  });
}

std::string cpp_text(std::string_view text) {
  return shown_by(text, [](const Letter& letter, std::string_view bytes) {
    const bool quoted = letter.code == U'"' || letter.code == U'\\' || letter.code == U'?';
    if (quoted) return format("\\{}", bytes);
    if (!is_hidden(letter)) return std::string(bytes);
    // Always three octal digits: after fewer, a digit of the text would become part of the escape.
    std::string octal;
    for (const char byte : bytes) octal += format("\\{:03o}", static_cast<unsigned char>(byte));
    return octal;
  });
}

}  // namespace tilewright
