#include "base/check_expression.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

using namespace tilewright;

TEST_CASE("every operator compares correctly below, at and above its value") {
  struct Row {
    const char* text;
    bool below, at, above;
  };
  for (const Row row : {Row{"x<5", true, false, false}, Row{"x<=5", true, true, false},
                        Row{"x>5", false, false, true}, Row{"x>=5", false, true, true},
                        Row{"x==5", false, true, false}, Row{"x!=5", true, false, true}}) {
    const CheckExpression check = parse_check_expression(row.text);
    CAPTURE(row.text);
    CHECK(to_string(check) == row.text);
    CHECK(parse_check_expression(to_string(check)) == check);
    CHECK(holds(check, 4.9) == row.below);
    CHECK(holds(check, 5) == row.at);
    CHECK(holds(check, 5.1) == row.above);
  }
}

TEST_CASE("values are numbers, true or false; blanks are ignored") {
  CHECK(parse_check_expression(" waste_pct <= 2.5 ").value == 2.5);
  CHECK(parse_check_expression("x>-1e3").value == -1000);
  CHECK(parse_check_expression("bijective==true").value == 1);
  // A number in percent has as many of them; another one is a share of 1.
  CHECK(parse_check_expression("waste_pct<5%").value == 5);
  CHECK(parse_check_expression("l2_hit_rate > 80 %").value == 0.8);
  CHECK(parse_check_expression("bijective!=false").value == 0);
}

TEST_CASE("anything else is a usage error") {
  for (const char* text : {"", "x", "x<", "<5", "x=5", "x<5<6", "x<five", "x=<5", "x<nan", "x<inf",
                           "x<%", "x!5", "x<<5", "x==", "5"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_check_expression(text), Error);
  }
}

TEST_CASE("a violated check is reported with its number, an unknown key with a suggestion") {
  const std::vector<NamedNumber> numbers = {
      {"slots", 160}, {"waste_pct", 23.0769}, {"bijective", 0, true}};
  const auto check = [&](const char* text) {
    return violated_checks(std::vector{parse_check_expression(text)}, numbers);
  };
  CHECK(check("slots==160").empty());
  CHECK(check("waste_pct<5") ==
        std::vector<std::string>{"check waste_pct<5 is violated: waste_pct is 23.0769"});
  CHECK(check("bijective==true") ==
        std::vector<std::string>{"check bijective==1 is violated: bijective is false"});
  try {
    check("waste_pc<5");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Usage);
    CHECK(std::string(error.what()).find("did you mean 'waste_pct'?") != std::string::npos);
    CHECK(std::string(error.what()).find("slots, waste_pct, bijective") != std::string::npos);
  }
}
