// The contenders' launches on one problem: its operands, reference and planned launches, and the
// rounds in which they are timed.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/foreign_kernels.hpp"
#include "gpu/contenders/kernel_store.hpp"
#include "gpu/contenders/operands.hpp"
#include "gpu/contenders/reference_library.hpp"
#include "gpu/measure/activity_timer.hpp"
#include "gpu/measure/l2_sweep.hpp"
#include "gpu/measure/launch_hold.hpp"
#include "gpu/measure/verifier.hpp"
#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// What PreparedLaunches needs besides the workload; the referenced objects outlive it.
struct LaunchTools {
  const DeviceSpec& device;
  KernelStore& kernels;
  ForeignKernels& foreign;
  const CubinCache& cache;
  std::function<const L2Sweep&()> sweep;  // made when first asked for
  Regime regime = Regime::Rotate;
};

/// Microseconds from the first kernel's start to the last kernel's end.
double span_us(std::span<const KernelActivity> kernels);

class PreparedLaunches {
 public:
  PreparedLaunches(const Workload& workload, LaunchTools tools, uint64_t seed,
                   const DeviceKernels& kernels);

  const Workload& workload() const { return workload_; }
  Operands& operands() { return operands_; }
  const Operands& operands() const { return operands_; }
  const WorkloadVerifier& verifier() const { return verifier_; }
  const WorkloadReference& reference() const { return reference_; }

  Plan plan_of(const TileConfig& config) const;
  /// Plans and loads at the first call only.
  const LoadedPlan& loaded_plan(const TileConfig& config);
  /// How often the contender's launch rounds an element of D.
  int roundings_of(const Contender& contender);

  void launch(const Contender& contender, const OperandSet& operands,
              cudaStream_t stream = nullptr);
  /// The operands of the next launch, not `excluded` if there are others.
  const OperandSet& next_operands(const OperandSet* excluded = nullptr);
  /// Brings L2 to the regime's state, then starts the launch that is timed.
  void launch_next(const Contender& contender, const OperandSet* excluded = nullptr);

  /// Launches what a round launches and no round has launched before: a first launch may load a
  /// kernel, allocate, and wait for the device. The device is idle afterwards.
  void settle(std::span<const Contender> contenders, ActivityTimer& timer);
  /// Enqueues all launches of a round but the last, none of them on `excluded` if there are other
  /// operands. If kernels are short, the device begins the round at release(). Returns the number
  /// of untimed kernels before them. settle() comes first.
  size_t start_round(std::span<const Contender> contenders, const OperandSet* excluded = nullptr);
  /// The host calls this once it has enqueued the last launch; the device then begins the round.
  void release() { hold_.release(); }
  /// The launch times of a round, us, from its kernels; the first `warm_up_kernels` kernels belong
  /// to no contender. Throws an environment error when there are fewer kernels than were launched.
  std::vector<double> times_of(std::span<const Contender> contenders,
                               std::span<const KernelActivity> kernels,
                               size_t warm_up_kernels) const;

 private:
  // One launch of a contender.
  struct LaunchFacts {
    size_t kernels = 0;
    double us = 0;
  };

  size_t hold(std::span<const Contender> contenders);
  size_t warm_up(const Contender& contender, const OperandSet* excluded);
  size_t kernels_before(const Contender& contender) const;
  void count_kernels(const Contender& contender, ActivityTimer& timer);

  LaunchTools tools_;
  Workload workload_;
  Operands operands_;
  WorkloadVerifier verifier_;
  WorkloadReference reference_;
  LaunchHold hold_;
  std::map<std::string, LaunchFacts> launches_;     // by contender
  std::map<std::string, LoadedPlan> loaded_plans_;  // by config
};

}  // namespace tilewright
