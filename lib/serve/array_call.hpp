// Calls of the C interface that are made of arrays, as other languages hand them over.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "serve/dlpack.hpp"
#include "serve/shipped_names.hpp"

namespace tilewright {

/// A call whose D, workspace and stream may be missing yet.
struct ArrayCall {
  shipped_call call = {};
  ArrayDevice device;                   // that all arrays lie on
  std::array<int64_t, 3> extents = {};  // of D; of her2k two planes come first, else 1
  int32_t rank = 2;                     // of D
  ArrayType out_type = {};              // of D
  std::vector<const Array*> read;       // all arrays that a launch reads
};

/// What a product reads; NULL where it is left out.
struct ProductArrays {
  const Array* a = nullptr;        // m x k, in any layout whose rows or columns have no gaps
  const Array* b = nullptr;        // k x n, likewise; of groups as many, one behind the other
  const Array* bias = nullptr;     // n
  const Array* scale_a = nullptr;  // one f32
  const Array* scale_b = nullptr;
  const Array* ends = nullptr;  // of groups: on the device, int32, behind each group's last row
};

/// All throw a usage error that names the argument, a TypeFault where it has a wrong type.
/// `out_type` NULL: as A is, of e4m3 bf16.
ArrayCall product_call(const ProductArrays& arrays, const ArrayType* out_type);

/// Rows of A behind each other for every k x n matrix of B. `rows`: of each group, on the host,
/// where they are known there; the array outlives the call.
ArrayCall grouped_call(const ProductArrays& arrays, const std::vector<int64_t>* rows,
                       const ArrayType* out_type);

/// D (n x n) of A (n x k): syrk, syr2k with B (n x k), or her2k of real parts and imaginary parts
/// (2 x n x k). C is n x n of D's form.
struct UpdateArrays {
  const Array* a = nullptr;
  const Array* b = nullptr;
  const Array* c = nullptr;
};
ArrayCall update_call(int32_t op, int32_t uplo, const UpdateArrays& arrays, float alpha, float beta,
                      const ArrayType* out_type);

/// Puts D in. Throws a usage error where it has another form, lies elsewhere, or overlaps what is
/// read.
void set_out(ArrayCall& call, const Array& out);

/// Throws a usage error where an array does not lie on the call's device, a GPU.
void require_on_gpu(const ArrayCall& call);

}  // namespace tilewright
