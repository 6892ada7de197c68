// Which device a verb means: a GPU of this host, or a preset that never runs anything.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

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

/// Looks at a GPU before and after what is timed on it.
class DeviceWatch {
 public:
  /// `err` hears at once of other processes that compute there. No Runner of ours lives yet.
  DeviceWatch(const ResolvedDevice& device, std::ostream& err);
  /// While our Runner lives: says what disturbed the times since then, a process that came or a
  /// clock that heat held back.
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

 private:
  const ResolvedDevice& device_;
  std::ostream& err_;
  DeviceState before_;
};

/// The device's Runner, in a process of its own where the backend has one: a kernel that faults or
/// hangs costs that process. Operands are drawn from `seed`.
std::unique_ptr<Runner> open_runner(const ResolvedDevice& device, uint64_t seed = kDataSeed);

/// A Runner whose times are reported: its GPU is looked at before it opens and before it closes.
class WatchedRunner {
 public:
  WatchedRunner(const ResolvedDevice& device, std::ostream& err, uint64_t seed = kDataSeed)
      : watch_(device, err) {
    runner_ = open_runner(device, seed);
  }
  Runner& operator*() const { return *runner_; }

 private:
  std::unique_ptr<Runner> runner_;  // opened behind the watch's first look, closed behind its last
  DeviceWatch watch_;
};

}  // namespace tilewright
