#include "base/check_expression.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// Longer spellings first: "<=" starts with "<".
constexpr std::array<std::pair<std::string_view, Comparison>, 6> kComparisons = {{
    {"<=", Comparison::LessEqual},
    {">=", Comparison::GreaterEqual},
    {"==", Comparison::Equal},
    {"!=", Comparison::NotEqual},
    {"<", Comparison::Less},
    {">", Comparison::Greater},
}};

// "5%" is 5 of a number in percent, and 0.05 of another one.
std::optional<double> parse_value(std::string_view key, std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  const std::optional<double> value = parse_percent(text);
  const bool is_share = text.ends_with('%') && !key.ends_with("_pct");
  return is_share && value ? std::optional(*value / 100) : value;
}

std::string value_text(const NamedNumber& number) {
  if (number.is_bool) return number.value != 0 ? "true" : "false";
  return format("{:.10g}", number.value);
}

}  // namespace

CheckExpression parse_check_expression(std::string_view text) {
  const size_t at = text.find_first_of("<>=!");
  if (at != std::string_view::npos) {
    const std::string_view key = trim(text.substr(0, at));
    for (const auto& [spelling, comparison] : kComparisons) {
      if (text.substr(at, spelling.size()) != spelling) continue;
      const std::optional<double> value = parse_value(key, trim(text.substr(at + spelling.size())));
      if (!value || key.empty()) break;
      return {std::string(key), comparison, *value};
    }
  }
  throw usage_error(
      format("check '{}' is not KEY OP NUMBER, such as waste_pct<5; OP is < <= > >= == or !=, and "
             "the number may be true or false",
             text));
}

std::string to_string(const CheckExpression& c) {
  for (const auto& [spelling, comparison] : kComparisons) {
    if (comparison == c.comparison) return format("{}{}{}", c.key, spelling, c.value);
  }
  throw internal_error("a comparison without a spelling");
}

bool holds(const CheckExpression& c, double value) {
  switch (c.comparison) {
    case Comparison::Less: return value < c.value;
    case Comparison::LessEqual: return value <= c.value;
    case Comparison::Greater: return value > c.value;
    case Comparison::GreaterEqual: return value >= c.value;
    case Comparison::Equal: return value == c.value;
    case Comparison::NotEqual: return value != c.value;
  }
  throw internal_error("a comparison without a meaning");
}

std::vector<std::string> violated_checks(std::span<const CheckExpression> checks,
                                         std::span<const NamedNumber> numbers) {
  std::vector<std::string> violated;
  for (const CheckExpression& check : checks) {
    const NamedNumber* named = nullptr;
    std::vector<std::string_view> names;
    for (const NamedNumber& number : numbers) {
      names.push_back(number.name);
      if (number.name == check.key) named = &number;
    }
    if (named == nullptr) {
      throw usage_error(format("check '{}': there is no number '{}'{}; this result has {}",
                               to_string(check), check.key, did_you_mean(check.key, names),
                               join(std::vector<std::string>(names.begin(), names.end()), ", ")));
    }
    if (!named->why_none.empty()) {
      throw usage_error(
          format("check '{}': {} has no value: {}", to_string(check), check.key, named->why_none));
    }
    if (!holds(check, named->value)) {
      violated.push_back(format("check {} is violated: {} is {}", to_string(check), check.key,
                                value_text(*named)));
    }
  }
  return violated;
}

}  // namespace tilewright
