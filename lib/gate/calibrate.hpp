// A device's rates from measurements: probes, a few products, and what they say of the model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gate/device_prober.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "stats/line_fit.hpp"

namespace tilewright {

/// Reads of one working set; bytes a clock over the whole device.
struct WorkingSetRate {
  int64_t bytes = 0;
  double bytes_per_clock = 0;
  bool operator==(const WorkingSetRate&) const = default;
};

/// What the probes said.
struct ProbedRates {
  double dram_copy_bytes_per_s = 0;  // reads plus writes
  double dram_read_bytes_per_s = 0;
  double read_clock_hz = 0;                  // of the multiprocessors while they only read
  double shared_l2_bytes_per_s = 0;          // rows of CTAs reading the same lines, as in a product
  std::vector<WorkingSetRate> working_sets;  // each line read by one CTA at a time
  TwoLevels l2_clocks;                       // near and far partition, seen from one multiprocessor
  LoadLatency l2_latency;
  LoadLatency dram_latency;
  IssueRate tensor;
  LaunchTimes launch;
  bool operator==(const ProbedRates&) const = default;
};

/// One product: what the model says with the new rates, and what was measured.
struct TimedProduct {
  Problem problem;
  TileConfig config;
  double measured_us = 0;
  double predicted_us = 0;
  bool operator==(const TimedProduct&) const = default;
};

/// predicted / measured - 1, percent.
double residual_pct(const TimedProduct& product);

/// A device's measured rates with the evidence.
struct Calibration {
  DeviceSpec device;
  ProbedRates probed;
  int64_t read_knee_bytes = 0;       // the working set whose reads keep 90 % of L2's own rate; not
                                     // what the model takes for L2's capacity
  LineFit depth;                     // us over K: one wave of tiles, its K growing
  std::vector<TimedProduct> depths;  // the points of that fit
  std::vector<TimedProduct> products;
  bool operator==(const Calibration&) const = default;
};

/// Runs every probe; the working sets reach from a fraction of `device`'s L2 to twice of it.
ProbedRates probe_rates(DeviceProber& prober, const DeviceSpec& device, Progress& progress);

/// The products that calibration times: one wave at several K, then a handful of all sizes. Tiles
/// are given, the rest of a config is the model's choice for `device`.
std::vector<TimedProduct> depth_products(const DeviceSpec& device);
std::vector<TimedProduct> sample_products(const DeviceSpec& device);

/// Fills in `measured_us`, medians of several rounds. Throws an environment error where a kernel
/// does not build.
void time_products(std::vector<TimedProduct>& products, Runner& runner, Progress& progress);

/// The rates that explain the measurements, and the products predicted with them:
///   DRAM, L2 (shared reads) and its capacity, and the tensor rate as probed; L2 has a clock of its
///   own, and its bytes count here by the multiprocessors' sustained one;
///   the clock at which the model's large products take the measured time in the geometric mean;
///   the launch at which its one-wave products begin where the measured line does: theirs, whose
///   first loads leave `launch.first_load_sooner_us` sooner.
/// The finer rates stay as they are and count as defaults.
Calibration solve_rates(const DeviceSpec& device, const ProbedRates& probed,
                        std::vector<TimedProduct> depths, std::vector<TimedProduct> products);

}  // namespace tilewright
