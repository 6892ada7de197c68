// Reduces lines of a program to one layout expression.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// The text without its "//" comments.
std::string without_comments(std::string_view text);

/// The right side of the last statement of "auto bM = Int<128>{}; using L = Layout<Shape<bM>>;",
/// with the names that earlier statements define replaced by their values; without any ";" a line
/// "name = value" is a statement, as in Python. Throws a usage error
/// where a replaced text has more than 65536 characters.
std::string text_of_statements(std::string_view program);

}  // namespace tilewright
