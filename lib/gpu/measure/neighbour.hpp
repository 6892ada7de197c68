// The kernel of --beside: moves data on multiprocessors of its own while others are timed.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "search/beside.hpp"
#include "tile/workload/device_spec.hpp"
#include "tools/neighbour_args.cuh"

namespace tilewright {

/// Runs from start() to stop(), in a stream of its own. In between nothing may wait for the whole
/// device: that would wait for the neighbour, until it ends by itself.
class Neighbour {
 public:
  /// `beside` has its number of multiprocessors. Throws an environment error if the device has no
  /// room for the buffers.
  Neighbour(const Beside& beside, const DeviceSpec& device, const CubinCache& cache);
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour();

  /// Returns once it occupies its multiprocessors. Throws an environment error if they stay busy.
  void start();
  /// Returns once it has ended. Throws an environment error if it ended by itself before.
  void stop();
  /// Ends it, whatever its state is.
  void abandon() noexcept;

  /// What each CTA has done so far. Waits for earlier work on the default stream.
  std::vector<tw::NeighbourProgress> progress() const;
  /// GB/s of reads and writes together, between two reports.
  double rate(const std::vector<tw::NeighbourProgress>& before,
              const std::vector<tw::NeighbourProgress>& after) const;
  const Beside& beside() const { return beside_; }

  /// The neighbour ends by itself after so long: less than a worker process is given for a launch,
  /// so that a launch that waits for the neighbour is reported, and not the end of the process.
  static constexpr unsigned long long kMaxNs = 10'000'000'000;

 private:
  // Host memory that the device reads and writes.
  struct Words {
    unsigned stop;
    unsigned resident;
    unsigned expired;
  };

  Beside beside_;
  LoadedKernel kernel_;
  LaunchShape shape_;
  DeviceBuffer buffers_[3];
  DeviceBuffer progress_;
  DeviceBuffer arrived_;
  Words* words_ = nullptr;
  cudaStream_t stream_ = nullptr;
  unsigned turn_ = 0;
};

/// A neighbour that runs during the object's life; a null one does nothing.
///
/// It starts and stops with each round rather than once for all of them: between rounds the host
/// allocates, loads kernels, and waits for the device to collect activity records, and each of
/// these would wait for the neighbour. A start costs tens of microseconds, before anything is
/// timed.
class NeighbourRun {
 public:
  explicit NeighbourRun(Neighbour* neighbour) : neighbour_(neighbour) {
    if (neighbour_ != nullptr) neighbour_->start();
  }
  NeighbourRun(const NeighbourRun&) = delete;
  NeighbourRun& operator=(const NeighbourRun&) = delete;
  ~NeighbourRun() {
    if (neighbour_ != nullptr) neighbour_->abandon();
  }

  /// Kernels that this adds to the activity records, before all others.
  size_t kernels() const { return neighbour_ == nullptr ? 0 : 1; }
  /// Waits for the default stream, then stops the neighbour.
  void end();

 private:
  Neighbour* neighbour_;
};

/// The neighbour's rate, GB/s, while `keep_busy` is called again and again; it enqueues work or
/// waits.
double measure_rate(Neighbour& neighbour, const std::function<void()>& keep_busy);

}  // namespace tilewright
