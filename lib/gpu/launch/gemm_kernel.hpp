// One config's kernel on the device, whatever its family, and its launches on given operands.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/launch/launch_shape.hpp"
#include "gpu/launch/operand_set.hpp"
#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Where one launch reads and writes.
struct GemmLaunch {
  OperandSet operands = {};
  const EpilogueScalars* scalars = nullptr;  // null: the workload's own
  tw::TraceRecord* trace = nullptr;     // trace_record_count() records, if the kernel has a trace
  void* workspace = nullptr;            // workspace_bytes() of it, zeroed before the first launch
  void* scratch = nullptr;              // scratch_bytes() of it, with any contents
  const tw::PeerArgs* peers = nullptr;  // across GPUs
  cudaStream_t stream = nullptr;
  /// The kernel may start while its predecessor in the stream still runs, and waits for it itself:
  /// this hides the starts in a stream of launches. A kernel's time then includes its wait.
  bool overlaps = false;
};

/// The launch shape of a kernel that waits for its predecessor itself. A cooperative launch does
/// not overlap: all its CTAs must be resident at once, so it starts when the GPU is free.
inline LaunchShape waiting_shape(LaunchShape shape, const GemmLaunch& launch) {
  shape.programmatic = launch.overlaps && !shape.cooperative;
  return shape;
}

/// The launch of one plan: everything that does not depend on addresses is computed once. Safe to
/// launch from several threads.
class PlannedLaunch {
 public:
  PlannedLaunch() = default;
  PlannedLaunch(const PlannedLaunch&) = delete;
  PlannedLaunch& operator=(const PlannedLaunch&) = delete;
  virtual ~PlannedLaunch() = default;
  /// Bytes of zeroed memory that a launch needs besides its operands; the launch leaves zeros
  /// there.
  virtual int64_t workspace_bytes() const = 0;
  /// Bytes of further memory, with any contents before and after a launch.
  virtual int64_t scratch_bytes() const = 0;
  /// Bytes of device memory that this object holds until its destruction, which then waits for the
  /// device. Launches read it, also where they were captured and are replayed.
  virtual int64_t device_bytes() const { return 0; }
  /// Records of one traced launch; the last one is the second kernel's. Unused records keep their
  /// initial `cta`.
  virtual int64_t trace_record_count() const = 0;
  virtual void launch(const GemmLaunch& launch) const = 0;
};

/// The loaded kernels of one config and kind of problem; rasters and L2 promotion are arguments of
/// its launches.
class GemmKernel {
 public:
  virtual ~GemmKernel() = default;
  /// The launch of a plan by this kernel, which outlives it.
  virtual std::unique_ptr<PlannedLaunch> make_launch(const Plan& plan) const = 0;
  /// CTAs of the kernel that this device holds at once, for families with plans that depend on it.
  virtual std::optional<int64_t> resident_ctas() const { return std::nullopt; }
};

/// The memory of a launch, bytes.
struct LaunchMemory {
  int64_t zeroed = 0;   // PlannedLaunch::workspace_bytes()
  int64_t scratch = 0;  // PlannedLaunch::scratch_bytes()
};

/// The memory of the launches of a single product or update, without its kernel.
LaunchMemory launch_memory(const Plan& plan);

/// The kernels that PlannedLaunch::launch() starts for the plan, in order.
std::vector<LaunchStep> launch_steps(const Plan& plan);

/// Loads the kernels of `cubins`, the machine code of kernel_sources() in its order.
std::unique_ptr<GemmKernel> load_gemm_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras);

}  // namespace tilewright
