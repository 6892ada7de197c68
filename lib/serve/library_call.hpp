// Tuned products that cuBLASLt computes, if a pin selects it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "answer/library_price.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/library_product.hpp"
#include "search/library_pin.hpp"
#include "serve/cublaslt.hpp"

namespace tilewright {

/// An algorithm, ready for any addresses of a product. The handle belongs to the launch's device.
struct LibraryCall {
  const LibraryFunctions* functions = nullptr;
  cublasLtHandle_t handle = nullptr;
  LibraryProduct product;
  cublasLtMatmulAlgo_t algorithm = {};
  int64_t workspace_bytes = 0;
  std::optional<AlgorithmMapping> mapping = {};  // of the algorithm, if it is known
};

/// The call, empty if our kernel answers; and why no pinned algorithm answers, empty if one does or
/// is slower than our kernel.
struct LibraryResolution {
  std::optional<LibraryCall> call;
  std::string why_not_pinned;
};

/// Decides between cuBLASLt and our kernel, for pins that use cuBLASLt in at least one version.
/// Takes the algorithm that is recorded for the found version; without a record, and if another
/// version's first choice was faster than our kernel, the first choice of the found version's
/// heuristic. Either must accept matrices that lie in `places`. `handle` is of `found` on the
/// current device, or null. `refusal`: why cuBLASLt cannot answer anyway, or empty.
LibraryResolution resolve_library_call(const FoundLibrary& found, cublasLtHandle_t handle,
                                       std::span<const LibraryPin> pins, const Problem& problem,
                                       const OperandPlaces& places, std::string refusal = {});

/// The first choice of the found version's heuristic; empty if it has none that accepts matrices in
/// `places`.
std::optional<LibraryCall> first_choice_call(const FoundLibrary& found, cublasLtHandle_t handle,
                                             const Problem& problem, const OperandPlaces& places);

/// Safe to call from several threads, each with a workspace of its own. Throws an environment error
/// with the library's status.
void launch(const LibraryCall& call, const GemmLaunch& launch);

/// Describes what answers: "cuBLASLt 13.1.0, cublasLt/3 algo=66 tile=20 cluster=3 splitk=1", or
/// "cuBLASLt 13.2.0, its first choice"; empty if our kernel does.
std::string library_answer_text(std::span<const LibraryPin> pins, std::optional<int64_t> version);

/// "cuBLASLt 13.2.0, its first choice".
std::string first_choice_text(int64_t version);

}  // namespace tilewright
