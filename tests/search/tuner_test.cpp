#include "search/tuner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "search/predict.hpp"
#include "support/error_message.hpp"
#include "support/fake_runner.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

const Problem kTunedProblem{{2048, 2048, 2048}};

// A made-up machine with times up to a tenth off the model's, in a way that the model cannot
// predict.
double make_up_us(const TileConfig& config) {
  const double us = estimate(kTunedProblem, config, testing::h200()).us;
  TileConfig same_code = config;
  same_code.raster = {};
  same_code.l2_promotion_bytes = 128;
  same_code.evict_first = {};
  const std::string hash = hash_text(to_string(same_code));
  const double surprise = static_cast<double>(std::stoi(hash.substr(0, 2), nullptr, 16)) / 255;
  const double raster = config.raster.axis == tw::GroupAxis::N ? 0.98 : 1.0;
  const double promotion = config.l2_promotion_bytes == 256 ? 0.985 : 1.0;
  const double eviction = config.evict_first == EvictFirst{.b = true} ? 0.985 : 1.0;
  return us * (1 + 0.1 * surprise) * raster * promotion * eviction;
}

double surprising_us(const TileConfig& config) {
  static std::map<std::string, double> known;  // estimates take long, and races need them often
  const std::string name = to_string(config);
  const auto at = known.find(name);
  return at != known.end() ? at->second : known[name] = make_up_us(config);
}

TuneResult run(testing::FakeRunner& runner, const TunePolicy& policy = {}) {
  ProgressListener silent;
  return tune(workload_of(kTunedProblem), runner, policy, silent);
}

TuneResult run_surprising(uint64_t seed) {
  testing::FakeRunner runner(seed);
  runner.time_us = surprising_us;
  return run(runner);
}

TEST_CASE("the choice is the fastest of all that were timed, within the noise") {
  for (const uint64_t seed : {1U, 2U, 3U}) {
    testing::FakeRunner runner(seed);
    double best_us = 1e9;
    runner.time_us = [&best_us](const TileConfig& config) {
      const double us = surprising_us(config);
      best_us = std::min(best_us, us);
      return us;
    };
    const TuneResult result = run(runner);
    CHECK(surprising_us(result.entry.choice) <= best_us * 1.01);
    // These configs lie outside the first batch: the leaders' variants found them.
    CHECK(result.entry.choice.l2_promotion_bytes == 256);
    CHECK(result.entry.choice.evict_first == EvictFirst{.b = true});
    CHECK(result.entry.timing->median_us ==
          doctest::Approx(surprising_us(result.entry.choice)).epsilon(0.02));
  }
}

// Stages and rasters of one tile: a few hundred configs.
TunePolicy small_space(Strategy strategy) {
  TunePolicy policy;
  policy.spaces = requested_spaces(parse_config(
      "family=sm90,cta=128x128x64,schedule=cooperative,decomposition=data-parallel,swap_ab=false,"
      "evict_first=none,l2_promotion=128"));
  policy.strategy = strategy;
  return policy;
}

TEST_CASE("an exhaustive search times every legal config and finds the best of all") {
  const TunePolicy policy = small_space(Strategy::Exhaustive);
  testing::FakeRunner runner(1);
  runner.time_us = surprising_us;
  runner.noise = 0.001;
  const TuneResult result = run(runner, policy);
  const Enumeration found = enumerate(workload_of(kTunedProblem), policy.spaces, runner.device());
  CHECK(result.entry.considered.measured == found.legal);
  const LegalConfigs legal(found, policy.spaces);
  double best_us = 1e9;
  for (size_t i = 0; i < legal.size(); ++i) best_us = std::min(best_us, surprising_us(legal.at(i)));
  CHECK(surprising_us(result.entry.choice) <= best_us * 1.002);
}

// Falls towards one corner of that space.
double smooth_us(const TileConfig& config) {
  const double axis = config.raster.axis == tw::GroupAxis::N ? 0 : 3;
  return 100 + 4 * std::abs(config.stages - 5) + 2 * std::abs(config.raster.factors[0] - 6) + axis;
}

