// Derives a device's rates from measurements: probes, and a few products that check the model.
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

/// Reads of one working set; bytes per clock over the whole device.
struct WorkingSetRate {
  int64_t bytes = 0;
  double bytes_per_clock = 0;
  bool operator==(const WorkingSetRate&) const = default;
};

/// Results of the probes.
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

/// One product: the model's time with the new rates, and the measured time.
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
  int64_t read_knee_bytes = 0;       // the working set with reads at 90 % of L2's own rate; not
                                     // the capacity of L2 in the model
  LineFit depth;                     // us over K: one wave of tiles with growing K
  std::vector<TimedProduct> depths;  // the points of that fit
  std::vector<TimedProduct> products;
  bool operator==(const Calibration&) const = default;
};

/// Runs every probe; the working sets range from a fraction of `device`'s L2 to twice its size.
ProbedRates probe_rates(DeviceProber& prober, const DeviceSpec& device, ProgressListener& progress);

/// The products that calibration times: one wave at several K, then a handful of all sizes. Their
/// tiles are fixed; the model chooses the rest of a config for `device`.
std::vector<TimedProduct> depth_products(const DeviceSpec& device);
std::vector<TimedProduct> sample_products(const DeviceSpec& device);

/// Fills in `measured_us`, medians of several rounds. Throws an environment error if a kernel does
/// not build.
void time_products(std::vector<TimedProduct>& products, Runner& runner, ProgressListener& progress);

/// The rates that explain the measurements, and the products predicted with them:
///   DRAM, L2 (shared reads) and its capacity, and the tensor rate as probed; L2 has its own clock,
///   but its bytes are counted here per sustained clock of the multiprocessors;
///   the clock at which the model's large products take the measured time in the geometric mean;
///   the launch time at which the model's one-wave products start like the measured line, with
///   their first loads issued `launch.first_load_sooner_us` sooner.
/// The finer rates stay as they are and count as defaults; the device is `calibrated`.
Calibration solve_rates(const DeviceSpec& device, const ProbedRates& probed,
                        std::vector<TimedProduct> depths, std::vector<TimedProduct> products);

}  // namespace tilewright
