// Expressions in whole numbers over names: "tile_m * tile_n <= 32768 && k % tile_k == 0".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A step of a stack machine: pushes a number or what a name stands for, or takes the operands of
/// an operation from the top and pushes its value.
struct ExpressionStep {
  enum class Kind { Number, Name, Operation };
  Kind kind = Kind::Number;
  int64_t number = 0;
  std::string word;  // the name, or the operation's spelling
  bool operator==(const ExpressionStep&) const = default;
};

struct Expression {
  std::string text;  // as it was written
  std::vector<ExpressionStep> steps;
  bool operator==(const Expression&) const = default;
};

/// Reads || && == != < <= > >= + - * / % ! and -, parentheses, min(a, b), max(a, b),
/// ceil_div(a, b) and round_up(a, b), bound as in C. Throws a usage error that says what is wrong
/// and at which character.
Expression parse_expression(std::string_view text);

/// Every name in it, once each, in order.
std::vector<std::string> names_in(const Expression& expression);

/// What a name stands for; nothing for an unknown one.
using NamedValue = std::function<std::optional<int64_t>(std::string_view name)>;

/// A value, or why there is none: "divides by 0", "'tile' stands for nothing".
struct ExpressionValue {
  int64_t value = 0;
  std::string why_not = {};
  bool operator==(const ExpressionValue&) const = default;
};

/// Division rounds down, truths are 0 and 1, both sides of && and || are evaluated. What does not
/// fit in 64 bits has no value.
ExpressionValue evaluate(const Expression& expression, const NamedValue& named);

}  // namespace tilewright
