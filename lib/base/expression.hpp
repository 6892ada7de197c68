// Whole-number expressions over names: "tile_m * tile_n <= 32768 && k % tile_k == 0".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// One step of a stack machine: pushes a number or the value of a name, or replaces the operands on
/// top by the result of an operation.
struct ExpressionStep {
  enum class Kind { Number, Name, Operation };
  Kind kind = Kind::Number;
  int64_t number = 0;
  std::string word;  // the name, or the operation's spelling
  bool operator==(const ExpressionStep&) const = default;
};

struct Expression {
  std::string text;  // the source text
  std::vector<ExpressionStep> steps;
  bool operator==(const Expression&) const = default;
};

/// Parses || && == != < <= > >= + - * / % ! and -, parentheses, min(a, b), max(a, b),
/// ceil_div(a, b) and round_up(a, b), with C's precedence. Throws a usage error with the reason and
/// the position.
Expression parse_expression(std::string_view text);

/// The names in the expression, each once, in order.
std::vector<std::string> names_in(const Expression& expression);

/// The value of a name; nullopt for an unknown one.
using NamedValue = std::function<std::optional<int64_t>(std::string_view name)>;

/// A value, or why there is none: "divides by 0", "'tile' has no value".
struct ExpressionValue {
  int64_t value = 0;
  std::string why_not = {};
  bool operator==(const ExpressionValue&) const = default;
};

/// Division rounds down, truth values are 0 and 1, and both sides of && and || are evaluated. A
/// result that does not fit in 64 bits is no value.
ExpressionValue evaluate(const Expression& expression, const NamedValue& named);

}  // namespace tilewright
