// What a foreign kernel is looked at for beside its results, before it is timed.
#pragma once

#include <optional>
#include <string>

#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/foreign_kernels.hpp"
#include "gpu/contenders/operands.hpp"
#include "gpu/measure/verifier.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// Of one workload and its operands; the references outlive it.
class ForeignCheck {
 public:
  ForeignCheck(const Workload& workload, Operands& operands, const WorkloadVerifier& verifier,
               uint64_t seed, const DeviceKernels& device_kernels, ForeignKernels& kernels);

  /// Compares what it computes with float64, on two versions of the operands at the same addresses;
  /// then whether it works on the given stream alone, returns at once, and leaves no memory
  /// allocated. Throws an environment error where the device answers no more, and with what is
  /// wrong where it wrote into what others are verified on.
  Verification verify(const Contender& contender);

 private:
  Verification run_once(const Contender& contender, const WorkloadVerifier& verifier);
  Verification run_on_other_operands(const Contender& contender);
  // Each a sentence, or empty where it keeps to the rule.
  std::string stream_fault(const Contender& contender);
  std::string memory_fault(const Contender& contender);
  bool has_device() const;

  const Workload& workload_;
  Operands& operands_;
  const WorkloadVerifier& verifier_;
  uint64_t seed_;
  const DeviceKernels& device_kernels_;
  ForeignKernels& kernels_;
  std::optional<WorkloadVerifier> other_;  // of the first set's addresses with the second's values
};

}  // namespace tilewright
