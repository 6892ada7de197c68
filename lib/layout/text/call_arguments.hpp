// Reads the arguments of a call, by position or by name.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "layout/text/layout_lexer.hpp"

namespace tilewright {

/// One parameter: its name in Python, another name that it has elsewhere, and the function that
/// reads its argument from the lexer.
struct CallParameter {
  std::string_view name;
  std::function<void()> read;
  bool required = true;
  std::string_view other_name = {};
};

/// Reads "A, B, name = C" up to and including `closing`. Throws a usage error that names the call
/// and the argument that is missing, unknown, too many or given twice.
void read_arguments(LayoutLexer& lexer, std::string_view call, char closing,
                    const std::vector<CallParameter>& parameters);

}  // namespace tilewright
