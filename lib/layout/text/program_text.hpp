// Lines of a program as one expression.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Without what stands behind "//" on each line.
std::string without_comments(std::string_view text);

/// The value of the last statement of "auto bM = Int<128>{}; using L = Layout<Shape<bM>>;", with
/// the names of those before it replaced by what they stand for. Throws a
/// usage error where the names grow without end.
std::string text_of_statements(std::string_view program);

}  // namespace tilewright