TEST_CASE("a budget of configs bounds every strategy, and local steps reach an optimum") {
  constexpr int64_t kBudget = 90;
  const auto chosen_us = [](Strategy strategy, uint64_t seed) {
    TunePolicy policy = small_space(strategy);
    policy.is_bounded = true;
    policy.most_configs = kBudget;
    policy.is_spent = [](int64_t measured) { return measured >= kBudget; };
    policy.seed = seed;
    testing::FakeRunner runner(seed);
    runner.time_us = smooth_us;
    runner.noise = 0.001;
    const TuneResult result = run(runner, policy);
    CHECK(result.entry.considered.measured <= kBudget + 1);
    CHECK(result.entry.considered.measured >= kBudget / 2);
    return smooth_us(result.entry.choice);
  };
  CHECK(chosen_us(Strategy::Local, 1) == 100);
  chosen_us(Strategy::Random, 1);
  chosen_us(Strategy::Exhaustive, 1);
}

TEST_CASE("a kernel that is right alone but wrong among other launches is never chosen") {
  testing::FakeRunner runner(3);
  runner.time_us = surprising_us;
  const TileConfig fastest = run(runner).entry.choice;
  testing::FakeRunner again(3);
  again.time_us = surprising_us;
  again.is_wrong_in_rounds = [&](const TileConfig& config) { return config.cta == fastest.cta; };
  const TuneResult result = run(again);
  CHECK(result.entry.choice.cta != fastest.cta);
  REQUIRE(!result.entry.wrong.empty());
  for (const WrongKernel& wrong : result.entry.wrong) {
    CHECK(wrong.config.cta == fastest.cta);
    CHECK(testing::contains(wrong.verification.detail, "among other launches: D(0, 64)"));
  }
  for (const TuneRow& row : result.rows) CHECK(row.config.cta != fastest.cta);
}

// Narrow tiles take a little less energy.
double made_up_joules(const Contender& contender) {
  return contender.config ? 0.3 + 0.0002 * contender.config->cta.n : 0.9;
}

TEST_CASE("an objective chooses by joules or by joules times time among the same finalists") {
  const auto tuned = [](Objective objective) {
    testing::FakeRunner runner(5);
    runner.noise = 0.001;
    runner.time_us = surprising_us;
    runner.joules = made_up_joules;
    TunePolicy policy;
    policy.objective = objective;
    return run(runner, policy);
  };
  for (const Objective objective : {Objective::Energy, Objective::Edp}) {
    const TuneResult result = tuned(objective);
    REQUIRE(result.entry.energy);
    const auto cost = [objective](double joules, double us) {
      return objective == Objective::Energy ? joules : joules * us;
    };
    const double chosen = cost(result.entry.energy->joules, result.entry.timing->median_us);
    CHECK(result.rows.size() >= 4);
    for (const TuneRow& row : result.rows) {
      CHECK(chosen <= cost(row.energy->joules, row.timing->median_us) * (1 + kSameCostWithin));
    }
    CHECK(result.entry.reference->energy->joules == doctest::Approx(0.9).epsilon(0.02));
    CHECK(winner_of(result.entry) == Winner::Ours);
  }
  CHECK(!tuned(Objective::Time).entry.energy);
  CHECK(tuned(Objective::Energy).entry.energy->joules <=
        made_up_joules({"", tuned(Objective::Time).entry.choice}) * (1 + kSameCostWithin));
}

TEST_CASE("an objective of joules without an energy counter fails with the reason") {
  testing::FakeRunner runner;
  TunePolicy policy;
  policy.objective = Objective::Energy;
  CHECK(testing::contains(
      testing::error_message_of([&] { run(runner, policy); }, ExitCode::Environment),
      "--objective needs joules: nothing counts it"));
}

