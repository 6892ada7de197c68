#include "base/expression.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

std::optional<int64_t> named(std::string_view name) {
  if (name == "m") return 100;
  if (name == "tile_m") return 64;
  return std::nullopt;
}

int64_t value_of(const std::string& text) {
  const ExpressionValue value = evaluate(parse_expression(text), named);
  CHECK_MESSAGE(value.why_not.empty(), text, ": ", value.why_not);
  return value.value;
}

TEST_CASE("operators bind as in C, and division rounds down") {
  const std::map<std::string, int64_t> values = {{"1 + 2 * 3", 7},
                                                 {"(1 + 2) * 3", 9},
                                                 {"7 - 2 - 1", 4},
                                                 {"1 < 2 == 1", 1},
                                                 {"1 || 0 && 0", 1},
                                                 {"!m + 1", 1},
                                                 {"-7 / 2", -4},
                                                 {"-7 % 4", 1},
                                                 {"ceil_div(m, tile_m)", 2},
                                                 {"round_up(m, tile_m)", 128},
                                                 {"min(m, tile_m) + max(1, 2)", 66},
                                                 {"m % tile_m == 36", 1}};
  for (const auto& given : values) {
    CHECK_MESSAGE(value_of(given.first) == given.second, given.first);
  }
}

TEST_CASE("quotient and remainder give the number back, whatever the signs") {
  for (int64_t a = -9; a <= 9; ++a) {
    for (int64_t b = -4; b <= 4; ++b) {
      if (b == 0) continue;
      const auto of = [&](std::string_view name) -> std::optional<int64_t> {
        return name == "a" ? a : b;
      };
      CHECK(evaluate(parse_expression("a / b * b + a % b == a"), of).value == 1);
    }
  }
}

TEST_CASE("an expression without a value gives the reason") {
  const std::map<std::string, std::string> reasons = {
      {"m / 0", "divides by 0"},
      {"ceil_div(m, 0)", "divides by 0"},
      {"9223372036854775807 + 1", "does not fit in 64 bits"},
      {"-9223372036854775807 * 2", "does not fit in 64 bits"},
      {"tile", "'tile' has no value"}};
  for (const auto& given : reasons) {
    CHECK_MESSAGE(evaluate(parse_expression(given.first), named).why_not == given.second,
                  given.first);
  }
}

TEST_CASE("a bad expression is refused at the character where it goes wrong") {
  const std::map<std::string, std::string> complaints = {
      {"", "a value is missing at character 1"},
      {"1 +", "a value is missing at character 4"},
      {"(1", "')' is missing at character 3"},
      {"1 2", "an operator or the end is missing at character 3"},
      {"min(1)", "',' is missing at character 6"},
      {"$", "a whole number or a name is missing at character 1"}};
  for (const auto& given : complaints) {
    const std::string said = testing::error_message_of([&] { parse_expression(given.first); });
    CHECK_MESSAGE(testing::contains(said, given.second), given.first, ": ", said);
  }
  CHECK_THROWS_AS(parse_expression(std::string(5000, '(')), Error);
}

TEST_CASE("names are listed once each, in order") {
  CHECK(names_in(parse_expression("n * m + n % k")) == std::vector<std::string>{"n", "m", "k"});
}

}  // namespace
}  // namespace tilewright
