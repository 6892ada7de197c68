// A search over made-up harnesses: it finds what brute force finds, within its budget.
#include "search/foreign_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "search/foreign_traffic.hpp"
#include "search/recorder.hpp"
#include "stats/random.hpp"
#include "support/error_message.hpp"
#include "support/harness_machine.hpp"

namespace tilewright {
namespace {

using testing::HarnessMachine;
using testing::Values;

const Workload kWorkload = workload_of(Problem{.shape = {1024, 1024, 512}});

// A harness with two axes; half of their combinations are legal.
HarnessDescription two_axes() {
  HarnessDescription harness;
  harness.name = "made_up";
  harness.build = "0123456789abcdef";
  harness.takes = {
      .ops = {"gemm"}, .dtypes = {"bf16"}, .out_dtypes = {}, .layouts = {"tn"}, .epilogue = {}};
  harness.axes = {{"tile", {16, 32, 64, 128, 256}}, {"depth", {1, 2, 3, 4}}};
  harness.constraints = {parse_expression("tile * depth <= 256")};
  return harness;
}

// Hash of values, in [0, 1).
double scattered(const Values& values, uint64_t seed) {
  uint64_t state = seed;
  for (const AxisValue& value : values) {
    state = state * 1000003 + static_cast<uint64_t>(value.value);
  }
  Random random(state);
  return random.uniform();
}

struct Notes : ProgressListener {
  std::vector<std::string> lines;
  void note(const std::string& line) override { lines.push_back(line); }
};

TEST_CASE("without a budget the fastest of all right configs is found, whatever the others do") {
  const HarnessDescription harness = two_axes();
  const std::vector<ForeignConfig> legal = legal_configs(harness, kWorkload).legal;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    HarnessMachine machine;
    machine.time_us = [&](const Values& v) { return 50 + 100 * scattered(v, seed); };
    const auto picks = [seed](uint64_t which, const char* why) {
      return [=](const Values& v) -> std::string {
        return scattered(v, 31 * seed + which) < 0.15 ? why : "";
      };
    };
    machine.refusal = picks(1, "needs 230 KiB of shared memory");
    machine.fault = picks(2, "1 compared elements are wrong");
    machine.lost = picks(3, "gave no answer for 20 s");
    machine.fault_in_rounds = picks(4, "it reused that result");
    const auto is_sound = [&](const Values& v) {
      return machine.refusal(v).empty() && machine.fault(v).empty() && machine.lost(v).empty() &&
             machine.fault_in_rounds(v).empty();
    };
    const ForeignConfig* fastest = nullptr;
    for (const ForeignConfig& config : legal) {
      if (!is_sound(config.values)) continue;
      const bool is_faster =
          fastest == nullptr || machine.time_us(config.values) < machine.time_us(fastest->values);
      if (is_faster) fastest = &config;
    }
    REQUIRE(fastest != nullptr);
    ProgressListener silent;
    const ForeignResult result =
        tune_foreign(kWorkload, machine, harness, {.strategy = Strategy::Random}, silent);
    const ForeignEntry& entry = result.entry;
    const double best_us = machine.time_us(fastest->values);
    CHECK(is_sound(entry.choice.values));
    CHECK(machine.time_us(entry.choice.values) <= 1.01 * best_us);
    CHECK(entry.verified.ok);
    CHECK(winner_text(entry) == "harness:made_up");
    CHECK(entry.considered.enumerated == 20);
    for (const ForeignFault& fault : entry.wrong) {
      CHECK(!is_sound(fault.values));
      CHECK(!fault.reason.empty());
    }
    for (const ForeignRow& row : result.rows) CHECK(is_sound(row.values));
  }
}

TEST_CASE("a budget bounds what is measured; refused and wrong configs do not count against it") {
  const HarnessDescription harness = two_axes();
  for (const int64_t budget : {1, 2, 5, 100}) {
    HarnessMachine machine;
    machine.time_us = [](const Values& v) { return 50 + 100 * scattered(v, 3); };
    machine.fault = [](const Values& v) { return v[1].value == 1 ? "wrong" : ""; };
    ForeignPolicy policy{.strategy = Strategy::Random};
    policy.is_spent = [budget](int64_t measured) { return measured >= budget; };
    ProgressListener silent;
    const ForeignResult result = tune_foreign(kWorkload, machine, harness, policy, silent);
    int64_t right = 0;
    for (const ForeignConfig& config : legal_configs(harness, kWorkload).legal) {
      right += config.values[1].value != 1 ? 1 : 0;
    }
    CHECK(result.entry.considered.measured == std::min(budget, right));
  }
}

TEST_CASE("of configs that time cannot tell apart the first of the harness's order is the choice") {
  const HarnessDescription harness = two_axes();
  HarnessMachine machine;
  machine.time_us = [](const Values& v) { return v[1].value >= 2 ? 50.0 : 80.0; };
  ProgressListener silent;
  const ForeignResult result =
      tune_foreign(kWorkload, machine, harness, {.strategy = Strategy::Random}, silent);
  CHECK(result.entry.choice.values.back().value >= 2);
  for (const ForeignTie& tie : result.entry.ties) CHECK(tie.values.back().value >= 2);
  for (const ForeignRow& row : result.rows) {
    const auto order = [](const Values& v) { return std::pair(v[0].value, v[1].value); };
    CHECK(order(result.entry.choice.values) <= order(row.values));
  }
}

// Tiles of m x n elements in rows, as a kernel without any order of its own launches them.
ForeignMapping rows_of_tiles(int64_t tile) {
  ForeignMapping mapping{.tile_m = tile, .tile_n = tile, .tiles = {}};
  const auto side = static_cast<int>(kWorkload.shapes.front().m / tile);
  for (int m = 0; m < side; ++m) {
    for (int n = 0; n < side; ++n) mapping.tiles.push_back({m, n});
  }
  return mapping;
}

TEST_CASE("with a mapping the configs that cover every tile come first; without one it says so") {
  HarnessDescription harness = two_axes();
  harness.constraints = {parse_expression("tile >= 64")};
  for (const bool maps : {true, false}) {
    HarnessMachine machine;
    harness.maps = maps;
    machine.time_us = [](const Values&) { return 50.0; };
    machine.mapping = [](const Values& v) {
      ForeignMapping mapping = rows_of_tiles(v[0].value);
      // Every depth but one names the first tile twice and misses the last.
      if (v[1].value != 3) mapping.tiles.back() = mapping.tiles.front();
      return mapping;
    };
    Notes notes;
    ForeignPolicy policy;
    policy.is_spent = [](int64_t measured) { return measured >= 3; };
    tune_foreign(kWorkload, machine, harness, policy, notes);
    REQUIRE(machine.verified.size() == 3);
    REQUIRE(!notes.lines.empty());
    if (!maps) {
      CHECK(testing::contains(notes.lines.front(), "no time is predicted"));
      continue;
    }
    CHECK(testing::contains(notes.lines.front(), "least time"));
    for (const std::string& name : machine.verified) {
      CHECK_MESSAGE(testing::contains(name, "depth=3"), name);
    }
  }
}

TEST_CASE("configs come in the order of their least time, or of traffic where a rate is unknown") {
  HarnessDescription harness = two_axes();
  harness.constraints = {parse_expression("tile >= 64")};
  harness.maps = true;
  for (const bool has_rates : {true, false}) {
    HarnessMachine machine;
    if (!has_rates) machine.spec.l2_bytes_per_clock = 0;
    machine.time_us = [](const Values&) { return 50.0; };
    machine.mapping = [](const Values& v) { return rows_of_tiles(v[0].value); };
    Notes notes;
    tune_foreign(kWorkload, machine, harness, {}, notes);
    CHECK(testing::contains(notes.lines.front(), has_rates ? "least time" : "memory traffic"));
    double last = 0;
    for (const std::string& name : machine.verified) {
      const size_t at = name.find("tile=") + 5;
      const int64_t tile = std::stoll(name.substr(at));
      // 1024 x 1024 x 512: on 132 multiprocessors one has ceil(tiles / 132) tiles, each bound by
      // 2 tile^2 K / 4096 clocks of tensor cores or by its operands' share of L2.
      const double tiles =
          std::ceil(1024.0 / static_cast<double>(tile) * 1024.0 / static_cast<double>(tile) / 132);
      const double side = static_cast<double>(tile);
      const DeviceSpec& d = machine.spec;
      const double clocks = std::max(2 * side * side * 512 / d.tensor_flops_per_clock_per_sm,
                                     2 * side * 512 * 2 * 132 / d.l2_bytes_per_clock);
      const double cost =
          has_rates ? tiles * clocks
                    : *foreseen_read_bytes(rows_of_tiles(tile), problem_of(kWorkload, 0), d);
      CHECK_MESSAGE(cost >= last * (1 - 1e-9), name);
      last = cost;
    }
  }
}

TEST_CASE("the library and a config of ours run beside it, and the faster one is the winner") {
  const HarnessDescription harness = two_axes();
  const TileConfig ours{.cta = {128, 128, 64}, .cluster = {}, .stages = 4, .raster = {}};
  struct Case {
    double harness_us;
    double library_us;
    std::string winner;
  };
  // Ours takes 60 us.
  for (const Case& one : {Case{50, 70, "harness:made_up"}, Case{90, 80, "ours"},
                          Case{90, 55, "library"}, Case{57, 50, "library"}}) {
    HarnessMachine machine;
    machine.time_us = [&](const Values&) { return one.harness_us; };
    machine.reference_us = {one.library_us + 20, one.library_us};
    ForeignPolicy policy{.strategy = Strategy::Exhaustive};
    policy.ours = ours;
    policy.is_spent = [](int64_t measured) { return measured >= 2; };
    ProgressListener silent;
    const ForeignEntry entry = tune_foreign(kWorkload, machine, harness, policy, silent).entry;
    CHECK(winner_text(entry) == one.winner);
    REQUIRE(entry.reference);
    CHECK(entry.reference->name == "reference 1");
    CHECK(entry.reference->ratio.ratio ==
          doctest::Approx(one.library_us / one.harness_us).epsilon(0.01));
    REQUIRE(entry.ours);
    CHECK(entry.ours->ratio.ratio == doctest::Approx(60 / one.harness_us).epsilon(0.01));
  }
}

// two_axes() with the default tile=16,depth=1, the first of the harness's order.
HarnessDescription with_default() {
  HarnessDescription harness = two_axes();
  harness.default_values = {{"tile", 16}, {"depth", 1}};
  harness.compiler = "triton 3.9.0";
  return harness;
}

TEST_CASE("the default config is timed in the rounds of the answer, whatever its time and budget") {
  const HarnessDescription harness = with_default();
  for (const double default_us : {20.0, 50.0, 90.0, 400.0}) {
    for (const int64_t budget : {1, 3, 100}) {
      HarnessMachine machine;
      const auto is_default = [&](const Values& v) { return v == harness.default_values; };
      machine.time_us = [&](const Values& v) {
        return is_default(v) ? default_us : 50 + 10 * scattered(v, 9);
      };
      ForeignPolicy policy{.strategy = Strategy::Random};
      policy.is_spent = [budget](int64_t measured) { return measured >= budget; };
      ProgressListener silent;
      const ForeignResult result = tune_foreign(kWorkload, machine, harness, policy, silent);
      const ForeignEntry& entry = result.entry;
      CHECK(entry.compiler == "triton 3.9.0");
      CHECK(testing::contains(machine.verified.front(), "tile=16,depth=1"));
      REQUIRE(entry.default_beside);
      CHECK(entry.default_beside->values == harness.default_values);
      CHECK(entry.default_beside->timing.median_us == doctest::Approx(default_us).epsilon(0.01));
      CHECK(entry.default_beside->ratio.ratio ==
            doctest::Approx(default_us / machine.time_us(entry.choice.values)).epsilon(0.01));
      if (default_us < 50 || budget == 1) CHECK(is_default(entry.choice.values));
      // As an observer it is no finalist.
      const bool is_finalist =
          std::any_of(result.rows.begin(), result.rows.end(),
                      [&](const ForeignRow& row) { return is_default(row.values); });
      CHECK(is_finalist == (default_us <= 50 || budget < 100));
    }
  }
}

TEST_CASE("a default that the given values exclude is timed, and one that fails is not") {
  const HarnessDescription harness = with_default();
  HarnessMachine machine;
  machine.time_us = [](const Values& v) { return 50 + 10 * scattered(v, 9); };
  ProgressListener silent;
  const ForeignPolicy policy{.given = {{"tile", 64}}, .strategy = Strategy::Random};
  const ForeignEntry apart = tune_foreign(kWorkload, machine, harness, policy, silent).entry;
  CHECK(apart.choice.values.front().value == 64);
  REQUIRE(apart.default_beside);
  CHECK(apart.default_beside->values == harness.default_values);
  machine.fault = [&](const Values& v) { return v == harness.default_values ? "wrong" : ""; };
  const ForeignEntry entry = tune_foreign(kWorkload, machine, harness, policy, silent).entry;
  CHECK(!entry.default_beside);
  REQUIRE(entry.wrong.size() == 1);
  CHECK(entry.wrong.front().values == harness.default_values);
}

TEST_CASE("records of a run answer the same search again, and nothing is launched") {
  const HarnessDescription harness = two_axes();
  HarnessMachine machine;
  machine.time_us = [](const Values& v) { return 50 + 100 * scattered(v, 5); };
  machine.fault = [](const Values& v) { return v[1].value == 2 ? "wrong" : ""; };
  machine.reference_us = {70};
  std::vector<Record> records;
  const auto search = [&](RunLog earlier) {
    Recorder recorder(machine, std::move(earlier),
                      [&records](const Record& record) { records.push_back(record); });
    ForeignPolicy policy{.strategy = Strategy::Random};
    policy.between_races = [&recorder] { recorder.between_races(); };
    ProgressListener silent;
    return tune_foreign(kWorkload, recorder, harness, policy, silent);
  };
  const ForeignResult first = search({});
  const int64_t launches = machine.launches;
  RunLog log;
  add_to(log, records);
  CHECK(search(std::move(log)) == first);
  CHECK(machine.launches == launches);
}

TEST_CASE("nothing legal, nothing right and a strategy without a prediction are refused by name") {
  HarnessDescription harness = two_axes();
  HarnessMachine machine;
  machine.time_us = [](const Values&) { return 50.0; };
  ProgressListener silent;
  const auto code_of = [&](const ForeignPolicy& policy) {
    try {
      tune_foreign(kWorkload, machine, harness, policy, silent);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::Good;
  };
  CHECK(code_of({.strategy = Strategy::Local}) == ExitCode::Usage);
  machine.fault = [](const Values&) { return "wrong"; };
  CHECK(code_of({}) == ExitCode::WrongResult);
  machine.refusal = [](const Values&) { return "no"; };
  CHECK(code_of({}) == ExitCode::No);
  harness.constraints = {parse_expression("tile < 0")};
  CHECK(code_of({}) == ExitCode::No);
}

}  // namespace
}  // namespace tilewright