TEST_CASE("the ratio is the best reference's time over ours, with its interval around it") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig&) { return 100.0; };
  runner.reference_us = {130, 110, 120};
  const TuneResult result = run(runner);
  const ReferenceResult& reference = *result.entry.reference;
  CHECK(reference.name == "reference algorithm 1");
  CHECK(reference.ratio.ratio == doctest::Approx(1.1).epsilon(0.01));
  CHECK(reference.ratio.interval.low <= reference.ratio.ratio);
  CHECK(reference.ratio.ratio <= reference.ratio.interval.high);
  CHECK(reference.ratio.interval.low > 1.05);
  CHECK(result.rounds == 320);
  // Every algorithm runs in every round that decides or reports.
  CHECK(runner.timed["reference algorithm 0"] >= 400);
  CHECK(runner.timed["reference algorithm 2"] == runner.timed["reference algorithm 0"]);
  CHECK(runner.timed[to_string(result.entry.choice)] > runner.timed["reference algorithm 0"]);
  CHECK(winner_of(result.entry) == Winner::Ours);
}

TEST_CASE("a kernel that wins only while the device is hot is chosen") {
  testing::FakeRunner runner;
  runner.time_us = [&runner](const TileConfig& config) {
    // References run only in the confirmation.
    const bool is_hot = runner.timed.count("reference algorithm 0") == 1;
    if (config.cta == TileShape{128, 256, 64}) return is_hot ? 105.0 : 100.0;
    return config.cta == TileShape{128, 128, 64} ? 102.0 : 120.0;
  };
  const TuneResult result = run(runner);
  CHECK(result.entry.choice.cta == TileShape{128, 128, 64});
}

TEST_CASE("equal kernels tie, and slower ones do not") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig&) { return 100.0; };
  const TuneResult same = run(runner);
  CHECK(same.entry.ties.size() == same.rows.size() - 1);
  testing::FakeRunner graded;
  graded.time_us = surprising_us;
  const TuneResult result = run(graded);
  for (const Tie& tie : result.entry.ties) {
    CHECK(surprising_us(tie.config) <= surprising_us(result.entry.choice) * 1.01);
  }
}

TEST_CASE("wrong kernels are never timed, never chosen, and reported by name") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig& c) { return c.cluster.m == 2 ? 10.0 : 100.0; };
  runner.is_wrong = [](const TileConfig& c) { return c.cluster.m == 2; };
  class Notes : public ProgressListener {
   public:
    void note(const std::string& line) override { lines.push_back(line); }
    std::vector<std::string> lines;
  } notes;
  const TuneResult result = tune(workload_of(kTunedProblem), runner, {}, notes);
  CHECK(result.entry.choice.cluster.m == 1);
  CHECK(!result.entry.wrong.empty());
  CHECK(notes.lines.size() == result.entry.wrong.size());
  for (const WrongKernel& wrong : result.entry.wrong) {
    CHECK(wrong.config.cluster.m == 2);
    CHECK(runner.timed.count(to_string(wrong.config)) == 0);
    const auto names_it = [&wrong](const std::string& line) {
      return line.find(to_string(wrong.config)) != std::string::npos;
    };
    CHECK(std::any_of(notes.lines.begin(), notes.lines.end(), names_it));
  }
}

TEST_CASE("every kernel is verified before it is timed") {
  testing::FakeRunner runner;
  runner.time_us = surprising_us;
  run(runner);
  for (const auto& timed : runner.timed) {
    if (timed.first.find("cta=") == std::string::npos) continue;
    CHECK(runner.verified.at(timed.first));
  }
  const auto last_time = std::find(runner.calls.rbegin(), runner.calls.rend(), "time");
  const auto last_count = std::find(runner.calls.rbegin(), runner.calls.rend(), "count");
  CHECK(last_count < last_time);  // counters only after the last timed round
}

