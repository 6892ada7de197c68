#include "serve/answer_policy.hpp"

#include <doctest/doctest.h>

#include "serve/api.h"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

TEST_CASE("the policies have the numbers of the C interface, and no others exist") {
  CHECK(answer_policy(SHIPPED_PLAIN) == AnswerPolicy::Plain);
  CHECK(answer_policy(SHIPPED_RACE) == AnswerPolicy::Race);
  CHECK(answer_policy(SHIPPED_RACE_BITWISE) == AnswerPolicy::Bitwise);
  CHECK(answer_policy(SHIPPED_BATCH_INVARIANT) == AnswerPolicy::BatchInvariant);
  for (const int number : {-1, 4, 1000}) {
    CHECK_THROWS_WITH_AS(answer_policy(number),
                         format("policy is {}, and it must be one of 0 to 3", number).c_str(),
                         Error);
  }
}

}  // namespace
}  // namespace tilewright
