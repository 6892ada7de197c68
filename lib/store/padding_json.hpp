// `analyze pad` as JSON.
#pragma once

#include <string>

#include "search/padding_advice.hpp"

namespace tilewright {

/// One JSON object, indented, with a final newline: "copied" lists the operands that every call
/// copies, "given" is the product as it is, and "padded" lists the ways to pad it with
/// "predicted_us" and "time_pct", of the time as it is. "best" is an index of "padded", null where
/// none gains. A product that no kernel runs has "why_not" instead of a time.
std::string padding_json(const PaddingAdvice& advice, const std::string& device);

}  // namespace tilewright
