// Which device a verb means: a GPU of this host, or a preset that never runs anything.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/backend.hpp"
#include "launcher.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Loads the GPU module; called only where a GPU may be meant, because loading takes time.
using BackendLoader = std::function<BackendOrReason()>;

/// A device with limits and rates. `gpu_index` -1: a preset, nothing runs and `backend` is null.
struct ResolvedDevice {
  DeviceSpec spec;
  int gpu_index = -1;
  std::shared_ptr<Backend> backend;
  std::string why_no_gpu;  // for "auto" that fell back to a preset
};

/// "auto" (the first GPU, else the h200 preset), "cuda:N" (an environment error without that GPU)
/// or a preset's name (a usage error for an unknown one).
ResolvedDevice resolve_device(const std::string& name, const BackendLoader& load = load_backend);

/// The devices of a tune: "all" GPUs of this host, of one kind, else the one that resolve_device()
/// finds. "auto" is the GPU that a rank's number on its host says, where it has several. Throws an
/// environment error where there is none for it.
std::vector<ResolvedDevice> resolve_devices(const std::string& name, const Rank& rank,
                                            const BackendLoader& load = load_backend);

/// How long is waited for a GPU that others compute on.
struct Patience {
  std::chrono::milliseconds most{10'000};
  std::chrono::milliseconds step{500};
};

/// Looks at a GPU before and after what is timed on it.
class DeviceWatch {
 public:
  /// `err` hears at once of other processes that compute there, and of heat that holds its clock
  /// back. Unless they may share it, waits for their end, and throws an Error of code Inconclusive
  /// when patience does. No Runner of ours lives yet. What is invisible from here, processes of
  /// other containers say, disturbs nobody.
  DeviceWatch(const ResolvedDevice& device, std::ostream& err, bool shared, Patience patience = {});
  /// While our Runner lives: says what disturbed the times since then, a process that came or a
  /// clock that heat held back. Inconclusive in the place of Good where a process came.
  ExitCode look_back(ExitCode code);
  /// Looks back where nobody has.
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

 private:
  const ResolvedDevice& device_;
  std::ostream& err_;
  bool shared_;
  bool has_looked_back_ = false;
  DeviceState before_;
};

/// The device's Runner, in a process of its own where the backend has one: a kernel that faults or
/// hangs costs that process.
std::unique_ptr<Runner> open_runner(const ResolvedDevice& device,
                                    const RunnerOptions& options = {});

/// A Runner whose times are reported: its GPU is looked at before it opens and before it closes.
class WatchedRunner {
 public:
  WatchedRunner(const ResolvedDevice& device, std::ostream& err, bool shared,
                const RunnerOptions& options = {})
      : watch_(device, err, shared) {
    runner_ = open_runner(device, options);
  }
  Runner& operator*() const { return *runner_; }
  /// What a verb answers that would answer with `code`.
  ExitCode look_back(ExitCode code) { return watch_.look_back(code); }

 private:
  std::unique_ptr<Runner> runner_;  // opened behind the watch's first look, closed behind its last
  DeviceWatch watch_;
};

}  // namespace tilewright
