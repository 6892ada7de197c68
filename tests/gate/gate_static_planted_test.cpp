// Regressions by real changes: another walk of the same tiles, other rates of the device, another
// config; the code that the gate uses prices and proves each.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "gate/gate_static.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

constexpr double kPlantedThreshold = 0.01;
constexpr int kSeeds = 50;

// A case with every key of its config given.
GateCase made_case(const std::string& name, const std::string& shape, const std::string& config) {
  GateCase made{name, workload_of({parse_shape(shape)}), parse_config(config).values, ""};
  REQUIRE_FALSE(reject_workload(made.problem, made.config, testing::h200()).has_value());
  return made;
}

std::vector<GateCase> suite() {
  return {
      made_case("cube", "8192x8192x8192", "cta=128x256x64,stages=4,raster=swizzle-merge:8"),
      made_case("wide", "5120x27648x2560", "cta=128x256x64,stages=4,raster=swizzle-merge:16"),
      made_case("short-k", "12288x12288x2048", "cta=256x128x64,stages=4,raster=swizzle-merge:8"),
      made_case("tall", "16384x4096x4096", "cta=128x128x64,stages=4,raster=swizzle-merge:8")};
}

GateRun gate(const std::vector<GateCase>& cases, const Baseline* baseline,
             const DeviceSpec& device = testing::h200(), const StaticPricer& price = price_config) {
  ProgressListener silent;
  return run_static_gate(cases, device, {}, baseline, kPlantedThreshold, silent, price);
}

Baseline planted_baseline(const std::vector<GateCase>& cases) {
  Baseline baseline;
  baseline.cases = gate(cases, nullptr).numbers;
  REQUIRE(baseline.cases.size() == cases.size());
  return baseline;
}

// Prices a plan after its CTAs got other tiles, or the same in another order.
using Replant = std::function<void(std::vector<std::vector<WorkTile>>&)>;
StaticPricer replanted(const Workload& of, const Replant& replant) {
  return
      [of, replant](const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
        const Plan plan = make_plan(workload, config, device);
        if (workload != of) return exact_numbers(plan, device);
        ExternalSchedule work{"planted", assignments(plan)};
        replant(work.of_cta);
        PlanOptions options;
        options.external = std::make_shared<const ExternalSchedule>(work);
        return exact_numbers(make_plan(workload, config, device, options), device);
      };
}

// All tiles dealt out anew in a shuffled order: still bijective.
Replant shuffled(uint64_t seed) {
  return [seed](std::vector<std::vector<WorkTile>>& of_cta) {
    std::vector<WorkTile> tiles;
    for (const auto& list : of_cta) tiles.insert(tiles.end(), list.begin(), list.end());
    std::mt19937_64 random(seed);
    std::shuffle(tiles.begin(), tiles.end(), random);
    size_t next = 0;
    for (auto& list : of_cta) {
      for (WorkTile& tile : list) tile = tiles[next++];
    }
  };
}

// One tile is computed twice, another never.
Replant lost_tile(uint64_t seed) {
  return [seed](std::vector<std::vector<WorkTile>>& of_cta) {
    std::mt19937_64 random(seed);
    auto& list = of_cta[random() % of_cta.size()];
    auto& other = of_cta[(random() % (of_cta.size() - 1) + 1)];
    if (!list.empty() && &list != &other) {
      list.front() = other.front();
    } else {
      of_cta[0].front() = of_cta[1].front();
    }
  };
}

const CaseVerdict& verdict_of(const GateRun& run, const std::string& name) {
  const auto found = std::find_if(run.verdicts.begin(), run.verdicts.end(),
                                  [&](const CaseVerdict& v) { return v.name == name; });
  REQUIRE(found != run.verdicts.end());
  return *found;
}

TEST_CASE("a bijective walk that reads far more bytes fails, with equal configs") {
  const auto cases = suite();
  const Baseline baseline = planted_baseline(cases);
  const GateRun run =
      gate(cases, &baseline, testing::h200(), replanted(cases[2].problem, shuffled(1)));
  const CaseVerdict& verdict = verdict_of(run, "short-k");
  CHECK(verdict.verdict == Verdict::Regression);
  CHECK(gate_exit_code(run) == ExitCode::No);
  CHECK(std::find(verdict.worse.begin(), verdict.worse.end(), "dram_read_bytes") !=
        verdict.worse.end());
  for (const GateNumber& number : verdict.numbers) {
    if (number.key == "complete") CHECK(number.now == 1);
    if (number.key == "dram_read_bytes") {
      CHECK(number.now > 2 * *number.recorded);
      CHECK(number.baseline_today == number.now);
    }
  }
  for (const char* const other : {"cube", "wide", "tall"}) {
    CHECK(verdict_of(run, other).verdict == Verdict::Pass);
  }
}

TEST_CASE("a walk that is no bijection fails by its proof") {
  const auto cases = suite();
  const Baseline baseline = planted_baseline(cases);
  const GateRun run =
      gate(cases, &baseline, testing::h200(), replanted(cases[0].problem, lost_tile(3)));
  CHECK(verdict_of(run, "cube").worse.front() == "complete");
  CHECK(gate_exit_code(run) == ExitCode::No);
}

TEST_CASE("a changed device rate is a changed model in every case that depends on it") {
  const auto cases = suite();
  const Baseline baseline = planted_baseline(cases);
  DeviceSpec slower = testing::h200();
  slower.sustained_clock_hz *= 0.98;
  const GateRun run = gate(cases, &baseline, slower);
  for (const CaseVerdict& verdict : run.verdicts) {
    CHECK(verdict.verdict == Verdict::ModelChanged);
    CHECK(verdict.findings.front().starts_with("predicted_us"));
    CHECK(verdict.findings.back().find("gives it another price") != std::string::npos);
  }
  CHECK(gate_exit_code(run) == ExitCode::NoBaseline);
}

