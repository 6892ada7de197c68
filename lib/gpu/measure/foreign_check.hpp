// Checks of a foreign kernel before it is timed: its results and the rules of the interface.
#pragma once

#include <optional>
#include <string>

#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/foreign_kernels.hpp"
#include "gpu/contenders/operands.hpp"
#include "gpu/measure/verifier.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// Checks the kernels of one workload on its operands; the references must outlive it.
class ForeignCheck {
 public:
  ForeignCheck(const Workload& workload, Operands& operands, const WorkloadVerifier& verifier,
               uint64_t seed, const DeviceKernels& device_kernels, ForeignKernels& kernels);

  /// Compares the results with float64, for two versions of the operands at the same addresses.
  /// Then checks that the launch works only on the given stream, returns at once, and leaves no
  /// memory allocated. Throws an environment error where the device no longer responds, or where
  /// the kernel wrote into memory on which other kernels are verified.
  Verification verify(const Contender& contender);

 private:
  Verification run_once(const Contender& contender, const WorkloadVerifier& verifier);
  Verification run_on_other_operands(const Contender& contender);
  // Each returns a sentence, or an empty string where the kernel obeys the rule.
  std::string stream_fault(const Contender& contender);
  std::string memory_fault(const Contender& contender);
  bool has_device() const;

  const Workload& workload_;
  Operands& operands_;
  const WorkloadVerifier& verifier_;
  uint64_t seed_;
  const DeviceKernels& device_kernels_;
  ForeignKernels& kernels_;
  // Verifies at the addresses of the first operand set with the values of the second.
  std::optional<WorkloadVerifier> other_;
};

}  // namespace tilewright
