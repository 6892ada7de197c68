// Builds calls of the C interface from arrays, as other languages pass them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "serve/dlpack.hpp"
#include "serve/shipped_names.hpp"

namespace tilewright {

/// A call; D, workspace and stream may still be missing.
struct ArrayCall {
  shipped_call call = {};
  ArrayDevice device;                 // of all arrays
  std::array<int64_t, 3> shape = {};  // of D: planes (2 for her2k, else 1), rows, columns
  int32_t ndim = 2;                   // of D
  ArrayType out_type = {};            // of D
  std::vector<const Array*> read;     // all arrays that a launch reads
};

/// The arrays that a product reads; NULL if absent.
struct ProductArrays {
  const Array* a = nullptr;        // m x k; its rows or its columns are contiguous
  const Array* b = nullptr;        // k x n, likewise; for groups one after the other
  const Array* bias = nullptr;     // n
  const Array* scale_a = nullptr;  // f32, as scale_forms() reads them
  const Array* scale_b = nullptr;
  const Array* ends = nullptr;  // for groups: int32 on the device, the end of each group's rows
};

/// The functions throw a usage error that names the argument, a TypeFault if its type is wrong.
/// `out_type` NULL: the type of A, or bf16 if A has 8 bits.
ArrayCall product_call(const ProductArrays& arrays, const ArrayType* out_type);

/// How GPUs share a product.
struct ArrayShare {
  int32_t parallel = SHIPPED_ALONE;
  shipped_comm* comm = nullptr;
  int32_t gpus = 1;
};

/// The arrays are this GPU's shares; without scales.
ArrayCall shared_call(const ProductArrays& arrays, const ArrayShare& share,
                      const ArrayType* out_type);

/// A has the rows of all groups one after the other, B a k x n matrix per group. `rows`: the rows
/// of each group if the host has them, else NULL; the array outlives the call.
ArrayCall grouped_call(const ProductArrays& arrays, const std::vector<int64_t>* rows,
                       const ArrayType* out_type);

/// The arrays of a rank-k update, D n x n: A (n x k) for syrk, also B (n x k) for syr2k, and real
/// parts before imaginary parts (2 x n x k) for her2k. C is n x n in the form of D.
struct UpdateArrays {
  const Array* a = nullptr;
  const Array* b = nullptr;
  const Array* c = nullptr;
};
ArrayCall update_call(int32_t op, int32_t uplo, const UpdateArrays& arrays, float alpha, float beta,
                      const ArrayType* out_type);

/// Sets D. Throws a usage error if it has another form, lies on another device, or overlaps an
/// array that the launch reads.
void set_out(ArrayCall& call, const Array& out);

/// Throws a usage error unless all arrays lie on the call's device and this is a GPU.
void require_on_gpu(const ArrayCall& call);

}  // namespace tilewright
