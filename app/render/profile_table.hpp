// The table of tilewright profile, for our kernels and for foreign ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/report.hpp"
#include "search/runner.hpp"
#include "store/measured_json.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The measurements, if a kernel ran.
struct Measured {
  Regime regime = Regime::Rotate;
  std::optional<double> us;
  std::optional<Counters> counters;
};

/// Times the contender, and counts one launch. Without counters `why_no_counters` is the reason.
Measured measure(Runner& runner, const Contender& contender, std::string& why_no_counters);

/// What is predicted of a launch; empty where nothing is.
struct ProfilePrediction {
  std::optional<double> us = {};
  std::optional<double> dram_read_bytes = {};
  std::optional<double> dram_write_bytes = {};
  std::optional<double> l2_hit_pct = {};
  std::optional<double> tensor_active_pct = {};
};

/// The rows, without predictions of hot launches: the model has launches that find none of their
/// data in L2.
std::vector<ProfileRow> profile_rows(const ProfilePrediction& predicted, const Measured& measured);

/// The result as a table for people, comma-separated values and JSON.
Report profile_report(const ProfileResult& result, const DeviceSpec& device);

}  // namespace tilewright
