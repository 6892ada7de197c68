#include "layout/text/layout_lexer.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr size_t kMaxText = 65536;
constexpr size_t kMaxQuoted = 120;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string printable(std::string_view text) {
  std::string shown(text.substr(0, kMaxQuoted));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kMaxQuoted ? shown + "..." : shown;
}

}  // namespace

LayoutLexer::LayoutLexer(std::string_view text) : text_(text) {
  if (text.size() > kMaxText) {
    throw usage_error(
        format("a layout text of {} characters is longer than {}", text.size(), kMaxText));
  }
  advance();
}

LayoutToken LayoutLexer::take() {
  const LayoutToken taken = next_;
  advance();
  return taken;
}

bool LayoutLexer::at_argument_name() const {
  const std::string_view rest = trim(text_.substr(at_));
  return next_.kind == TokenKind::Word && rest.substr(0, 1) == "=" && rest.substr(0, 2) != "==";
}

bool LayoutLexer::accept(char symbol) {
  if (!at(symbol)) return false;
  advance();
  return true;
}

void LayoutLexer::expect(char symbol, std::string_view what) {
  if (!accept(symbol)) throw fail(format("expected '{}' {}", symbol, what));
}

int64_t LayoutLexer::expect_number(std::string_view what) {
  if (next_.kind != TokenKind::Number) throw fail(format("expected {}", what));
  return take().number;
}

void LayoutLexer::skip_to(char closing) {
  while (!at(closing)) {
    if (next_.kind == TokenKind::End) throw fail(format("expected '{}'", closing));
    advance();
  }
  advance();
}

Error LayoutLexer::fail(std::string_view message) const {
  const std::string found =
      next_.kind == TokenKind::End ? "the end" : format("'{}'", printable(next_.text));
  return fail_at(next_.column, format("{}, found {}", message, found));
}

Error LayoutLexer::fail_at(size_t column, std::string_view message) const {
  return usage_error(format("layout '{}', column {}: {}", printable(text_), column, message));
}

// NOLINTNEXTLINE(misc-no-recursion)
void LayoutLexer::advance() {
  skip_blanks();
  const size_t begin = at_;
  next_ = {.kind = TokenKind::End, .text = {}, .number = 0, .column = begin + 1};
  if (begin == text_.size()) return;
  const char c = text_[begin];
  const bool has_next = begin + 1 < text_.size();
  const char after = has_next ? text_[begin + 1] : '\0';
  if (is_digit(c) || ((c == '-' || c == '_') && (is_digit(after) || (c == '_' && after == '-')))) {
    read_number(begin);
    return;
  }
  if (c == '?') reject_unknown(begin);
  at_ = begin + 1;
  if (is_letter(c) || (c == '_' && is_letter(after))) {
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_')) {
      ++at_;
    }
    next_.kind = TokenKind::Word;
  } else {
    next_.kind = c == '_' ? TokenKind::Underscore : TokenKind::Symbol;
  }
  next_.text = text_.substr(begin, at_ - begin);
  const std::string_view rest = text_.substr(at_);
  constexpr std::string_view kNamespaces[] = {"cute",          "cutlass",
                                              "GMMA",          "SM90",
                                              "UMMA",          "nvgpu",
                                              "warp",          "warpgroup",
                                              "tcgen05",       "cpasync",
                                              "common",        "utils",
                                              "tensor_utils",  "hopper_helpers",
                                              "sm90_utils",    "SmemLayoutAtomKind",
                                              "LayoutEnum",    "OperandMajorMode",
                                              "OperandSource", "LoadCacheMode"};
  const bool is_namespace = std::find(std::begin(kNamespaces), std::end(kNamespaces), next_.text) !=
                            std::end(kNamespaces);
  if (is_namespace && (rest.substr(0, 1) == "." || rest.substr(0, 2) == "::")) {
    at_ += rest[0] == '.' ? 1 : 2;
    advance();
  }
}

// "{}", which makes a value of a C++ type, counts as blank.
void LayoutLexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_, 2) == "{}") {
      at_ += 2;
    } else {
      return;
    }
  }
}

void LayoutLexer::read_number(size_t begin) {
  const size_t digits = text_[begin] == '_' ? begin + 1 : begin;
  const std::string_view prefix = text_.substr(digits, 2);
  const int base = prefix == "0x" ? 16 : prefix == "0b" ? 2 : 10;
  const char* const first = text_.data() + digits + (base == 10 ? 0 : 2);
  const char* const end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(first, end, next_.number, base);
  at_ = begin + static_cast<size_t>(stop - (text_.data() + begin));
  if (error == std::errc::invalid_argument) throw fail_at(begin + 1, "expected a number");
  if (error != std::errc()) throw fail_at(begin + 1, "the number does not fit in 64 bits");
  next_.kind = TokenKind::Number;
  next_.text = text_.substr(begin, at_ - begin);
}

void LayoutLexer::reject_unknown(size_t begin) const {
  int64_t divisor = 1;
  const size_t close = text_.find('}', begin);
  if (begin + 1 < text_.size() && text_[begin + 1] == '{' && close != std::string_view::npos) {
    const std::string_view inside = text_.substr(begin, close - begin);
    const size_t at = inside.find("div=");
    if (at != std::string_view::npos) {
      divisor = std::max<int64_t>(parse_count(trim(inside.substr(at + 4))).value_or(1), 1);
    }
  }
  const std::string rule =
      divisor > 1 ? format("a multiple of {}, such as {}", divisor, divisor) : "such as 8";
  throw fail_at(begin + 1,
                format("'?' is known only at run time: write a number in its place, {}", rule));
}

}  // namespace tilewright
