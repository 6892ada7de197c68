// Schedules: the seed's examples, and the coverage law over the whole cross product.
#include "tile/plan/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/plans.hpp"
#include "tile/plan/partial_store.hpp"
#include "tile/plan/schedule_report.hpp"
#include "tile/workload/product_bytes.hpp"

using namespace tilewright;
using testing::plan_of;
using testing::PlanWords;

namespace {

constexpr const char* kSeed = "1152x768x128,1152x768x1024,768x1152x128,768x1152x1024";

PlanWords seed_words(std::string_view order) {
  return {.problem = kSeed, .ctas = 108, .order = order};
}

// Checks coverage with plain lists, without the library's proof classes: counts every k-step.
std::string broken_coverage(const Plan& s) {
  std::vector<std::vector<int>> counts;
  for (const PlannedProblem& p : s.problems) {
    counts.emplace_back(static_cast<size_t>(p.tiles.m) * static_cast<size_t>(p.tiles.n) *
                        static_cast<size_t>(p.work.k_steps));
  }
  std::string broken;
  for_each_unit(s, [&](const ScheduledUnit& unit) {
    const WorkTile& w = unit.work;
    if (unit.cta < 0 || unit.cta >= s.ctas()) broken = "a CTA is not launched";
    if (unit.kind != UnitKind::Work) return;
    const PlannedProblem& p = s.problems[static_cast<size_t>(w.problem)];
    if (!is_in_output(s, w.problem, {w.m, w.n}) || w.k_begin < 0 || w.k_end > p.work.k_steps ||
        w.k_begin >= w.k_end) {
      broken = "work outside";
      return;
    }
    for (int k = w.k_begin; k < w.k_end; ++k) {
      ++counts[static_cast<size_t>(w.problem)]
              [static_cast<size_t>((w.m * p.tiles.n + w.n) * p.work.k_steps + k)];
    }
  });
  for (size_t i = 0; i < counts.size(); ++i) {
    const PlannedProblem& p = s.problems[i];
    for (size_t at = 0; at < counts[i].size(); ++at) {
      const auto tile = static_cast<int>(at) / p.work.k_steps;
      const bool wanted =
          is_in_output(s, static_cast<int>(i), {tile / p.tiles.n, tile % p.tiles.n});
      if (counts[i][at] != (wanted ? 1 : 0)) return "a k-step comes not exactly once";
    }
  }
  return broken;
}

struct Sweep {
  std::vector<const char*> rasters = {"row",
                                      "col",
                                      "split-merge:3",
                                      "split-merge:2x3",
                                      "swizzle-merge:4@n",
                                      "swizzle-merge:3,2",
                                      "triton:2",
                                      "snake:3@n",
                                      "cutlass2:8",
                                      "cutlass2-nopad:4",
                                      "cutlass3:4",
                                      "cutlass3:8@n",
                                      "cutlass-dsl:3",
                                      "hilbert",
                                      "morton"};
  std::vector<const char*> clusters = {"1x1", "2x1", "1x2", "2x2"};
  std::vector<const char*> decompositions = {"data-parallel",
                                             "split-k:2",
                                             "split-k:3:workspace",
                                             "stream-k",
                                             "stream-k:one-tile:serial-tma",
                                             "stream-k:all"};
  std::vector<const char*> schedules = {"device-only", "host-precompute", "dynamic"};
  std::vector<const char*> orders = {"given", "k-descending", "lpt"};
  std::vector<const char*> problems = {"1x1x1", "5x3x2", "7x4x5", "3x5x1,2x2x4,1x6x2", "3x2x3x5"};
};

// Tiles are 1x1x1, so that shapes are grids.
int64_t check_sweep(const Sweep& sweep, std::string_view op, std::span<const int64_t> ctas) {
  int64_t checked = 0;
  for (const char* const problem : sweep.problems) {
    for (const char* const raster : sweep.rasters) {
      for (const char* const cluster : sweep.clusters) {
        for (const char* const decomposition : sweep.decompositions) {
          for (const char* const group : sweep.schedules) {
            for (const char* const order : sweep.orders) {
              for (const int64_t count : ctas) {
                const PlanWords words{problem, "1x1x1", count,   raster, decomposition,
                                      group,   order,   cluster, op};
                if (cluster != std::string("1x1") && count < 4) continue;
                const Plan s = plan_of(words);
                const std::string broken = broken_coverage(s);
                const ScheduleReport report = report_schedule(s);
                if (!broken.empty() || !report.proof.complete || !report.turnstiles.ends) {
                  FAIL(broken, ": ", problem, " ", raster, " ", cluster, " ", decomposition, " ",
                       group, " ", order, " on ", count);
                }
                ++checked;
              }
            }
          }
        }
      }
    }
  }
  return checked;
}

TEST_CASE("in a group the deepest problem has the requested slices, and no split is much longer") {
  const std::string problem = "256x256x8192,64x64x64,512x128x4096,128x128x1000,8x8x0";
  for (const int slices : {2, 3, 5, 16}) {
    const std::string decomposition = "split-k:" + std::to_string(slices);
    const Plan plan = plan_of({.problem = problem,
                               .ctas = 16,
                               .decomposition = decomposition,
                               .group_schedule = "host-precompute",
                               .order = "lpt"});
    CHECK(plan.problem(0).work.slices == slices);
    CHECK(plan.problem(1).work.slices == 1);
    CHECK(plan.problem(4).work.slices == 1);
    const int longest = plan.problem(0).work.k_steps / slices + 1;
    int64_t divided = 0;
    for (const PlannedProblem& p : plan.problems) {
      CHECK(p.work.k_steps <= p.work.slices * longest * 3 / 2 + 1);
      if (p.work.slices > 1) divided += p.work.slots;
    }
    const PartialStore store = partial_store(plan);
    CHECK(store.tiles == divided);
    CHECK(store.tickets == 2 * divided);  // warpgroups of a tile of 128 rows
    CHECK(report_schedule(plan).proof.complete);
    CHECK(report_schedule(plan).turnstiles.ends);
  }
}

TEST_CASE("the divided slots of a group's problems follow one another in scheduling order") {
  for (const char* const problem : {"256x256x8192,64x64x64,512x128x4096,8x8x0", "5x64x200x2048"}) {
    for (const char* const order : {"given", "lpt"}) {
      const Plan plan = plan_of({.problem = problem,
                                 .decomposition = "split-k:3",
                                 .group_schedule = "host-precompute",
                                 .order = order});
      const std::vector<int> before = divided_slots_before(plan);
      int64_t next = 0;
      for (const int number : plan.order) {
        CHECK(before[static_cast<size_t>(number)] == next);
        if (plan.problem(number).work.slices > 1) next += plan.problem(number).work.slots;
      }
      CHECK(next == partial_store(plan).tiles);
    }
  }
}

TEST_CASE("a mirrored update walks and computes the lower triangle only") {
  for (const char* const op : {"syrk", "her2k"}) {
    PlanWords words{.problem = "1000x1000x128,200x200x64", .op = op, .uplo = "full"};
    const Plan full = plan_of(words);
    words.uplo = "lower";
    const Plan lower = plan_of(words);
    CHECK(assignments(full) == assignments(lower));
    CHECK(std::get<tw::Sm90Params>(full.kernel).mirrored);
    CHECK_FALSE(std::get<tw::Sm90Params>(lower.kernel).mirrored);
    CHECK(flops(full.workload) == flops(lower.workload));
    const double planes = tw::record_of(full.workload.op).planes;
    CHECK(operand_bytes(full.workload) - operand_bytes(lower.workload) ==
          planes * 2 * (1000 * 999 / 2 + 200 * 199 / 2));
  }
}

}  // namespace

