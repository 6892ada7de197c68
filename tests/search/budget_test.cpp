#include "search/budget.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

TEST_CASE("a budget is spent from its own number of configs or seconds on, and by nothing else") {
  const Clock::time_point begin{};
  for (const int64_t limit : {1, 7, 90}) {
    const Budget configs = parse_budget(format("{}", limit));
    const Budget seconds = parse_budget(format("{}s", limit));
    for (int64_t used = 0; used <= 2 * limit; ++used) {
      const Clock::time_point later = begin + std::chrono::seconds(used);
      CHECK(configs.is_spent(begin, used, begin + std::chrono::hours(9)) == (used >= limit));
      CHECK(seconds.is_spent(begin, 1'000'000, later) == (used >= limit));
      CHECK_FALSE(Budget{}.is_spent(begin, used, later));
    }
  }
  CHECK_FALSE(Budget{}.is_set());
  CHECK(parse_budget("3").is_set());
}

TEST_CASE("what is no budget is refused with an example") {
  for (const char* const text :
       {"", "s", "0", "0s", "-1", "1.5s", "60 s", "60S", "ss", "1m", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK(testing::contains(testing::error_message_of([&] { parse_budget(text); }), "60s"));
  }
}

}  // namespace
}  // namespace tilewright
