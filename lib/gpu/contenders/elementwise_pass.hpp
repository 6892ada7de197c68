// The epilogue of a product where the library lacks it: its plain product, then a kernel of ours at
// the speed of a copy.
#pragma once

#include <optional>
#include <string>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/launch_shape.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/operand_set.hpp"
#include "tile/workload/workload.hpp"
#include "tools/elementwise_args.cuh"

namespace tilewright {

/// The workload that the library computes in place of one whose epilogue it lacks: it keeps alpha,
/// C, the bias of columns and the scales of A and B. Empty if the library has the whole epilogue,
/// or if the products of a group do not lie one behind the other.
std::optional<Workload> library_part(const Workload& workload);

/// The rest of that workload's epilogue, as one kernel over all its products.
class ElementwisePass {
 public:
  /// `product` is library_part(workload).
  ElementwisePass(const Workload& workload, const Workload& product,
                  const std::string& architecture, const CubinCache& cache);

  /// The operands with the library's D: the workload's own where an element of the product fits
  /// into its place.
  OperandSet product_operands(const OperandSet& operands) const;
  /// Computes D of `operands` from the D of product_operands().
  void launch(const OperandSet& operands, cudaStream_t stream) const;
  /// Bytes that a launch reads and writes.
  int64_t bytes() const;

 private:
  tw::ElementwiseParams params_;
  int64_t rows_;
  int64_t columns_;  // of D
  LaunchShape shape_;
  LoadedKernel kernel_;
  bool product_has_bias_;
  DeviceBuffer sums_;  // empty if D holds them
};

}  // namespace tilewright
