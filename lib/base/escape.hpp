// Escapes foreign text, so that it cannot be taken for something else; one function per context.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

/// The first character that must not occur in a name, printed as by one_line(): a control
/// character, an invisible one, or malformed UTF-8. nullopt where all are allowed.
std::optional<std::string> first_unsafe_character(std::string_view name);

/// `text` on one line of a terminal, a log or a report: a control character as "\x0a", an invisible
/// one as "\u2028", a byte that is not UTF-8 as "\xff".
std::string one_line(std::string_view text);

/// A one_line() text for a CI log, without commands of its runner: GitHub's are "::x::" after
/// blanks and "##[x]" anywhere.
std::string log_line(std::string_view line);

/// `text` for a comment that ends with its line (C++, Python, YAML, shell), wherever the text is
/// broken into lines. As one_line(), but "<x0a>" instead of "\x0a", and without a backslash or
/// trigraph that would join the next line to the comment.
std::string comment_text(std::string_view text);

/// `text` between the quotes of a C++ string literal.
std::string cpp_text(std::string_view text);

/// `text` in a line of Markdown, or in a cell of its table: markup and HTML as plain text, a line
/// break as "<br>", and the rest as one_line().
std::string markdown_text(std::string_view text);

}  // namespace tilewright
