// The addresses of a launch's operands.
#pragma once

#include <cstdint>
#include <vector>

#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// One set of operands, in the problem's layout, with rows as the plan's places say; those of a
/// group lie packed, as map/packed_rows.cuh says, or each where operands_of() says, and the planes
/// of a matrix that has several one behind the other.
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

/// What the product and C are multiplied by.
struct Factors {
  float alpha = 1;
  float beta = 0;
};

/// What the epilogue of a plan's launch reads of a set of operands; `factors` in place of the
/// workload's own where they are given.
tw::EpilogueArgs epilogue_args(const Plan& plan, const OperandSet& operands,
                               const Factors* factors);

/// Bytes before each matrix of a group, or of a product, and behind the last one.
struct MatrixBytes {
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
  int64_t d = 0;
};

/// Of every product of a set, one behind the other, and behind the last.
std::vector<MatrixBytes> bytes_before(const Workload& workload);

}  // namespace tilewright
