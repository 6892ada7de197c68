// Is D what float64 says? Element by element all of it for small problems, sampled rows and columns
// of large ones; by sums with random signs, or of an epilogue that is not linear by elements of
// every block, every tile of both. And has nothing else changed?
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

namespace tilewright {

/// Reference values of one problem, or of a plane of a rank-k update, on one set of operands. Rows
/// and columns are sampled over the whole range, edges included; every element is checked for
/// having been written, and those off a triangle for having been left alone.
class Verifier {
 public:
  /// Of product `index` of the workload, whose operands are `operands`.
  Verifier(const Workload& workload, size_t index, int plane, const OperandSet& operands,
           uint64_t seed, const DeviceKernels& kernels);
  Verifier(const Problem& problem, const OperandSet& operands, uint64_t seed,
           const DeviceKernels& kernels)
      : Verifier(workload_of(problem), 0, 0, operands, seed, kernels) {}

  /// Fills D with a NaN that no kernel writes.
  void poison(cudaStream_t stream = nullptr) const;
  /// Compares D of the operands with the epilogue of the reference. `roundings`: how often a
  /// sum was rounded to D's type, the last time included.
  Verification check(const Epilogue& epilogue, int roundings = 1) const;
  /// Every tile of D by sums with random signs; ok where D has too many for the sums to be kept, or
  /// is not linear in the product.
  ProductVerdict check_sums(const Epilogue& epilogue, int roundings = 1) const;
  /// What was written that nobody may write: around D, or in A and B. Empty when nothing was.
  std::string find_stray() const;

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
  Reference reference(bool rows, const std::vector<int>& samples) const;
  void compare(const Reference& lines, const Epilogue& epilogue, int roundings,
               tw::CompareResult* result) const;

  Problem problem_;
  tw::OutputPart part_;
  OperandSet operands_;  // C and D of the plane
  const DeviceKernels& kernels_;
  uint64_t seed_;
  std::vector<Reference> lines_;
  DeviceBuffer result_;
  DeviceBuffer expected_;    // m x blocks of columns; empty where D has too many
  DeviceBuffer norms_;       // of A's rows and B's columns: 2-norms, then 4-norms
  DeviceBuffer block_sums_;  // as CheckSumsArgs has them
  DeviceBuffer sums_result_;
  uint64_t checksum_ = 0;  // of A and B
};

/// The same of a workload: of every product of a group and every plane by itself, so that what one
/// writes into another's rows is seen as that one's error.
class WorkloadVerifier {
 public:
  WorkloadVerifier(const Workload& workload, const OperandSet& operands, uint64_t seed,
                   const DeviceKernels& kernels);

  void poison(cudaStream_t stream = nullptr) const;
  /// Verifier::find_stray() of the first product beside which something was written.
  std::string find_stray() const;
  /// The largest error of all products, and what is wrong with the first that is.
  Verification check(const Epilogue& epilogue, int roundings = 1) const;

 private:
  std::vector<std::pair<size_t, Verifier>> products_;  // by number; those without elements not
};

}  // namespace tilewright
