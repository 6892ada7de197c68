// Somebody's text where it could be taken for something else: one function a place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

/// The first character that has no place in a name, as one_line() shows it: a control character, an
/// invisible one, or what is no UTF-8. Nothing where all have.
std::optional<std::string> misplaced_letter(std::string_view name);

/// `text` on one line of a terminal, a log or a report: a control character as "\x0a", an invisible
/// one as "\u2028", a byte that is no UTF-8 as "\xff".
std::string one_line(std::string_view text);

/// A one_line() of a CI log that no runner takes for a command: GitHub's are "::x::" behind blanks
/// and "##[x]" anywhere.
std::string log_line(std::string_view line);

/// `text` inside of a comment that ends with its line, in C++, Python, YAML or a shell, wherever it
/// is broken into lines: as one_line(), but "<x0a>" for "\x0a", and no backslash or trigraph that
/// would join the next line to the comment.
std::string comment_text(std::string_view text);

/// `text` between the quotes of a C++ string literal.
std::string cpp_text(std::string_view text);

}  // namespace tilewright
