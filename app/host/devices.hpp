// Resolves --device: to a GPU of this host, or to a preset, which never runs anything.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/backend.hpp"
#include "host/launcher.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Loads the GPU module; called only where a GPU may be meant, because loading takes time.
using BackendLoader = std::function<BackendOrReason()>;

/// A device with limits and rates. `gpu_index` -1: a preset, nothing runs and `backend` is null.
struct ResolvedDevice {
  DeviceSpec spec;
  int gpu_index = -1;
  std::shared_ptr<Backend> backend;
  std::string why_no_gpu;  // set for "auto" that fell back to a preset
};

/// "auto" (the first GPU, else the h200 preset), "cuda:N" (an environment error without that GPU)
/// or a preset's name (a usage error for an unknown one).
ResolvedDevice resolve_device(const std::string& name, const BackendLoader& load = load_backend);

/// The devices of a tune: "all" means all GPUs of this host, which must be of one kind; otherwise
/// the one that resolve_device() finds. For one of several ranks on a host with several GPUs,
/// "auto" is the GPU of the rank's local number. Throws an environment error where that GPU does
/// not exist.
std::vector<ResolvedDevice> resolve_devices(const std::string& name, const Rank& rank,
                                            const BackendLoader& load = load_backend);

/// How long to wait for a GPU that other processes use.
struct Patience {
  std::chrono::milliseconds most{10'000};
  std::chrono::milliseconds step{500};
};

/// Checks a GPU for disturbances before and after measurements on it.
class DeviceWatch {
 public:
  /// Writes to `err` at once which other processes compute on the GPU, and whether heat lowers its
  /// clock. Unless the GPU may be shared, waits until both are over, and throws an Error of code
  /// Inconclusive after `patience.most`. Call it before this process opens a Runner. Processes that
  /// are invisible from here, for example in other containers, are not reported.
  DeviceWatch(const ResolvedDevice& device, std::ostream& err, bool shared, Patience patience = {});
  /// Call while our Runner lives. Reports what disturbed the times since the constructor: a process
  /// that came, or a clock that heat lowered. Returns Inconclusive instead of Good where a process
  /// came.
  ExitCode report_disturbances(ExitCode code);
  /// Calls report_disturbances() if the owner has not.
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

 private:
  const ResolvedDevice& device_;
  std::ostream& err_;
  bool shared_;
  bool has_reported_ = false;
  DeviceState before_;
};

/// The device's Runner, in a process of its own where the backend supports that: a kernel that
/// faults or hangs then ends only that process.
std::unique_ptr<Runner> open_runner(const ResolvedDevice& device,
                                    const RunnerOptions& options = {});

/// A Runner for times that are reported: DeviceWatch checks the GPU before it opens and before it
/// closes.
class WatchedRunner {
 public:
  WatchedRunner(const ResolvedDevice& device, std::ostream& err, bool shared,
                const RunnerOptions& options = {})
      : watch_(device, err, shared) {
    runner_ = open_runner(device, options);
  }
  Runner& operator*() const { return *runner_; }
  /// The exit code of a verb that would return `code` without disturbances.
  ExitCode report_disturbances(ExitCode code) { return watch_.report_disturbances(code); }

 private:
  std::unique_ptr<Runner> runner_;  // opens after the watch's first look, closes after its last
  DeviceWatch watch_;
};

}  // namespace tilewright
