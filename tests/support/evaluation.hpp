// The results and the errors of the evaluator of layout expressions.
#pragma once

#include <string>
#include <string_view>

#include "layout/text/layout_expression.hpp"
#include "layout/text/layout_report.hpp"
#include "support/error_message.hpp"

namespace tilewright::testing {

inline std::string evaluation_error(std::string_view text) {
  return error_message_of([&] { evaluate_layout(text); });
}

inline std::string evaluated(std::string_view text) {
  return to_string(evaluate_layout(text));
}

/// A layout in any spelling that `analyze layout` reads.
inline ComposedLayout layout_read(std::string_view text) {
  return as_layout(read_layout(text), "the text");
}

}  // namespace tilewright::testing
