#include "serve/race_policy.hpp"

#include <doctest/doctest.h>

#include "serve/api.h"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

TEST_CASE("the policies have the numbers of the C interface, and no others exist") {
  CHECK(race_policy(SHIPPED_PLAIN) == RacePolicy::Plain);
  CHECK(race_policy(SHIPPED_RACE) == RacePolicy::Race);
  CHECK(race_policy(SHIPPED_RACE_BITWISE) == RacePolicy::Bitwise);
  for (const int number : {-1, 3, 1000}) {
    CHECK_THROWS_WITH_AS(race_policy(number),
                         format("policy is {}, and it must be one of 0 to 2", number).c_str(),
                         Error);
  }
}

}  // namespace
}  // namespace tilewright
