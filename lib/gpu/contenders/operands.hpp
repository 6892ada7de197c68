// The operands of one workload: several sets, so that repeated launches do not find their data in
// L2.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/operand_set.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Sets of A, B, C and the bias (uniform random in [-1, 1)), scales and D: together at least
/// `least_bytes`, and at least two sets if memory allows. Throws a usage error when not even one
/// fits.
class Operands {
 public:
  Operands(const Workload& workload, int64_t least_bytes, uint64_t seed,
           const DeviceKernels& kernels);
  Operands(const Problem& problem, int64_t least_bytes, uint64_t seed, const DeviceKernels& kernels)
      : Operands(workload_of(problem), least_bytes, seed, kernels) {}

  size_t set_count() const { return sets_.size(); }
  const OperandSet& set(size_t index) const { return sets_[index]; }
  /// The sets in rotation; skips `excluded` if there is another one.
  const OperandSet& next(const OperandSet* excluded = nullptr);
  /// Exchanges what A, B, C and the bias of the first two sets hold; false where there is one set.
  bool exchange_first_two();
  int64_t total_bytes() const { return static_cast<int64_t>(arena_.bytes()); }

  /// Copies the group's list of products (sizes and addresses, C included) to the device; `set`
  /// then points to it.
  void list_products(const Workload& group, OperandSet& set);

 private:
  DeviceBuffer arena_;
  int64_t input_bytes_ = 0;  // of a set, from A on: all that is only read but the scales
  DeviceBuffer offsets_;
  std::vector<DeviceBuffer> entries_;  // one per set
  std::vector<OperandSet> sets_;
  size_t current_ = 0;
};

}  // namespace tilewright
