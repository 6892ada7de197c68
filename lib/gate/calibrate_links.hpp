// Derives the rates of the links between a host's GPUs from measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gate/link_prober.hpp"
#include "search/result.hpp"
#include "stats/line_fit.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A copy by a copy engine.
struct TimedCopy {
  int64_t bytes = 0;
  double us = 0;
  bool operator==(const TimedCopy&) const = default;
};

/// Rates of each of the flows that ran at once, the slowest's.
struct ProbedFlows {
  std::vector<LinkFlow> flows;
  double vector_store_bytes_per_us = 0;
  double bulk_store_bytes_per_us = 0;
  double cta_vector_store_bytes_per_us = 0;  // of one CTA
  double cta_bulk_store_bytes_per_us = 0;
  double add_bytes_per_us = 0;
  double load_bytes_per_us = 0;
  std::vector<TimedCopy> copies;
  LineFit copy;  // us over bytes
  bool operator==(const ProbedFlows&) const = default;
};

/// Two GPUs: one direction alone, and both at once.
struct ProbedPair {
  ProbedFlows one_way;
  ProbedFlows both_ways;
  double flag_us = 0;
  AddProbe adds;
  bool operator==(const ProbedPair&) const = default;
};

/// The rates of a host's links with the evidence.
struct LinkCalibration {
  DeviceSpec device;
  std::vector<int> gpus;  // N of cuda:N
  std::vector<ProbedPair> pairs;
  std::optional<ProbedFlows> ring;  // each to the next, all at once; more than two GPUs have one
  bool operator==(const LinkCalibration&) const = default;
};

/// Runs every probe between every two of `gpus`, then around the ring of all. `device` describes
/// each of them; the result has its rates, but links and GPUs as measured: of each rate the worst
/// among the pairs, with both directions busy, and the ring. Throws an environment error for fewer
/// than two GPUs.
LinkCalibration calibrate_links(LinkProber& prober, const DeviceSpec& device,
                                const std::vector<int>& gpus, ProgressListener& progress);

/// The rates of such flows, stores by the faster of the two ways; `flag_us` is given.
LinkRates link_rates(const ProbedFlows& probed, double flag_us);

}  // namespace tilewright
