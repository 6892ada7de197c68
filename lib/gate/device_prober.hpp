// What the host learns of a GPU besides the times of kernels: probes, its state, a diagnosis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// Repeated reads of a working set.
struct ReadRate {
  double bytes_per_s = 0;
  double clock_hz = 0;  // of the multiprocessors meanwhile
  bool operator==(const ReadRate&) const = default;
};

/// One dependent load.
struct LoadLatency {
  double clocks = 0;
  double ns = 0;
  bool operator==(const LoadLatency&) const = default;
};

/// Tensor cores at full issue, with no loads, at the power limit.
struct IssueRate {
  double flops_per_clock_per_sm = 0;
  double clock_hz = 0;
  bool operator==(const IssueRate&) const = default;
};

/// Kernels that do almost nothing, with one CTA per multiprocessor; microseconds by activity
/// records.
struct LaunchTimes {
  double empty_us = 0;
  double cluster_us = 0;     // empty, in clusters of two
  double first_load_us = 0;  // each CTA loads one word from DRAM
  bool operator==(const LaunchTimes&) const = default;
};

/// Runs the probes on one device; every result is a median of several runs. Throws an environment
/// error if a probe cannot run.
class DeviceProber {
 public:
  virtual ~DeviceProber() = default;
  /// Bytes read plus bytes written per second while `bytes` are copied.
  virtual double copy_bytes_per_s(int64_t bytes) = 0;
  /// Rate of bytes that arrive in shared memory; `sharing` CTAs at a time read the same lines, like
  /// a row of tiles.
  virtual ReadRate read(int64_t working_set_bytes, int sharing) = 0;
  /// Clocks to load each of `count` lines from L2, measured on one multiprocessor.
  virtual std::vector<double> line_clocks(int count) = 0;
  /// A pointer chase over 2^bits lines of 128 bytes; from DRAM if they are far more than L2 holds.
  virtual LoadLatency chase(int bits) = 0;
  virtual IssueRate issue_tensor() = 0;
  virtual LaunchTimes launch() = 0;
};

/// What a GPU is doing.
struct DeviceState {
  std::vector<std::string> processes;  // ids of those that compute on it, ours among them
  int sm_mhz = 0;                      // now; 0: unknown, as in all that follows
  int max_sm_mhz = 0;
  double watts = 0;
  double power_limit_watts = 0;
  double power_throttled_s = 0;  // time that power held the clock back, since the driver was loaded
  double thermal_throttled_s = 0;  // the same for temperature
  bool is_thermally_throttled = false;
  std::string why_not;  // why nothing is known; else empty
};

enum class Health { Ok, Problem, Unknown };

/// One line of a diagnosis.
struct Finding {
  std::string subject;  // "counters"
  Health health = Health::Ok;
  std::string detail;  // "permitted"
  std::string advice;  // what to do; empty if nothing
  bool operator==(const Finding&) const = default;
};

/// "ok", "problem" or "unknown".
inline const char* to_string(Health health) {
  if (health == Health::Ok) return "ok";
  return health == Health::Problem ? "problem" : "unknown";
}

}  // namespace tilewright
