// Backend: everything that needs CUDA libraries, in a module that is loaded at run time.
//
// The program itself links no CUDA library, so it starts in milliseconds and on any host; commands
// that compile or run kernels load the module `tilewright_gpu.so` beside the program. This header
// includes no CUDA header.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/device_prober.hpp"
#include "gate/link_prober.hpp"
#include "harness/cubin_manifest.hpp"
#include "layout/smem/wavefronts.hpp"
#include "search/beside.hpp"
#include "search/runner.hpp"
#include "tile/config/kernel_source.hpp"

namespace tilewright {

/// Seeds the random operands of verbs without a seed option.
inline constexpr uint64_t kDataSeed = 1;

/// How a Runner measures.
struct RunnerOptions {
  uint64_t seed = kDataSeed;  // operands are drawn from it
  Regime regime = Regime::Rotate;
  std::optional<Beside> beside = {};  // runs while launches are timed
  // Reads manifests of cubins, which this module has no reader of; none: their configs are refused.
  std::function<CubinManifest(const std::string& file)> read_manifest = {};
};

/// What the module offers.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Usable GPUs; 0 without a driver or a device.
  virtual int device_count() const = 0;
  /// Why device_count() is 0, one line.
  virtual std::string why_no_device() const = 0;
  /// The device's limits as CUDA reports them; its rates stay 0, since they come from a preset.
  virtual DeviceSpec device(int index) const = 0;
  /// The GPU's unique identifier: "GPU-" and 32 hexadecimal digits in groups.
  virtual std::string device_uuid(int index) const = 0;
  /// One line each: driver, runtime, compiler, reference library.
  virtual std::string versions() const = 0;
  virtual std::unique_ptr<KernelCompiler> open_compiler() = 0;
  /// Compiles programs in parallel, through the cache; returns their machine code in the order of
  /// `sources`. Throws an internal error with the compiler's reason when one fails to compile,
  /// spills or draws a C75xx warning.
  virtual std::vector<std::string> compile(std::span<const KernelSource> sources,
                                           const std::string& architecture) {
    static_cast<void>(sources);
    static_cast<void>(architecture);
    return {};
  }
  /// `spec` is device(index) completed with rates. Throws an environment error without that GPU.
  virtual std::unique_ptr<Runner> open_runner(int index, const DeviceSpec& spec,
                                              const RunnerOptions& options) = 0;
  /// The command line (program, arguments) of a worker process that serves such a Runner
  /// (worker/serve_runner.hpp). Empty: runners live in this process.
  virtual std::vector<std::string> runner_command(int index, const RunnerOptions& options) const {
    static_cast<void>(index);
    static_cast<void>(options);
    return {};
  }
  /// Needs no context. Throws an environment error without that GPU.
  virtual DeviceState device_state(int index) {
    static_cast<void>(index);
    return {};
  }
  /// Runs each access alone, in order, and returns the wavefronts that the hardware counted. Throws
  /// an environment error without that GPU or without permission to read counters.
  virtual std::vector<double> probe_wavefronts(int index, std::span<const WarpAccess> accesses) = 0;
  /// `spec` as for open_runner. Throws an environment error without that GPU or without probes for
  /// its architecture. No Runner may exist at the same time.
  virtual std::unique_ptr<DeviceProber> open_prober(int index, const DeviceSpec& spec) = 0;
  /// True if kernels of one GPU can access the memory of the other.
  virtual bool has_peer_access(int index, int peer) const {
    static_cast<void>(index);
    static_cast<void>(peer);
    return false;
  }
  /// `gpus` have access to each other, and each is as `spec`. Throws an environment error without
  /// those GPUs or without probes for their architecture.
  virtual std::unique_ptr<LinkProber> open_link_prober(std::span<const int> gpus,
                                                       const DeviceSpec& spec) {
    static_cast<void>(gpus);
    static_cast<void>(spec);
    return nullptr;
  }
  /// Findings on the host's CUDA installation and, unless `index` is -1, on that GPU.
  virtual std::vector<Finding> diagnose(int index) = 0;
};

/// The backend, or why this build or host has none.
struct BackendOrReason {
  std::shared_ptr<Backend> backend;
  std::string why_not;
};

/// Loads the module beside the program once; later calls return the same one.
BackendOrReason load_backend();

}  // namespace tilewright
