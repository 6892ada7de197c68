// Compares D with a float64 reference: every element for small problems, sampled rows and columns
// for large ones. In both, every tile is also checked by sums with random signs or, if the epilogue
// is not linear, by elements of every block. Checks that nothing else has changed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/contenders/operands.hpp"
#include "search/runner.hpp"
#include "stats/product_check.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {

/// Reference values of one problem, or of a plane of a rank-k update, on one set of operands. Rows
/// and columns are sampled over the whole range, edges included. The check also requires that every
/// element was written, and that no element off a triangle was.
class Verifier {
 public:
  /// Verifies product `index` of the workload; `operands` are those of this product.
  Verifier(const Workload& workload, size_t index, int plane, const OperandSet& operands,
           uint64_t seed, const DeviceKernels& kernels);
  Verifier(const Problem& problem, const OperandSet& operands, uint64_t seed,
           const DeviceKernels& kernels)
      : Verifier(workload_of(problem), 0, 0, operands, seed, kernels) {}

  /// Fills D with a NaN that no kernel writes, and clears its absolute maximum.
  void poison(cudaStream_t stream = nullptr) const;
  /// Compares D of the operands with the epilogue of the reference. `roundings`: how often a
  /// sum was rounded to D's type, the last time included.
  Verification check(const Epilogue& epilogue, int roundings = 1) const;
  /// Checks every tile of D by sums with random signs. Returns ok unchecked if D is too large for
  /// the sums to be kept, or is not linear in the product.
  ProductVerdict check_sums(const Epilogue& epilogue, int roundings = 1) const;
  /// Describes a forbidden write, around D or in A, B and their scales; empty when there was none.
  std::string find_stray_write() const;

 private:
  struct Reference {
    bool are_rows = true;
    int count = 0;
    int64_t length = 0;
    DeviceBuffer samples;
    DeviceBuffer sums;
    DeviceBuffer magnitudes;
    DeviceBuffer squares;
  };

  void prepare_sums();
  ProductTypes types_of(int roundings) const;
  uint64_t operand_checksum() const;
  tw::Lines operand_lines(bool left) const;
  tw::Lines lines_of_a() const { return operand_lines(true); }
  tw::Lines lines_of_b() const { return operand_lines(false); }
  const tw::OpRecord& op() const { return tw::record_of(part_.op); }
  tw::OutputArgs output_args(const Epilogue& epilogue, int roundings) const;
  int64_t output_columns() const;
  int64_t output_bytes() const;
  std::vector<int> sampled_columns(int64_t n, uint64_t seed) const;
  std::string first_fault(const tw::CompareResult& result, const Epilogue& epilogue,
                          int roundings) const;
  std::string maximum_fault(const Epilogue& epilogue) const;
  Reference reference(bool rows, const std::vector<int>& samples) const;
  void compare(const Reference& lines, const Epilogue& epilogue, int roundings,
               tw::CompareResult* result) const;

  Problem problem_;
  ScaleLayout scales_a_;
  ScaleLayout scales_b_;
  tw::OutputPart part_;
  OperandSet operands_;  // C and D of the plane
  const DeviceKernels& kernels_;
  uint64_t seed_;
  std::vector<Reference> lines_;
  DeviceBuffer result_;
  DeviceBuffer expected_;    // m x blocks of columns; empty if D has too many
  DeviceBuffer norms_;       // of A's rows and B's columns: 2-norms, then 4-norms
  DeviceBuffer block_sums_;  // laid out as in CheckSumsArgs
  DeviceBuffer sums_result_;
  uint64_t checksum_ = 0;  // of A, B and the scales of their elements
};

/// The same for a workload: verifies every product of a group and every plane alone, so that a
/// write into another product's rows is found in that product.
class WorkloadVerifier {
 public:
  WorkloadVerifier(const Workload& workload, const OperandSet& operands, uint64_t seed,
                   const DeviceKernels& kernels);

  void poison(cudaStream_t stream = nullptr) const;
  /// Verifier::find_stray_write() of the first product beside which something was written.
  std::string find_stray_write() const;
  /// The largest error of all products, and what is wrong with the first that is.
  Verification check(const Epilogue& epilogue, int roundings = 1) const;

 private:
  std::vector<std::pair<size_t, Verifier>> products_;  // by index; without empty ones
};

}  // namespace tilewright