TEST_CASE("every timed config and its raster are in the enumeration") {
  testing::FakeRunner runner;
  const Workload wide = workload_of({{100, 6000, 512}});
  runner.time_us = [](const TileConfig& config) { return config.swap_ab ? 50.0 : 51.0; };
  ProgressListener silent;
  const TunePolicy policy;
  tune(wide, runner, policy, silent);
  const Enumeration found = enumerate(wide, policy.spaces, runner.device());
  std::set<bool> swapped;
  for (const auto& [name, launches] : runner.timed) {
    if (name.find("cta=") == std::string::npos) continue;
    const TileConfig config = config_of(parse_config(name));
    swapped.insert(config.swap_ab);
    const bool is_enumerated =
        std::any_of(found.kernels.begin(), found.kernels.end(), [&config](const LegalKernel& k) {
          TileConfig same = k.config;
          same.raster = config.raster;
          same.l2_promotion_bytes = config.l2_promotion_bytes;
          same.evict_first = config.evict_first;
          return same == config &&
                 std::count(k.rasters.begin(), k.rasters.end(), config.raster) > 0;
        });
    CHECK_MESSAGE(is_enumerated, name);
  }
  CHECK(swapped.size() == 2);
}

TEST_CASE("a phase never advances beyond its announced total") {
  class Steps : public ProgressListener {
   public:
    std::set<std::string> phases;
    void begin(const std::string& phase, int64_t total) override {
      phases.insert(phase);
      total_ = total;
    }
    void advance(int64_t done, double) override { CHECK(done <= total_); }

   private:
    int64_t total_ = 0;
  };
  testing::FakeRunner runner;
  runner.time_us = surprising_us;
  Steps steps;
  tune(workload_of(kTunedProblem), runner, {}, steps);
  CHECK(steps.phases.count("confirm") == 1);
}

TEST_CASE("refused and crashing kernels are counted, and the search goes on without them") {
  testing::FakeRunner runner;
  runner.time_us = surprising_us;
  runner.compiles = [](const TileConfig& c) { return c.cta.m != 256; };
  runner.launches = [](const TileConfig& c) { return c.cta.m != 192; };
  const TuneResult result = run(runner);
  CHECK(result.entry.considered.rejected.at("compiler") > 0);
  CHECK(result.entry.considered.rejected.at("launch") > 0);
  CHECK(result.entry.choice.cta.m <= 128);
  CHECK(result.entry.considered.measured >= 28 / 2);
  int64_t measured = 0;
  for (const auto& timed : runner.timed) measured += timed.first.find("cta=") != std::string::npos;
  CHECK(result.entry.considered.measured == measured);
}

TEST_CASE("the plainest of equal kernels is chosen, and the incumbent only if it is named") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig&) { return 100.0; };
  const TileConfig choice = run(runner).entry.choice;
  const auto peculiarities = [](const std::string& config) {
    int count = 0;
    for (const char* const usual :
         {"raster=row", "evict_first=none", "l2_promotion=128", "cluster=1x1"}) {
      count += config.find(usual) == std::string::npos ? 1 : 0;
    }
    return count;
  };
  int fewest = 4;
  const auto of_choice = runner.timed.at(to_string(choice));
  for (const auto& timed : runner.timed) {
    // The finalists, which run in the deciding rounds.
    if (timed.first.find("cta=") != std::string::npos && 2 * timed.second > of_choice) {
      fewest = std::min(fewest, peculiarities(timed.first));
    }
  }
  CHECK(peculiarities(to_string(choice)) == fewest);
  TunePolicy policy;
  policy.incumbent = choice;
  policy.incumbent->raster = parse_raster("swizzle-merge:5@n");
  policy.incumbent->evict_first.a = true;
  testing::FakeRunner again;
  again.time_us = runner.time_us;
  CHECK(run(again, policy).entry.choice == *policy.incumbent);
  testing::FakeRunner slow;
  slow.time_us = [&policy](const TileConfig& c) { return c == *policy.incumbent ? 100.5 : 100.0; };
  CHECK(run(slow, policy).entry.choice != *policy.incumbent);
}

