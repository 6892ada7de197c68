// One product on cuBLASLt, through functions that are linked or loaded at run time.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/launch/operand_set.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Bytes of workspace that the library's heuristic may use.
inline constexpr size_t kReferenceWorkspaceBytes = size_t{64} << 20;

/// The functions of cuBLASLt that a product needs.
struct LibraryFunctions {
  decltype(&cublasLtGetVersion) get_version = nullptr;
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtMatmulDescInit_internal) init_operation = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) set_operation = nullptr;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout = nullptr;
  decltype(&cublasLtMatmulPreferenceInit_internal) init_preference = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) get_heuristic = nullptr;
  decltype(&cublasLtMatmulAlgoCheck) check_algorithm = nullptr;
  decltype(&cublasLtMatmulAlgoCapGetAttribute) get_capability = nullptr;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) get_configuration = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
};

/// Calls visit(name, function) for each function.
template <class Visit>
constexpr void visit_functions(Visit&& visit, LibraryFunctions& f) {
  visit("cublasLtGetVersion", f.get_version);
  visit("cublasLtCreate", f.create);
  visit("cublasLtDestroy", f.destroy);
  visit("cublasLtMatmulDescInit_internal", f.init_operation);
  visit("cublasLtMatmulDescSetAttribute", f.set_operation);
  visit("cublasLtMatrixLayoutInit_internal", f.init_layout);
  visit("cublasLtMatrixLayoutSetAttribute", f.set_layout);
  visit("cublasLtMatmulPreferenceInit_internal", f.init_preference);
  visit("cublasLtMatmulPreferenceSetAttribute", f.set_preference);
  visit("cublasLtMatmulAlgoGetHeuristic", f.get_heuristic);
  visit("cublasLtMatmulAlgoCheck", f.check_algorithm);
  visit("cublasLtMatmulAlgoCapGetAttribute", f.get_capability);
  visit("cublasLtMatmulAlgoConfigGetAttribute", f.get_configuration);
  visit("cublasLtMatmul", f.matmul);
}

/// The description of a product for cuBLASLt, without addresses, alpha and beta. cuBLASLt is
/// column-major, so its first operand `a` is our B, and its second one our A.
struct LibraryProduct {
  cublasLtMatmulDescOpaque_t operation = {};
  cublasLtMatrixLayoutOpaque_t a = {};
  cublasLtMatrixLayoutOpaque_t b = {};
  cublasLtMatrixLayoutOpaque_t c = {};
  cublasLtMatrixLayoutOpaque_t d = {};
  OperandPlaces places = {};
  DataType output = DataType::F32;  // the type of D
};

/// True if the library has the kind's epilogue and its type of D.
bool library_has(const ProductKind& kind);

/// Equal products in one call; a matrix of each lies `bytes_apart` behind that of the one before.
struct LibraryBatch {
  int count = 1;
  MatrixOffsets bytes_apart = {};
};

/// Describes a product, or each one of a batch, with fp32 accumulation. Empty if the library lacks
/// the epilogue or the order of the scales. Throws an environment error if the library refuses the
/// description.
std::optional<LibraryProduct> library_product(const LibraryFunctions& library,
                                              const Problem& problem,
                                              const OperandPlaces& places = {},
                                              const LibraryBatch& batch = {});

/// Which algorithms that split K a heuristic may return: all, among them those that add the parts
/// in the type of D, or only those that add them in fp32.
enum class PartSums { InAnyType, InFp32 };

/// Up to `most` algorithms from the heuristic, its first choice first; empty if it finds none.
std::vector<cublasLtMatmulHeuristicResult_t> heuristic_algorithms(
    const LibraryFunctions& library, cublasLtHandle_t handle, const LibraryProduct& product,
    int most, PartSums sums = PartSums::InAnyType);

/// A value of an algorithm's configuration; empty if the library does not give it.
template <class Value>
std::optional<Value> configuration_value(const LibraryFunctions& library,
                                         const cublasLtMatmulAlgo_t& algorithm,
                                         cublasLtMatmulAlgoConfigAttributes_t attribute) {
  Value value = {};
  size_t written = 0;
  const cublasStatus_t status =
      library.get_configuration(&algorithm, attribute, &value, sizeof(value), &written);
  if (status != CUBLAS_STATUS_SUCCESS || written != sizeof(value)) return std::nullopt;
  return value;
}

/// The library's check of an algorithm for a product: why it cannot run, or does not sum in fp32,
/// or the workspace that it needs.
struct AlgorithmCheck {
  std::string why_not;
  size_t workspace_bytes = 0;
};
AlgorithmCheck check_algorithm(const LibraryFunctions& library, cublasLtHandle_t handle,
                               const LibraryProduct& product,
                               const cublasLtMatmulAlgo_t& algorithm);

/// Addresses, scalars and stream of one launch.
struct LibraryLaunch {
  const OperandSet& operands;  // where C is NULL, D is read in its place
  EpilogueScalars scalars;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// D = alpha * A B + beta * C with the product's bias and activation. Safe to call from several
/// threads. Throws an environment error with the status of the library.
void launch_product(const LibraryFunctions& library, cublasLtHandle_t handle,
                    const LibraryProduct& product, const cublasLtMatmulAlgo_t& algorithm,
                    const LibraryLaunch& launch);

}  // namespace tilewright
