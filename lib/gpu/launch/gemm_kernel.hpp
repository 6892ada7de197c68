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
  const Factors* factors = nullptr;  // in place of the workload's own; null: those
  tw::TraceRecord* trace = nullptr;  // trace_record_count() of them, of kernels that record
  void* workspace = nullptr;         // workspace_bytes() of it, zeroed before the first launch
  void* scratch = nullptr;           // scratch_bytes() of it, holding anything
  cudaStream_t stream = nullptr;
  /// The kernel may start while the one ahead of it in the stream still runs, and waits for that
  /// itself: in a stream of launches their starts are hidden. Times of one kernel then hold waits.
  bool overlaps = false;
};

/// How a kernel that waits for what is ahead of it is launched. CTAs that are to be resident all
/// at once start when the GPU is free.
inline LaunchShape waiting_shape(LaunchShape shape, const GemmLaunch& launch) {
  shape.programmatic = launch.overlaps && !shape.cooperative;
  return shape;
}

/// The launches of one plan: what does not depend on addresses is worked out once. Safe to launch
/// from several threads.
class PlannedLaunch {
 public:
  PlannedLaunch() = default;
  PlannedLaunch(const PlannedLaunch&) = delete;
  PlannedLaunch& operator=(const PlannedLaunch&) = delete;
  virtual ~PlannedLaunch() = default;
  /// Bytes that a launch needs beside its operands; a launch leaves zeros where it found zeros.
  virtual int64_t workspace_bytes() const = 0;
  /// Bytes of room whose contents nobody keeps.
  virtual int64_t scratch_bytes() const = 0;
  /// Records of one traced launch, the last one of its second kernel; unused ones keep the cta that
  /// they begin with.
  virtual int64_t trace_record_count() const = 0;
  virtual void launch(const GemmLaunch& launch) const = 0;
};

/// The loaded kernels of one config and kind of problem; rasters and L2 promotion are arguments of
/// its launches.
class GemmKernel {
 public:
  virtual ~GemmKernel() = default;
  /// Launches of a plan of this kernel, which outlives them.
  virtual std::unique_ptr<PlannedLaunch> planned(const Plan& plan) const = 0;
  /// CTAs of the kernel that this device runs at once, where its plans are to know them.
  virtual std::optional<int64_t> resident_ctas() const { return std::nullopt; }
};

/// What PlannedLaunch::launch() of the plan launches, in that order.
std::vector<LaunchStep> launch_steps(const Plan& plan);

/// Loads the machine code of kernel_sources(), in its order.
std::unique_ptr<GemmKernel> load_gemm_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras);

}  // namespace tilewright
