#include "base/escape.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace tilewright {
namespace {

bool is_hidden(const CodePoint& point) {
  return is_control(point.code) || is_invisible(point.code) || is_malformed(point);
}

// The blanks that .NET trims; GitHub's runner is written in .NET.
bool is_blank(char32_t code) {
  constexpr char32_t kBlanks[] = {0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000};
  return std::find(std::begin(kBlanks), std::end(kBlanks), code) != std::end(kBlanks) ||
         (code >= 0x2000 && code <= 0x200a);
}

// "x0a" or "u2028".
std::string number_of(const CodePoint& point, std::string_view bytes) {
  if (is_malformed(point)) return format("x{:02x}", static_cast<unsigned char>(bytes.front()));
  const auto code = static_cast<uint32_t>(point.code);
  return code < 0x100 ? format("x{:02x}", code) : format("u{:04x}", code);
}

// Replaces each character by show(point, its bytes).
template <class Show>
std::string shown_by(std::string_view text, const Show& show) {
  std::string shown;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    shown += show(point, text.substr(0, point.bytes));
    text.remove_prefix(point.bytes);
  }
  return shown;
}

}  // namespace

std::optional<std::string> first_unsafe_character(std::string_view name) {
  while (!name.empty()) {
    const CodePoint point = first_code_point(name);
    if (is_hidden(point)) return one_line(name.substr(0, point.bytes));
    name.remove_prefix(point.bytes);
  }
  return std::nullopt;
}

std::string one_line(std::string_view text) {
  return shown_by(text, [](const CodePoint& point, std::string_view bytes) {
    return is_hidden(point) ? format("\\{}", number_of(point, bytes)) : std::string(bytes);
  });
}

std::string log_line(std::string_view line) {
  std::string shown(line);
  size_t first = 0;
  while (first < shown.size()) {
    const CodePoint point = first_code_point(line.substr(first));
    if (!is_blank(point.code)) break;
    first += point.bytes;
  }
  if (shown.compare(first, 2, "::") == 0) shown.replace(first, 1, "\\x3a");
  for (size_t at = shown.find("##["); at != std::string::npos; at = shown.find("##[", at)) {
    shown.replace(at + 1, 1, "\\x23");
  }
  return shown;
}

std::string comment_text(std::string_view text) {
  bool after_question = false;
  return shown_by(text, [&](const CodePoint& point, std::string_view bytes) {
    const bool twice = after_question && point.code == U'?';
    after_question = point.code == U'?' && !twice;
    const bool escaped = is_hidden(point) || point.code == U'\\' || twice;
    return escaped ? format("<{}>", number_of(point, bytes)) : std::string(bytes);
  });
}

std::string markdown_text(std::string_view text) {
  return shown_by(text, [](const CodePoint& point, std::string_view bytes) -> std::string {
    constexpr std::u32string_view kMarkup = U"|\\`*_[]~#";
    switch (point.code) {
      case U'&': return "&amp;";
      case U'<': return "&lt;";
      case U'>': return "&gt;";
      case U'\n': return "<br>";
      default: break;
    }
    if (kMarkup.find(point.code) != std::u32string_view::npos) return format("\\{}", bytes);
    return is_hidden(point) ? format("\\\\{}", number_of(point, bytes)) : std::string(bytes);
  });
}

std::string cpp_text(std::string_view text) {
  return shown_by(text, [](const CodePoint& point, std::string_view bytes) {
    const bool quoted = point.code == U'"' || point.code == U'\\' || point.code == U'?';
    if (quoted) return format("\\{}", bytes);
    if (!is_hidden(point)) return std::string(bytes);
    // Always three octal digits: after fewer, a digit of the text would become part of the escape.
    std::string octal;
    for (const char byte : bytes) octal += format("\\{:03o}", static_cast<unsigned char>(byte));
    return octal;
  });
}

}  // namespace tilewright
