// A machine without a GPU that runs the configs of one harness: tests choose times and failures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "search/runner.hpp"
#include "stats/random.hpp"
#include "support/devices.hpp"

namespace tilewright::testing {

using Values = std::vector<AxisValue>;

/// Every config has a time, or fails as the test arranges; a config of ours takes 60 us.
class HarnessMachine : public Runner {
 public:
  std::function<double(const Values&)> time_us;
  std::function<std::string(const Values&)> refusal = [](const Values&) { return ""; };
  std::function<std::string(const Values&)> fault = [](const Values&) { return ""; };
  std::function<std::string(const Values&)> lost = [](const Values&) { return ""; };
  std::function<std::string(const Values&)> fault_in_rounds = [](const Values&) { return ""; };
  std::function<ForeignMapping(const Values&)> mapping;
  DeviceSpec spec = h200();
  double noise = 0.004;     // relative
  std::string description;  // of every library
  std::vector<double> reference_us;
  std::vector<std::string> verified;  // in order
  int64_t launches = 0;

  const DeviceSpec& device() const override { return spec; }
  HarnessText describe(const std::string&) override {
    return {.json = description, .build = "0123456789abcdef"};
  }
  void prepare(const Workload&) override {}
  MeasuringMethod method() const override { return {"fake", "none", "none", "fake 1.0"}; }
  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    return std::vector<BuildResult>(configs.size());
  }
  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override {
    std::vector<BuildResult> results;
    for (const Contender& one : contenders) {
      results.push_back({.reason = refusal(one.foreign->values)});
    }
    return results;
  }
  ForeignMapping mapping_of(const Contender& contender) override {
    return mapping(contender.foreign->values);
  }
  std::vector<Contender> reference_contenders() override {
    std::vector<Contender> contenders;
    for (size_t i = 0; i < reference_us.size(); ++i) {
      contenders.push_back({.name = "reference " + std::to_string(i),
                            .config = std::nullopt,
                            .reference_algorithm = static_cast<int>(i)});
    }
    return contenders;
  }
  Verification verify(const Contender& contender) override {
    if (!contender.foreign) return {.ok = true, .rel_error = 0, .detail = {}};
    verified.push_back(contender.name);
    return judged(fault(contender.foreign->values));
  }
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    std::vector<LaunchTime> times;
    for (const Contender& one : contenders) {
      ++launches;
      const double us = one.foreign  ? time_us(one.foreign->values)
                        : one.config ? 60
                                     : reference_us[static_cast<size_t>(one.reference_algorithm)];
      times.push_back({.us = us * (1 + noise * random_.uniform()),
                       .failure = one.foreign ? lost(one.foreign->values) : ""});
    }
    return times;
  }
  Verification verify_in_round(std::span<const Contender> contenders) override {
    const Contender& last = contenders.back();
    return judged(last.foreign ? fault_in_rounds(last.foreign->values) : "");
  }
  using Runner::count;
  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    return std::vector<CounterReading>(contenders.size(), {std::nullopt, "not counted"});
  }
  KernelTrace trace(const Contender&) override { return {}; }
  std::string timer_check() override { return "fake"; }

 private:
  static Verification judged(const std::string& why) {
    return {.ok = why.empty(), .rel_error = 1e-3, .detail = why};
  }

  Random random_{7};
};

}  // namespace tilewright::testing
