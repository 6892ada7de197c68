// A runner without a GPU: every config has an invented time with seeded noise, and tests choose the
// failures.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "search/runner.hpp"
#include "stats/random.hpp"
#include "support/devices.hpp"

namespace tilewright::testing {

class FakeRunner : public Runner {
 public:
  // Set by the test.
  std::function<double(const TileConfig&)> time_us = [](const TileConfig&) { return 100.0; };
  std::vector<double> reference_us = {110.0, 104.0, 150.0};
  int64_t library_version = 130100;  // 0: the library does not list its algorithms
  std::function<bool(const TileConfig&)> is_wrong = [](const TileConfig&) { return false; };
  std::function<bool(const TileConfig&)> compiles = [](const TileConfig&) { return true; };
  std::function<bool(const TileConfig&)> launches = [](const TileConfig&) { return true; };
  // The reason why the launch with this number, from 1, does not return; empty if it returns.
  std::function<std::string(const Contender&, int)> lost = [](const Contender&, int) {
    return std::string();
  };
  // Wrong between other launches, but not alone.
  std::function<bool(const TileConfig&)> is_wrong_in_rounds = [](const TileConfig&) {
    return false;
  };
  std::function<void(const Workload&)> on_prepare = [](const Workload&) {};
  std::function<double(const Contender&)> joules;           // of one launch; empty: not measured
  std::function<double(const Contender&)> beside_gb_per_s;  // beside it; empty: nothing runs beside
  double noise = 0.01;  // relative, and rarely ten times as large
  bool counters_permitted = true;
  std::string regime = "none";  // the method's regime
  KernelTrace recorded;

  // Recorded calls of the search.
  std::vector<std::string> calls;        // prepare, build, verify, time, count in order
  std::map<std::string, int> timed;      // launches by contender
  std::map<std::string, bool> verified;  // by config: the last result
  int64_t rounds = 0;
  int64_t rounds_before_interrupt = -1;  // rounds before an interruption; -1: none

  explicit FakeRunner(uint64_t seed = 1) : random_(seed) {}

  const DeviceSpec& device() const override { return device_; }
  using Runner::prepare;
  void prepare(const Workload& workload) override {
    calls.push_back("prepare");
    on_prepare(workload);
    if (rounds_before_interrupt == rounds) request_interruption();
  }
  MeasuringMethod method() const override { return {"fake", regime, "none", "fake 1.0"}; }

  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    calls.push_back("build");
    std::vector<BuildResult> results;
    for (const TileConfig& config : configs) {
      BuildResult result;
      if (!compiles(config)) result.reason = "spills 16 bytes";
      result.registers = 168;
      results.push_back(result);
    }
    return results;
  }

  std::vector<Contender> reference_contenders() override {
    std::vector<Contender> contenders;
    for (size_t i = 0; i < reference_us.size(); ++i) {
      contenders.push_back(
          {"reference algorithm " + std::to_string(i), std::nullopt, static_cast<int>(i)});
    }
    return contenders;
  }

  LibraryAlgorithms library_algorithms() override {
    LibraryAlgorithms library{.version = library_version};
    for (size_t i = 0; i < reference_us.size() && library_version != 0; ++i) {
      library.list.push_back({.bits = {{static_cast<uint8_t>(i + 1)}},
                              .workspace_bytes = 1024 * static_cast<int64_t>(i)});
    }
    return library;
  }

  Verification verify(const Contender& contender) override {
    calls.push_back("verify");
    const TileConfig& config = *contender.config;
    if (!launches(config)) throw environment_error("launch failed: out of resources");
    const bool ok = !is_wrong(config);
    verified[contender.name] = ok;
    return {ok, ok ? 1e-3 : 0.7, ok ? "" : "D(0, 64) is -1, should be 2"};
  }

  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    calls.push_back("time");
    if (++rounds == rounds_before_interrupt) request_interruption();
    std::vector<LaunchTime> times;
    for (const Contender& contender : contenders) {
      const int launch = ++timed[contender.name];
      const double us = contender.config
                            ? time_us(*contender.config)
                            : reference_us[static_cast<size_t>(contender.reference_algorithm)];
      times.push_back({.us = disturbed(us), .failure = lost(contender, launch)});
    }
    return times;
  }

  Verification verify_in_round(std::span<const Contender> contenders) override {
    calls.push_back("verify in round");
    const bool ok = !is_wrong_in_rounds(*contenders.back().config);
    return {ok, ok ? 1e-3 : 0.7, ok ? "" : "D(0, 64) is -1, should be 2"};
  }

  EnergyReading measure_energy(const Contender& contender, double) override {
    calls.push_back("energy");
    if (!joules) return {.energy = {}, .why_not = "nothing counts it"};
    return {.energy = Energy{disturbed(joules(contender)), 100}, .why_not = ""};
  }

  NeighbourRates measure_neighbour(std::span<const Contender> contenders) override {
    calls.push_back("neighbour");
    if (!beside_gb_per_s) return Runner::measure_neighbour(contenders);
    NeighbourRates rates{.alone_gb_per_s = 1180, .beside_gb_per_s = {}};
    for (const Contender& one : contenders) rates.beside_gb_per_s.push_back(beside_gb_per_s(one));
    return rates;
  }

  using Runner::count;
  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    calls.push_back("count");
    CounterReading reading{std::nullopt, "not permitted: needs root"};
    if (counters_permitted) reading = {Counters{.dram_read_bytes = 1e9, .passes = 1}, ""};
    return std::vector<CounterReading>(contenders.size(), reading);
  }

  KernelTrace trace(const Contender&) override { return recorded; }
  std::string timer_check() override { return "fake"; }

 private:
  double disturbed(double us) {
    const double width = random_.below(20) == 0 ? 10 * noise : noise;
    return us * (1 + width * random_.uniform());
  }

  DeviceSpec device_ = h200();
  Random random_;
};

}  // namespace tilewright::testing