TEST_CASE("k-steps that 64 bits do not count are refused where stream-K divides them") {
  const PlanWords words{.problem = "134217728x134217728x2147483640",
                        .decomposition = "stream-k:all"};
  CHECK_THROWS_AS(plan_of(words), Error);
}

TEST_CASE("tiles without k-steps are spread over the workers like others") {
  for (const char* const schedule : {"device-only", "host-precompute", "dynamic"}) {
    CAPTURE(schedule);
    const Plan plan = plan_of({.problem = "1024x1024x0,1024x1024x64,1024x1024x0",
                               .ctas = 12,
                               .group_schedule = schedule,
                               .order = "lpt"});
    for (const std::vector<WorkTile>& list : assignments(plan)) CHECK(list.size() == 16);
  }
}

TEST_CASE("every schedule of the cross product computes every k-step once and never deadlocks") {
  const std::vector<int64_t> ctas = {1, 3, 4, 5, 8, 16, 37};
  const int64_t checked = check_sweep({}, "gemm", ctas);
  MESSAGE("checked ", checked, " schedules");
  CHECK(checked > 89'000);
}

TEST_CASE("random grids, groups and CTA counts compute every k-step once") {
  Sweep all;
  uint64_t state = 7;
  const auto below = [&](size_t most) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<size_t>(state >> 33) % most;
  };
  int64_t checked = 0;
  for (int i = 0; i < 130'000; ++i) {
    std::string problem = below(4) == 0 ? std::to_string(2 + below(5)) + "x" : "";
    for (size_t p = 0; p <= below(3); ++p) {
      if (p > 0) problem += ",";
      problem += std::to_string(1 + below(7)) + "x" + std::to_string(1 + below(7)) + "x" +
                 std::to_string(1 + below(6));
    }
    const PlanWords words{problem,
                          "1x1x1",
                          static_cast<int64_t>(4 + below(30)),
                          all.rasters[below(all.rasters.size())],
                          all.decompositions[below(all.decompositions.size())],
                          all.schedules[below(3)],
                          all.orders[below(3)],
                          all.clusters[below(4)]};
    const Plan s = plan_of(words);
    const std::string broken = broken_coverage(s);
    if (!broken.empty() || !report_schedule(s).proof.complete) {
      FAIL(broken, ": ", problem, " ", words.raster, " ", words.cluster, " ", words.decomposition,
           " on ", words.ctas);
    }
    ++checked;
  }
  CHECK(checked == 130'000);
}

TEST_CASE("triangles compute every k-step once, with the plain scheduler and their own") {
  int64_t checked = 0;
  for (const char* const cta : {"1x1x1", "2x1x1", "1x3x2", "4x1x1"}) {
    for (int n = 1; n <= 9; ++n) {
      for (const char* const op : {"syrk", "syr2k", "her2k"}) {
        for (const char* const uplo : {"lower", "upper"}) {
          for (const char* const decomposition : Sweep().decompositions) {
            for (const bool plain : {false, true}) {
              const std::string problem = std::to_string(n) + "x" + std::to_string(n) + "x3,2x2x5";
              const Plan s = plan_of({.problem = problem,
                                      .cta = cta,
                                      .ctas = 5,
                                      .decomposition = decomposition,
                                      .op = op,
                                      .uplo = uplo,
                                      .plain = plain});
              REQUIRE(broken_coverage(s) == "");
              REQUIRE(report_schedule(s).proof.complete);
              ++checked;
            }
          }
        }
      }
    }
  }
  CHECK(checked == 4 * 9 * 3 * 2 * 6 * 2);
}

TEST_CASE("in bands and clusters triangles compute every k-step once, without idle slots") {
  for (const char* const cta : {"1x1x1", "3x2x1", "2x5x1"}) {
    for (const char* const cluster : {"1x1", "2x1", "1x2", "2x2"}) {
      for (int n = 1; n <= 23; n += 2) {
        for (const char* const uplo : {"lower", "upper"}) {
          for (const char* const band : {"swizzle-merge:1", "swizzle-merge:3"}) {
            const std::string problem = std::to_string(n) + "x" + std::to_string(n) + "x3";
            const Plan s = plan_of({.problem = problem,
                                    .cta = cta,
                                    .ctas = 8,
                                    .raster = band,
                                    .cluster = cluster,
                                    .op = "her2k",
                                    .uplo = uplo});
            REQUIRE(broken_coverage(s) == "");
            const ScheduleReport report = report_schedule(s);
            REQUIRE(report.proof.complete);
            REQUIRE(report.early_exit == 0);
            REQUIRE(s.problems.front().work.k_steps == 2 * 4 * 3);  // planes, phases, k
          }
        }
      }
    }
  }
}

TEST_CASE("four unequal problems: nearly twice the average load as given, even by descending K") {
  const ScheduleReport given = report_schedule(plan_of(seed_words("given")));
  CHECK(given.units == 216);
  CHECK(given.waves == 2);
  CHECK(given.imbalance == doctest::Approx(1.78).epsilon(0.002));
  CHECK(given.k_steps.min == 2 * 128 / 64);
  CHECK(given.k_steps.max == 2 * 1024 / 64);
  const auto lists = assignments(plan_of(seed_words("given")));
  for (size_t cta = 0; cta < 108; ++cta) {
    REQUIRE(lists[cta].size() == 2);
    CHECK(lists[cta][0].problem == (cta < 54 ? 0 : 1));
    CHECK(lists[cta][1].problem == (cta < 54 ? 2 : 3));
  }
  for (const char* const order : {"k-descending", "lpt"}) {
    const ScheduleReport sorted = report_schedule(plan_of(seed_words(order)));
    CHECK(sorted.imbalance == doctest::Approx(1.0));
    CHECK(sorted.k_steps.min == sorted.k_steps.max);
  }
}

TEST_CASE("k-descending orders by K, also within equal k-steps, and is stable") {
  // 2, 2, 1, 2 and 2 k-steps of 64.
  const char* const problem = "128x128x100,128x128x120,128x128x64,256x128x120,128x128x65";
  CHECK(plan_of({.problem = problem, .order = "k-descending"}).order ==
        std::vector<int>{1, 3, 0, 4, 2});
  CHECK(plan_of({.problem = problem, .order = "lpt"}).order == std::vector<int>{3, 0, 1, 4, 2});
}

TEST_CASE("four SYR2K of 2x2 tiles: blocks 1 and 5 idle under the plain scheduler only") {
  PlanWords words{.problem = "256x256x64,256x256x64,256x256x64,256x256x64",
                  .ctas = 8,
                  .op = "syr2k",
                  .plain = true};
  const auto plain = assignments(plan_of(words));
  for (size_t cta = 0; cta < 8; ++cta) CHECK(plain[cta].empty() == (cta == 1 || cta == 5));
  CHECK(report_schedule(plan_of(words)).early_exit == 4);
  words.plain = false;
  const ScheduleReport triangular = report_schedule(plan_of(words));
  CHECK(triangular.early_exit == 0);
  CHECK(triangular.idle_ctas == 0);
  CHECK(triangular.units == 12);
  CHECK(triangular.k_steps.max == 4);  // two tiles of two phases of one step
}

TEST_CASE("round robin: tile t belongs to CTA t mod ctas, in its own problem row by row") {
  const Plan s = plan_of({.problem = kSeed, .ctas = 7});
  int64_t t = 0;
  for_each_unit(s, [&](const ScheduledUnit& unit) {
    CHECK(unit.cta == t % 7);
    const int64_t within = t % 54;
    const int64_t columns = unit.work.problem < 2 ? 6 : 9;
    CHECK(unit.work.problem == t / 54);
    CHECK(unit.work.m == within / columns);
    CHECK(unit.work.n == within % columns);
    ++t;
  });
  CHECK(t == 216);
}

TEST_CASE("dynamic and LPT balance loads that a round robin does not") {
  const char* const problem = "512x512x4096,1024x1024x64,256x256x2048";
  const auto imbalance = [&](const char* group, const char* order) {
    return report_schedule(
               plan_of({.problem = problem, .ctas = 12, .group_schedule = group, .order = order}))
        .imbalance;
  };
  CHECK(imbalance("dynamic", "given") < imbalance("device-only", "given"));
  CHECK(imbalance("host-precompute", "lpt") <= imbalance("dynamic", "given"));
  CHECK(imbalance("host-precompute", "given") == imbalance("device-only", "given"));
}

// The textbook's longest-processing-time-first: jobs in descending order of length, each to the
// machine that is free first. An overhang slot of split-merge:F takes no time, nor does a tile
// above the diagonal.
TEST_CASE("LPT gives each unit to the CTA with the least work, and early exits count as none") {
  struct Job {
    WorkTile work;
    int length = 0;
  };
  Random random(11);
  int64_t with_exits = 0;
  for (int i = 0; i < 150; ++i) {
    const bool square = i % 3 == 0;  // all tiles of a triangle's square are visited
    const int factor = 1 + static_cast<int>(random.below(4));
    const auto ctas = 1 + static_cast<size_t>(random.below(9));
    std::vector<std::array<int, 3>> grids;  // rows, columns, k-steps
    std::string problems;
    for (size_t p = 0; p < 1 + random.below(4); ++p) {
      const int rows = 1 + static_cast<int>(random.below(5));
      const int columns = square ? rows : 1 + static_cast<int>(random.below(5));
      const int steps = 1 + static_cast<int>(random.below(9));
      grids.push_back({rows, columns, steps});
      problems += format("{}{}x{}x{}", p == 0 ? "" : ",", 128 * rows, 128 * columns, 64 * steps);
    }
    const std::string raster = square ? "row" : format("split-merge:{}", factor);
    const Plan plan = plan_of({.problem = problems,
                               .ctas = static_cast<int64_t>(ctas),
                               .raster = raster,
                               .group_schedule = "host-precompute",
                               .order = "lpt",
                               .op = square ? "syrk" : "gemm",
                               .plain = square});
    std::vector<std::vector<Job>> jobs(grids.size());
    int64_t exits = 0;
    for (size_t p = 0; p < grids.size(); ++p) {
      const auto [rows, columns, steps] = grids[p];
      const int high = square ? 1 : factor;
      for (int slot = 0; slot < (rows + high - 1) / high * high * columns; ++slot) {
        const int within = slot % (high * columns);
        const int m = slot / (high * columns) * high + within % high;
        const int n = within / high;
        const bool works = m < rows && (!square || n <= m);
        exits += works ? 0 : 1;
        jobs[p].push_back({{static_cast<int>(p), m, n, 0, steps}, works ? steps : 0});
      }
    }
    std::stable_sort(jobs.begin(), jobs.end(), [&](const auto& a, const auto& b) {
      const int of_a = a.front().work.k_end;
      const int of_b = b.front().work.k_end;
      return of_a != of_b ? of_a > of_b : a.size() > b.size();
    });
    std::vector<std::vector<WorkTile>> expected(ctas);
    std::vector<size_t> entries(ctas);
    std::vector<int> loads(ctas);
    for (const std::vector<Job>& problem : jobs) {
      for (const Job& job : problem) {
        const auto least = std::min_element(loads.begin(), loads.end());
        const auto cta = static_cast<size_t>(least - loads.begin());
        *least += job.length;
        ++entries[cta];
        if (job.length > 0) expected[cta].push_back(job.work);
      }
    }
    CAPTURE(problems);
    CAPTURE(raster);
    CAPTURE(ctas);
    CHECK(assignments(plan) == expected);
    // The table that the launch reads has the same units.
    const ScheduleTable table = schedule_table(plan);
    for (size_t cta = 0; cta < ctas; ++cta) {
      CHECK(table.of_worker[cta].size() == entries[cta]);
    }
    if (exits > 0) ++with_exits;
  }
  CHECK(with_exits > 50);
}

TEST_CASE("stream-K gives every CTA the same k-steps within one") {
  for (const char* const variant : {"stream-k", "stream-k:one-tile", "stream-k:all"}) {
    const ScheduleReport r = report_schedule(plan_of(
        {.problem = "1280x896x4096", .ctas = 132, .decomposition = variant, .resident = 132}));
    CAPTURE(variant);
    CHECK(r.k_steps.max - r.k_steps.min <= 1);
    CHECK(r.turnstiles.ends);
    CHECK(r.fix_up.divided_tiles > 0);
  }
}

TEST_CASE("a cluster's slices start together; a split that fits no cluster is refused") {
  const Plan s =
      plan_of({.problem = "256x256x1024", .ctas = 10, .decomposition = "split-k:4:cluster"});
  CHECK(s.ctas() == 8);
  for_each_unit(s, [](const ScheduledUnit& unit) {
    CHECK(unit.cta % 4 == unit.work.k_begin / 4);  // 16 k-steps in 4 slices
  });
  const auto refused = [](PlanWords words) { CHECK_THROWS_AS(plan_of(words), Error); };
  refused({.problem = "256x256x128", .decomposition = "split-k:4:cluster"});
  refused({.problem = "256x256x1024", .ctas = 3, .decomposition = "split-k:4:cluster"});
  refused({.problem = "256x256x1024", .decomposition = "split-k:4:cluster", .cluster = "2x1"});
  refused({.problem = "256x256x1024", .ctas = 1, .cluster = "2x1"});
  refused({.problem = "256x256x1024", .plain = true});
  refused({.problem = "256x256x64", .raster = "col", .op = "syrk"});
  refused({.problem = "256x256x64", .cta = "96x64x64", .op = "syrk"});
  refused({.problem = "256x128x64", .op = "syrk"});
  refused({.problem = "2147483647x2147483647x64"});
}
