#include "store/evidence.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/artefacts.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

TEST_CASE("each rule decides where all earlier rules are equal, in either order of arguments") {
  TuneEntry kept;
  kept.problem = workload_of({{512, 512, 512}});
  kept.timing = Timing{100, {99, 101}, 1};
  kept.verified = Verification{true, 0, ""};
  kept.origin = Origin{"0.1.0", {}, {}, 20};
  kept.considered.measured = 40;
  std::vector<TuneEntry> worse(7, kept);
  worse[0].timing.reset();
  worse[1].verified->ok = false;
  worse[2].required = "export:triton";
  worse[3].origin->rounds = 19;
  worse[4].timing->ci_us = {98, 101};
  worse[5].considered.measured = 39;
  worse[6].timing->median_us = 200;  // the interval has the same relative width
  worse[6].timing->ci_us = {198, 202};
  const std::vector<std::string> reasons = {"timed",    "verified", "excluded no", "rounds",
                                            "interval", "configs",  "faster"};
  for (size_t i = 0; i < worse.size(); ++i) {
    CAPTURE(reasons[i]);
    CHECK(has_better_evidence(kept, worse[i]));
    CHECK_FALSE(has_better_evidence(worse[i], kept));
    CHECK(contains(std::string(why_better(kept, worse[i])), reasons[i]));
    // A later rule does not change the decision of an earlier one.
    TuneEntry late = kept;
    late.considered.measured = 1;
    if (i < 5) CHECK(has_better_evidence(late, worse[i]));
  }
}

TEST_CASE("exactly one of two different answers is better, and the order is transitive") {
  std::vector<TuneEntry> answers;
  for (uint64_t seed = 0; answers.size() < 40; ++seed) {
    for (const TuneEntry& entry : testing::ArtefactMaker(seed).artefact().entries) {
      answers.push_back(entry);
      answers.push_back(entry);  // equal by all rules except the text
      answers.back().determinism += "x";
    }
  }
  for (const TuneEntry& a : answers) {
    CHECK_FALSE(has_better_evidence(a, a));
    for (const TuneEntry& b : answers) {
      if (!(a == b)) CHECK(has_better_evidence(a, b) != has_better_evidence(b, a));
      for (const TuneEntry& c : answers) {
        if (has_better_evidence(a, b) && has_better_evidence(b, c)) {
          REQUIRE(has_better_evidence(a, c));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
