#include "tile/plan/exchange_proof.hpp"

#include <doctest/doctest.h>

#include "support/plans.hpp"
#include "support/tile_parts.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;
using testing::part;

TEST_CASE("the splits of a tile can wait for each other only if all are resident") {
  const std::vector<TilePart> parts = {part(0, 0, 0, 0), part(0, 1, 1, 0), part(0, 2, 2, 0)};
  for (const int64_t resident : {0, 3, 4}) {
    const ExchangeProof proof = prove_exchanges(parts, 3, resident);
    CHECK(proof.ends);
    CHECK(proof.parts == 3);
  }
  const ExchangeProof stuck = prove_exchanges(parts, 3, 2);
  CHECK_FALSE(stuck.ends);
  CHECK(stuck.stuck == parts);
}

TEST_CASE("a CTA that waits for its own later split never ends") {
  const std::vector<TilePart> parts = {part(0, 0, 0, 0), part(0, 1, 0, 1)};
  CHECK_FALSE(prove_exchanges(parts, 1, 1).ends);
}

TEST_CASE("CTAs that reach two tiles in opposite orders never end") {
  const std::vector<TilePart> crossed = {part(0, 0, 0, 0), part(0, 1, 1, 1), part(1, 0, 1, 0),
                                         part(1, 1, 0, 1)};
  const ExchangeProof stuck = prove_exchanges(crossed, 2, 2);
  CHECK_FALSE(stuck.ends);
  CHECK(stuck.stuck.size() == 4);
  const std::vector<TilePart> straight = {part(0, 0, 0, 0), part(0, 1, 1, 0), part(1, 0, 0, 1),
                                          part(1, 1, 1, 1)};
  CHECK(prove_exchanges(straight, 2, 2).ends);
}

// The legality rule and the launch rely on this law: slices no more than CTAs, for any number of
// tiles. With more slices a CTA would have to wait for itself.
TEST_CASE("reduce-scatter ends exactly where the CTAs hold all slices of a tile") {
  for (const int64_t ctas : {2, 3, 5, 8, 13}) {
    for (int slices = 2; slices <= 16; ++slices) {
      for (const char* const problem : {"128x128x4096", "384x256x4096", "640x896x4096"}) {
        const std::string decomposition = "split-k:" + std::to_string(slices) + ":reduce-scatter";
        CAPTURE(ctas);
        CAPTURE(decomposition);
        const ScheduleReport report = report_schedule(testing::plan_of(
            {.problem = problem, .ctas = ctas, .decomposition = decomposition, .resident = ctas}));
        CHECK(report.exchanges.ends == (slices <= ctas));
      }
    }
  }
}
