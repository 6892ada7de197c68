// Probes of an invented device: the results of an L2 of `holds` bytes and the given rates.
#pragma once

#include <vector>

#include "gate/device_prober.hpp"

namespace tilewright::testing {

class FakeProber : public DeviceProber {
 public:
  double dram_bytes_per_s = 4e12;
  double l2_bytes_per_clock = 6000;
  double unshared_share = 0.75;
  int64_t holds = 30 << 20;
  double clock_hz = 1.9e9;

  double copy_bytes_per_s(int64_t) override { return dram_bytes_per_s; }
  ReadRate read(int64_t bytes, int sharing) override {
    const double l2 = (sharing > 1 ? l2_bytes_per_clock : unshared_share * l2_bytes_per_clock);
    return {bytes <= holds ? l2 * clock_hz : dram_bytes_per_s, clock_hz};
  }
  std::vector<double> line_clocks(int count) override {
    std::vector<double> clocks;
    for (int i = 0; i < count; ++i) clocks.push_back(i % 2 == 0 ? 210 : 270);
    return clocks;
  }
  LoadLatency chase(int bits) override {
    return bits < 20 ? LoadLatency{240, 126} : LoadLatency{700, 370};
  }
  IssueRate issue_tensor() override { return {4080, 1.4e9}; }
  LaunchTimes launch() override { return {1.1, 1.4, 2.0}; }
};

}  // namespace tilewright::testing