TEST_CASE("the library wins where its algorithm is faster, and the answer names it") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig&) { return 100.0; };
  runner.reference_us = {99.0, 97.0, 98.0};
  const TuneEntry entry = run(runner).entry;
  CHECK(winner_of(entry) == Winner::Library);
  CHECK(entry.reference->name == "reference algorithm 1");
  runner.reference_us = {100.0};
  CHECK(winner_of(run(runner).entry) == Winner::Ours);
}

ExitCode code_of(testing::FakeRunner& runner, const TunePolicy& policy = {}) {
  try {
    run(runner, policy);
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::Good;
}

TEST_CASE("when no kernel is left, the exit code gives the reason") {
  testing::FakeRunner wrong;
  wrong.is_wrong = [](const TileConfig&) { return true; };
  CHECK(code_of(wrong) == ExitCode::WrongResult);
  CHECK(wrong.timed.empty());
  testing::FakeRunner refused;
  refused.compiles = [](const TileConfig&) { return false; };
  CHECK(code_of(refused) == ExitCode::Environment);
  testing::FakeRunner crashing;
  crashing.launches = [](const TileConfig&) { return false; };
  CHECK(code_of(crashing) == ExitCode::Environment);
  testing::FakeRunner idle;
  TunePolicy illegal;
  illegal.spaces = {restricted(sm90_space(), parse_config("cta=256x256x64"))};
  CHECK(code_of(idle, illegal) == ExitCode::No);
  CHECK(idle.calls.empty());
}

TEST_CASE("an interrupt ends the search between rounds") {
  for (const int rounds : {0, 1, 7, 30}) {
    testing::FakeRunner runner;
    runner.rounds_before_interrupt = rounds;
    CHECK(code_of(runner) == ExitCode::Interrupted);
    clear_interruption();
    CHECK(runner.rounds == rounds);
  }
}

TEST_CASE("the same seed gives the same answer") {
  CHECK(run_surprising(5) == run_surprising(5));
  CHECK(run_surprising(5).entry.timing != run_surprising(6).entry.timing);
}

TEST_CASE("a machine without counters gives the reason and is tuned without them") {
  testing::FakeRunner runner;
  runner.counters_permitted = false;
  const TuneResult result = run(runner);
  CHECK(!result.entry.counters);
  CHECK(result.entry.why_no_counters == "not permitted: needs root");
  CHECK(result.entry.timing.has_value());
}

TEST_CASE("a machine without a reference library is tuned without ratios") {
  testing::FakeRunner runner;
  runner.reference_us = {};
  const TuneResult result = run(runner);
  CHECK(!result.entry.reference);
  CHECK(!result.rows.front().ratio);
}

TEST_CASE("a request with one config left needs no race to win") {
  testing::FakeRunner runner;
  TunePolicy policy;
  policy.spaces = {restricted(
      sm90_space(), parse_config("cta=128x128x64,cluster=1x1,stages=4,schedule=pingpong,raster=row,"
                                 "l2_promotion=128,evict_first=none"))};
  policy.rounds = 10;
  const TuneResult result = run(runner, policy);
  CHECK(result.rows.size() == 1);
  CHECK(result.rounds == 10);
  CHECK(result.entry.ties.empty());
}

TEST_CASE("a prediction runs nothing and chooses what the ranking puts first") {
  const TuneResult result = predict(workload_of(kTunedProblem), testing::h200(), {});
  const Ranking ranking = rank(workload_of(kTunedProblem), all_spaces(), testing::h200());
  CHECK(result.entry.choice == ranking.kernels.front().config);
  CHECK(result.entry.predicted == ranking.kernels.front().predicted);
  CHECK(!result.entry.timing);
  CHECK(result.entry.considered.measured == 0);
  CHECK(result.rows.size() == ranking.kernels.size());
}

TEST_CASE("rounds fill half a second, within limits") {
  CHECK(rounds_for(1) == 320);
  CHECK(rounds_for(7000) == 71);
  CHECK(rounds_for(1e6) == 25);
}

}  // namespace
}  // namespace tilewright
