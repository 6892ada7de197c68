// A tuned product that cuBLASLt answers, where a pin says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/library_product.hpp"
#include "search/library_pin.hpp"
#include "serve/cublaslt.hpp"

namespace tilewright {

/// An algorithm that is ready for any addresses of a product. The handle is of the launch's device.
struct LibraryCall {
  const LibraryFunctions* functions = nullptr;
  cublasLtHandle_t handle = nullptr;
  LibraryProduct product;
  cublasLtMatmulAlgo_t algorithm = {};
  int64_t workspace_bytes = 0;
};

/// The call, or nothing where ours answers; and in words why no pinned algorithm does, empty where
/// one does or is slower than ours.
struct LibraryVerdict {
  std::optional<LibraryCall> call;
  std::string why_not_pinned;
};

/// Of pins of which some version wants the library: the recorded algorithm of the version that was
/// found, else, where another version's first choice was faster than ours, what its heuristic names
/// first, each if it takes matrices that lie in `places`. `handle` is of `found`, and of the
/// current device; null where there is none. `refusal`: what keeps it from answering anyway, empty
/// where nothing does.
LibraryVerdict judge_library(const FoundLibrary& found, cublasLtHandle_t handle,
                             std::span<const LibraryPin> pins, const Problem& problem,
                             const OperandPlaces& places, std::string refusal = {});

/// Safe to call from several threads, each with a workspace of its own. Throws an environment error
/// with the library's status.
void launch(const LibraryCall& call, const GemmLaunch& launch);

/// What answers in words: "cuBLASLt 13.1.0, cublasLt/3 algo=66 tile=20 cluster=3 splitk=1", or
/// "cuBLASLt 13.2.0, its first choice"; empty where ours does.
std::string library_answer_text(std::span<const LibraryPin> pins, std::optional<int64_t> version);

}  // namespace tilewright
