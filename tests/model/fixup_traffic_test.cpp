#include "model/fixup_traffic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/l2_replay.hpp"
#include "stats/random.hpp"
#include "support/decompositions.hpp"
#include "support/plans.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {
namespace {

constexpr const char* kOps[] = {"gemm", "syrk", "syr2k", "her2k"};

// A small workload divided along K; its K is seldom a multiple of the k-step.
Plan random_divided_plan(const char* op, const std::string& decomposition, Random& random) {
  const char* const ctas[] = {"128x128x64", "64x64x128", "128x64x256"};
  const int64_t n = 8 * (1 + random.below(60));
  const std::string problem = format("{}x{}x{}", n, n, 520 + random.below(700));
  testing::PlanWords words{.problem = problem};
  words.cta = ctas[random.below(3)];
  words.ctas = 3 + random.below(24);
  words.decomposition = decomposition;
  words.op = op;
  words.uplo = random.below(2) == 0 ? "lower" : "upper";
  return testing::plan_of(words);
}

TEST_CASE("the pieces of a tile cover its K once, wherever the last k-step ends") {
  Random random(5);
  for (const char* const op : kOps) {
    for (const std::string& decomposition :
         testing::decompositions_with_every_reduction({"split-k:3", "stream-k", "stream-k:all"})) {
      const Plan plan = random_divided_plan(op, decomposition, random);
      CAPTURE(shapes_text(plan.workload));
      CAPTURE(to_string(plan.config));
      const int64_t k = plan.problems.front().shape.k;
      const int64_t depth = k * phases(plan.workload.op);
      std::map<std::pair<int, int>, std::vector<TilePiece>> pieces;
      for_each_unit(plan, [&](const ScheduledUnit& unit) {
        if (unit.kind != UnitKind::Work) return;
        const TilePiece piece = piece_of(plan, unit.work);
        // By definition: the elements of a phase in its first k-steps, as far as K goes.
        const int64_t steps = phase_steps(plan);
        int64_t elements = 0;
        for (int64_t step = unit.work.k_begin; step < unit.work.k_end; ++step) {
          const int64_t begin = step % steps * plan.config.cta.k;
          elements += std::min<int64_t>(plan.config.cta.k, k - begin);
        }
        CHECK(piece.k_end - piece.k_begin == elements);
        pieces[{unit.work.m, unit.work.n}].push_back(piece);
      });
      for (auto& [tile, parts] : pieces) {
        std::sort(parts.begin(), parts.end(),
                  [](const TilePiece& a, const TilePiece& b) { return a.k_begin < b.k_begin; });
        int64_t end = 0;
        for (const TilePiece& part : parts) {
          CHECK(part.k_begin == end);
          end = part.k_end;
        }
        CHECK(end == depth);
      }
    }
  }
}

TEST_CASE("divided rank-k updates read what their tiles need, a large cache each byte once") {
  Random random(6);
  for (const char* const op : kOps) {
    for (const std::string& decomposition :
         testing::decompositions_with_every_reduction({"split-k:2", "stream-k:all"})) {
      const Plan plan = random_divided_plan(op, decomposition, random);
      CAPTURE(shapes_text(plan.workload));
      CAPTURE(to_string(plan.config));
      DeviceSpec d = testing::h200();
      d.l2_effective_bytes = int64_t{1} << 33;
      const L2Traffic t = replay_l2(plan, d);
      const GemmShape& s = plan.problems.front().shape;
      const double depth = static_cast<double>(s.k) * phases(plan.workload.op);
      double lines = 0;
      const TileCoord tiles = plan.problems.front().tiles;
      for (int m = 0; m < tiles.m; ++m) {
        for (int n = 0; n < tiles.n; ++n) {
          if (!is_in_output(plan, 0, {m, n})) continue;
          const TileShape& cta = plan.config.cta;
          lines += static_cast<double>(std::min<int64_t>(cta.m, s.m - int64_t{m} * cta.m) +
                                       std::min<int64_t>(cta.n, s.n - int64_t{n} * cta.n));
        }
      }
      CHECK(t.l2_read_bytes == doctest::Approx(2 * lines * depth));
      const double once = 2 * static_cast<double>(s.m + s.n) * depth;
      CHECK(t.dram_read_bytes - t.partial_read_bytes == doctest::Approx(once));
    }
  }
}

// Both once wrote past the slabs that were counted.
TEST_CASE("her2k and syr2k with a partial last k-step are replayed within their slabs") {
  for (const testing::PlanWords& words : {testing::PlanWords{.problem = "128x128x64",
                                         .cta = "128x128x256",
                                         .ctas = 1,
                                         .decomposition = "split-k:2",
                                         .op = "her2k"},
                                          testing::PlanWords{.problem = "512x512x70",
                                          .cta = "128x128x64",
                                          .decomposition = "stream-k:all",
                                          .op = "her2k"}}) {
    const Plan plan = testing::plan_of(words);
    const L2Traffic t = replay_l2(plan, testing::h200());
    const GemmShape& s = plan.problems.front().shape;
    CHECK(t.dram_read_bytes - t.partial_read_bytes ==
          doctest::Approx(2.0 * static_cast<double>((s.m + s.n) * s.k) * phases(plan.workload.op)));
  }
}

}  // namespace
}  // namespace tilewright
