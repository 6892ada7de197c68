// The addresses of a launch's operands.
#pragma once

#include <cstdint>
#include <vector>

#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// One set of operands, in the problem's layout and with the row pitches of the plan's places.
/// Operands of a group are packed (map/packed_rows.cuh), or each lies where operands_of() puts it.
/// The planes of a matrix follow one another.
struct OperandSet {
  const void* a = nullptr;
  const void* b = nullptr;         // a rank-k update: A
  const void* c = nullptr;         // m x n of the addend's type, read when beta is not 0
  const void* bias = nullptr;      // n of the addend's type, or m, if the problem has a bias
  const float* scale_a = nullptr;  // as scale_layout() says, if the problem scales A; likewise B's
  const float* scale_b = nullptr;
  tw::OutputScaling* scaling = nullptr;  // of D, if the problem has its scale or absolute maximum
  void* d = nullptr;
  int64_t red_zone_bytes = 0;  // before D and after it, of kRedZoneByte; no kernel may write them
  // For packed rows or depths, on the device: where each product begins; int, or long long for
  // kernels with KernelExtras::long_offsets.
  const void* offsets = nullptr;
  // For products with addresses of their own, on the device: sizes and addresses of each.
  const tw::ProblemEntry* entries = nullptr;
};

/// The address of plane `plane` of a matrix with `elements` elements per plane.
const void* plane_of(const void* matrix, int plane, int64_t elements, DataType type);

/// The scales that the plan's kernel takes by lines and blocks; the kernel's B is the problem's A
/// where it computes the transposed product.
tw::OperandScales operand_scales(const Plan& plan, const OperandSet& operands);

/// The operands of product `index` of a group.
OperandSet operands_of(const OperandSet& packed, const Workload& group, size_t index);

/// What the product and C are multiplied by.
struct EpilogueScalars {
  float alpha = 1;
  float beta = 0;
};

/// The epilogue's arguments for a launch of the plan; `scalars`, unless null, replace the
/// workload's own.
tw::EpilogueArgs epilogue_args(const Plan& plan, const OperandSet& operands,
                               const EpilogueScalars* scalars);

/// Byte offsets of a product's matrices in a set, each from the start of A, B, C or D.
struct MatrixOffsets {
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
  int64_t d = 0;
};

/// The offsets of each product of a set, in order, and those after the last product.
std::vector<MatrixOffsets> byte_offsets(const Workload& workload);

}  // namespace tilewright
