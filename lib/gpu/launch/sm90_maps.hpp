// The tensor maps of the sm90 family's launches.
#pragma once

#include <cuda.h>

#include "gpu/launch/operand_set.hpp"
#include "map/matrix_op.cuh"
#include "sm90/params.cuh"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// An operand as a row-major matrix in memory: its lines (rows of A, columns of B) are the rows if
/// k is contiguous, otherwise the columns.
struct Matrix {
  const void* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;  // contiguous
  int64_t pitch = 0;    // elements between rows
};

Matrix operand_a(const Problem& problem, const OperandSet& operands,
                 const OperandPlaces& places = {});
Matrix operand_b(const Problem& problem, const OperandSet& operands,
                 const OperandPlaces& places = {});

/// The maps of a product.
struct ProductMaps {
  CUtensorMap a;
  CUtensorMap b;
  CUtensorMap d;
  CUtensorMap d_tail;
};

/// PhaseMaps of kernels/sm90/triangle_tile.cuh as the host fills it.
struct PhaseMaps {
  CUtensorMap left[tw::kMaxPhases];
  CUtensorMap right[tw::kMaxPhases];
  CUtensorMap d;
  CUtensorMap d_tail;
};

/// The last argument of a kernel across GPUs, as kernels/sm90/promotion.cuh has it.
struct PeerTrailing {
  CUtensorMap gathered[2];
  tw::PeerArgs peers;
};

/// Makes the tensor maps of a kernel's launches, with this L2 promotion.
class Sm90Maps {
 public:
  Sm90Maps(const tw::Sm90Params& params, int l2_promotion_bytes)
      : params_(params), l2_promotion_bytes_(l2_promotion_bytes) {}

  /// Leaves out maps of operands without depth and maps of outputs that TMA does not store; rows of
  /// D are `ldd` elements apart.
  ProductMaps product_maps(const Problem& problem, Matrix a, Matrix b, void* d, int64_t ldd) const;
  /// The maps of a rank-k update with the square `square`; empty for other products.
  PhaseMaps phase_maps(const Problem& square, const OperandSet& operands,
                       const OperandPlaces& places = {}) const;
  /// The map of the kernel's A.
  CUtensorMap left_map(const Matrix& matrix, DataType dtype) const;

 private:
  CUtensorMap right_map(const Matrix& matrix, DataType dtype) const;
  CUtensorMap output_map(const Problem& problem, void* d, int64_t ldd, int columns) const;

  const tw::Sm90Params& params_;
  int l2_promotion_bytes_;
};

}  // namespace tilewright
