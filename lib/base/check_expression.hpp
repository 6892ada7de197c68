// Checks on a verb's numbers: 'waste_pct<5'.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A number that a check can name. Truth values are 0 and 1 and print as false and true.
struct NamedNumber {
  std::string_view name;
  double value = 0;
  bool is_bool = false;
  std::string_view why_none = {};  // why there is no value here; empty: there is one
};

enum class Comparison { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

/// "key op value".
struct CheckExpression {
  std::string key;
  Comparison comparison = Comparison::Equal;
  double value = 0;
  bool operator==(const CheckExpression&) const = default;
};

/// "waste_pct<5", "bijective==true"; operators < <= > >= == and !=, blanks allowed around them.
/// Throws a usage error that explains the form of a check.
CheckExpression parse_check_expression(std::string_view text);

std::string to_string(const CheckExpression& check);

/// True where `value` passes.
bool holds(const CheckExpression& check, double value);

/// One sentence for every check that `numbers` violate, in the given order. Throws a usage error,
/// with a suggestion, for a key that is not among them, or that has no value.
std::vector<std::string> violated_checks(std::span<const CheckExpression> checks,
                                         std::span<const NamedNumber> numbers);

}  // namespace tilewright
