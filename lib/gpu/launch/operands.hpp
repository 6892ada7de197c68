// The operands of one workload: several sets, so that repeated launches do not find their data in
// L2.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/launch/device_kernels.hpp"
#include "gpu/launch/memory.hpp"
#include "sm90/args.cuh"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// One set of operands, in the problem's layout with tight rows; those of a group lie packed, as
/// map/packed_rows.cuh says, or each where operands_of() says, and the planes of a matrix that has
/// several one behind the other.
struct OperandSet {
  const void* a = nullptr;
  const void* b = nullptr;         // of a rank-k update A
  const void* c = nullptr;         // m x n of the addend's type, read when beta is not 0
  const void* bias = nullptr;      // n of the addend's type, of problems with a bias
  const float* scale_a = nullptr;  // one value, of problems that scale A; likewise of B
  const float* scale_b = nullptr;
  void* d = nullptr;
  int64_t red_zone_bytes = 0;  // before D and behind it, of kRedZoneByte; nobody may write them
  // Of packed rows or depths, on the device: where those of each product begin; int, or long long
  // of kernels with KernelExtras::long_offsets.
  const void* offsets = nullptr;
  // Of products that have their own places, on the device: sizes and places of each.
  const tw::ProblemEntry* entries = nullptr;
};

/// Where plane `plane` of a matrix of so many elements a plane begins.
const void* plane_of(const void* matrix, int plane, int64_t elements, DataType type);

/// The operands of product `index` of a group by itself.
OperandSet operands_of(const OperandSet& packed, const Workload& group, size_t index);

/// What an epilogue reads of a set of operands.
tw::EpilogueArgs epilogue_args(const Epilogue& epilogue, const OperandSet& operands);

/// Sets of A, B, C and the bias (uniform random in [-1, 1)), scales and D; together at least
/// `least_bytes`, at least two sets where the memory holds them. Throws a usage error when not even
/// one fits.
class Operands {
 public:
  Operands(const Workload& workload, int64_t least_bytes, uint64_t seed,
           const DeviceKernels& kernels);
  Operands(const Problem& problem, int64_t least_bytes, uint64_t seed, const DeviceKernels& kernels)
      : Operands(workload_of(problem), least_bytes, seed, kernels) {}

  size_t set_count() const { return sets_.size(); }
  const OperandSet& set(size_t index) const { return sets_[index]; }
  /// The sets in turn, but for `spared` where there are others.
  const OperandSet& next(const OperandSet* spared = nullptr);
  int64_t total_bytes() const { return static_cast<int64_t>(arena_.bytes()); }

  /// Writes the products of a group down on the device, where `set` then finds them: with C, too.
  void list_products(const Workload& group, OperandSet& set);

 private:
  DeviceBuffer arena_;
  DeviceBuffer offsets_;
  std::vector<DeviceBuffer> entries_;  // of every set
  std::vector<OperandSet> sets_;
  size_t turn_ = 0;
};

}  // namespace tilewright