// Times of these problems grow by a share, with another walk or the same one.
StaticPricer longer(double by, bool another_walk, const std::vector<Workload>& of) {
  return [=](const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
    StaticNumbers numbers = exact_numbers(workload, config, device);
    if (std::find(of.begin(), of.end(), workload) == of.end()) return numbers;
    *numbers.predicted->us *= 1 + by;
    if (another_walk) numbers.walk = std::string(32, '0');
    return numbers;
  };
}

TEST_CASE("a predicted time 2 % longer fails exactly the case that has it") {
  const auto cases = suite();
  const Baseline baseline = planted_baseline(cases);
  for (const GateCase& planted : cases) {
    for (const bool another_walk : {false, true}) {
      const GateRun run =
          gate(cases, &baseline, testing::h200(), longer(0.02, another_walk, {planted.problem}));
      for (const CaseVerdict& verdict : run.verdicts) {
        CAPTURE(verdict.name);
        const Verdict found = another_walk ? Verdict::Regression : Verdict::ModelChanged;
        CHECK(verdict.verdict == (verdict.name == planted.name ? found : Verdict::Pass));
      }
      const CaseVerdict& verdict = verdict_of(run, planted.name);
      CHECK(verdict.findings.front().starts_with("predicted_us"));
      CHECK(verdict.findings.front().find("(+2.0 %)") != std::string::npos);
      if (another_walk) CHECK(verdict.worse == std::vector<std::string>{"predicted_us"});
    }
  }
}

TEST_CASE("1.5 % more fails the case with a threshold of 1 %, and none with the run's 2 %") {
  auto cases = suite();
  const Baseline baseline = planted_baseline(cases);
  cases[1].rules.threshold = 0.01;
  std::vector<Workload> problems;
  problems.reserve(cases.size());
  for (const GateCase& each : cases) problems.push_back(each.problem);
  const auto run = [&](double by) {
    ProgressListener silent;
    return run_static_gate(cases, testing::h200(), {}, &baseline, 0.02, silent,
                           longer(by, true, problems));
  };
  const auto failed = [](const GateRun& of) {
    std::vector<std::string> names;
    for (const CaseVerdict& v : of.verdicts) {
      if (is_failure(v.verdict)) names.push_back(v.name);
    }
    return names;
  };
  CHECK(failed(run(0.009)).empty());
  CHECK(failed(run(0.015)) == std::vector<std::string>{"wide"});
  CHECK(verdict_of(run(0.015), "wide").worse == std::vector<std::string>{"predicted_us"});
  CHECK(failed(run(0.025)).size() == cases.size());
}

// A regression chosen by the seed: of the mapping, of the model or of a config.
bool is_caught(uint64_t seed, const std::vector<GateCase>& cases, const Baseline& baseline) {
  std::mt19937_64 random(seed);
  const size_t at = random() % cases.size();
  const Workload& problem = cases[at].problem;
  const auto fails = [](const GateRun& run) { return gate_exit_code(run) != ExitCode::Good; };
  if (seed % 3 == 0) {
    const bool loses = random() % 4 == 0;
    return fails(gate(cases, &baseline, testing::h200(),
                      replanted(problem, loses ? lost_tile(seed) : shuffled(seed))));
  }
  if (seed % 3 == 1) {
    DeviceSpec device = testing::h200();
    double* const rates[] = {&device.sustained_clock_hz, &device.dram_bytes_per_s,
                             &device.l2_bytes_per_clock, &device.launch_us};
    *rates[random() % 4] *= 0.9 + 0.08 * static_cast<double>(random() % 2);
    return fails(gate(cases, &baseline, device));
  }
  std::vector<GateCase> worse = cases;
  TileConfig& config = worse[at].config;
  switch (random() % 3) {
    case 0: config.stages = 2; break;
    case 1: config.raster = parse_raster("row"); break;
    default: config.raster = parse_raster("split-merge:7"); break;
  }
  return fails(gate(worse, &baseline));
}

TEST_CASE("at least 45 of 50 planted regressions of mapping, model and config are caught") {
  const auto cases = suite();
  const Baseline baseline = planted_baseline(cases);
  int caught = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const bool found = is_caught(seed, cases, baseline);
    if (!found) MESSAGE("missed: seed " << seed);
    caught += found;
  }
  MESSAGE("caught " << caught << " of " << kSeeds);
  CHECK(caught >= 45);
}

TEST_CASE("none of 50 equal source trees fails") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    const char* const rasters[] = {"row", "col", "swizzle-merge:4", "split-merge:4", "hilbert"};
    const std::string shape = format("{}x{}x{}", 1024 + 8 * (random() % 200),
                                     1024 + 8 * (random() % 200), 256 + 64 * (random() % 30));
    const std::vector<GateCase> cases = {
        made_case("case", shape,
                  format("cta=128x128x64,stages={},raster={}", 2 + random() % 3,
                         rasters[random() % std::size(rasters)]))};
    const Baseline baseline = planted_baseline(cases);
    CAPTURE(shape);
    const GateRun run = gate(cases, &baseline);
    CHECK(run.verdicts.at(0).verdict == Verdict::Pass);
    CHECK(run.verdicts.at(0).findings.empty());
  }
}

}  // namespace
}  // namespace tilewright
