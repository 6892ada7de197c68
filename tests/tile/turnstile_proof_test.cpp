#include "tile/plan/turnstile_proof.hpp"

#include <doctest/doctest.h>

#include "support/tile_parts.hpp"

using namespace tilewright;
using testing::part;

TEST_CASE("slices in launch order end with any number of resident CTAs") {
  const std::vector<TilePart> parts = {part(0, 0, 0, 0), part(0, 1, 1, 0), part(0, 2, 2, 0)};
  for (const int64_t resident : {0, 1, 2, 3}) {
    const TurnstileProof proof = prove_turnstiles(parts, 3, resident);
    CHECK(proof.ends);
    CHECK(proof.waits == 2);
    CHECK(proof.longest_chain == 3);
  }
}

TEST_CASE("a lower slice that is launched later deadlocks unless it is resident") {
  const std::vector<TilePart> parts = {part(0, 0, 2, 0), part(0, 1, 1, 0), part(0, 2, 0, 0)};
  CHECK(prove_turnstiles(parts, 3, 3).ends);
  const TurnstileProof stuck = prove_turnstiles(parts, 3, 2);
  CHECK_FALSE(stuck.ends);
  CHECK(stuck.stuck.size() == 3);
}

TEST_CASE("two CTAs that wait for each other's later work never end") {
  const std::vector<TilePart> crossed = {part(0, 0, 0, 1), part(0, 1, 1, 0), part(1, 0, 1, 1),
                                         part(1, 1, 0, 0)};
  CHECK_FALSE(prove_turnstiles(crossed, 2, 2).ends);
  const std::vector<TilePart> straight = {part(0, 0, 0, 0), part(0, 1, 1, 1), part(1, 0, 1, 0),
                                          part(1, 1, 0, 1)};
  CHECK(prove_turnstiles(straight, 2, 2).ends);
}

TEST_CASE("a split above missing k-steps waits for ever") {
  const std::vector<TilePart> parts = {part(0, 0, 0, 0), {0, 2, 3, 1, 0}};
  const TurnstileProof proof = prove_turnstiles(parts, 2, 2);
  CHECK_FALSE(proof.ends);
  CHECK(proof.stuck == std::vector<TilePart>{parts[1]});
}
