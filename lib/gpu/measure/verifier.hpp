// Is D what float64 says? All of it for small problems, sampled rows and columns of large ones.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/launch/device_kernels.hpp"
#include "gpu/launch/memory.hpp"
#include "gpu/launch/operands.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// Reference values of one problem on one set of operands. Rows and columns are sampled over the
/// whole range, edges included; every element of D is checked for having been written.
class Verifier {
 public:
  Verifier(const Problem& problem, const OperandSet& operands, uint64_t seed,
           const DeviceKernels& kernels);

  /// Fills D with a NaN that no kernel writes.
  void poison() const;
  /// Compares D of the operands with alpha * reference + beta * C + bias. `roundings`: how often a
  /// sum was rounded to D's type, the last time included.
  Verification check(Scaling scaling, int roundings = 1) const;

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

  Reference reference(bool rows, const std::vector<int>& samples) const;
  void compare(const Reference& lines, Scaling scaling, int roundings,
               tw::CompareResult* result) const;

  Problem problem_;
  OperandSet operands_;
  const DeviceKernels& kernels_;
  std::vector<Reference> lines_;
  DeviceBuffer result_;
};

}  // namespace tilewright
