#include "base/escape.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace tilewright {
namespace {

// Pieces that end a line, a comment or a literal in some language, and parts of such pieces.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all = {"\n",
                                               "\r",
                                               "\\",
                                               "\"",
                                               "'",
                                               "?\?/",
                                               "?",
                                               "/",
                                               "*/",
                                               "/*",
                                               "//",
                                               "#",
                                               "##[",
                                               "::",
                                               "$(x)",
                                               "`",
                                               "\"\"\"",
                                               "'''",
                                               "\t",
                                               std::string(1, '\0'),
                                               "\x1b[31m",
                                               "\x7f",
                                               "\xc2\x85",
                                               "\xc2",
                                               "\xff",
                                               "\xe2\x80\xa8",
                                               "\xe2\x80",
                                               "\xe2\x80\xa9",
                                               "\xe2\x80\xae",
                                               "\xed\xa0\x80",
                                               "\xef\xbf\xbe",
                                               "\xef\xbf\xbf",
                                               "\xef\xbb\xbf",
                                               "\xef\xbf\xbd",
                                               "%",
                                               "a",
                                               " ",
                                               "7",
                                               "\xc3\xa9",
                                               "\xf0\x9f\x98\x80"};
  return all;
}

// The characters that a reader of Markdown shows for a text; "?" at markup that is not escaped.
std::string shown_markdown(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    size_t bytes = 1;
    if (text.front() == '\\' && text.size() > 1) {
      shown += text[1];
      bytes = 2;
    } else if (text.starts_with("<br>")) {
      shown += '\n';
      bytes = 4;
    } else if (text.front() == '&' && text.find(';') != std::string_view::npos) {
      const std::string_view name = text.substr(0, text.find(';') + 1);
      shown += name == "&amp;" ? '&' : name == "&lt;" ? '<' : name == "&gt;" ? '>' : '?';
      bytes = name.size();
    } else {
      shown += std::string_view("&<>|`*_[]~#").find(text.front()) != std::string_view::npos
                   ? '?'
                   : text.front();
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string hostile_text(std::mt19937& random) {
  std::string text;
  for (auto count = random() % 12; count > 0; --count) {
    text += pieces()[random() % pieces().size()];
  }
  return text;
}

// Evaluates the inside of a literal as a C++ compiler does; every '"' in it must be escaped.
std::string compiled(const std::string& literal) {
  std::string text;
  for (size_t i = 0; i < literal.size(); ++i) {
    REQUIRE(literal[i] != '"');
    REQUIRE(literal[i] != '\n');
    REQUIRE(literal.compare(i, 2, "??") != 0);
    if (literal[i] != '\\') {
      text += literal[i];
    } else if (literal[i + 1] >= '0' && literal[i + 1] <= '7') {
      text += static_cast<char>(std::stoi(literal.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      text += literal[++i];
    }
  }
  return text;
}

TEST_CASE("one_line() leaves no control or malformed character and keeps harmless text") {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = hostile_text(random);
    CAPTURE(text);
    const std::string line = one_line(text);
    CHECK(!first_unsafe_character(line));
    CHECK(one_line(line) == line);
    CHECK((line == text) == !first_unsafe_character(text));
  }
  CHECK(one_line("a\nb\t\x1b[m") == "a\\x0ab\\x09\\x1b[m");
  CHECK(one_line("\xe2\x80\xa8\xff\xc2\x85") == "\\u2028\\xff\\x85");
  CHECK(first_unsafe_character("caf\xc3\xa9\xef\xbf\xbe") == "\\xef");
  CHECK(!first_unsafe_character("caf\xc3\xa9 \xe4\xb8\xad \xef\xbf\xbd"));
}

TEST_CASE("comment_text() leaves nothing that ends a comment or joins the next line to it") {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = hostile_text(random);
    CAPTURE(text);
    const std::string comment = comment_text(text);
    CHECK(!first_unsafe_character(comment));
    CHECK(comment.find('\\') == std::string::npos);
    CHECK(comment.find("??") == std::string::npos);
    CHECK(comment_text(comment) == comment);
  }
  CHECK(comment_text("NVIDIA H200 (9.0, 132 SMs)") == "NVIDIA H200 (9.0, 132 SMs)");
  CHECK(comment_text("0.1\n#error pwn\\") == "0.1<x0a>#error pwn<x5c>");
  CHECK(comment_text("what?\?\?/") == "what?<x3f>?/");
}

TEST_CASE("a C++ literal holds the text that it was made from") {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = hostile_text(random);
    CAPTURE(text);
    const std::string literal = cpp_text(text);
    CHECK(!first_unsafe_character(literal));
    CHECK(compiled(literal) == text);
  }
  CHECK(cpp_text("bf16 tn -> f32 + bias") == "bf16 tn -> f32 + bias");
}

TEST_CASE("a line of a log is never a command to the CI runner that shows it") {
  std::mt19937 random(4);
  for (int i = 0; i < 3000; ++i) {
    const std::string line = log_line(one_line(hostile_text(random)));
    CAPTURE(line);
    CHECK(!trim(line).starts_with("::"));
    CHECK(line.find("##[") == std::string::npos);
  }
  CHECK(log_line("\xc2\xa0\xe3\x80\x80::x") == "\xc2\xa0\xe3\x80\x80\\x3a:x");
  CHECK(log_line("  ::error::x") == "  \\x3a:error::x");
  CHECK(log_line("ns::x ##[error]x") == "ns::x #\\x23[error]x");
}

TEST_CASE("characters are read one by one, malformed input byte by byte") {
  std::mt19937 random(5);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = hostile_text(random);
    std::string_view rest = text;
    while (!rest.empty()) {
      const CodePoint point = first_code_point(rest);
      REQUIRE(point.bytes <= rest.size());
      if (is_malformed(point)) CHECK(static_cast<unsigned char>(rest.front()) >= 0x80);
      rest.remove_prefix(point.bytes);
    }
  }
  CHECK(first_code_point("\xef\xbf\xbd").bytes == 3);
  CHECK(is_malformed(first_code_point("\xef\xbf\xbf")));
  CHECK(first_code_point("\xf0\x9f\x98\x80").code == 0x1f600);
}

TEST_CASE("a reader of Markdown shows the text itself, on one line and without hidden characters") {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = hostile_text(random);
    CAPTURE(text);
    const std::string markdown = markdown_text(text);
    CHECK(!first_unsafe_character(markdown));
    std::vector<std::string> lines;
    for (const std::string_view line : split(text, '\n')) lines.push_back(one_line(line));
    CHECK(shown_markdown(markdown) == join(lines, "\n"));
  }
}

}  // namespace
}  // namespace tilewright
