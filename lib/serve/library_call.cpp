#include "serve/library_call.hpp"

#include <cstring>
#include <vector>

#include "answer/library_choice.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/library_mapping.hpp"

namespace tilewright {
namespace {

// The algorithm of a choice; empty if the heuristic finds none.
std::optional<cublasLtMatmulAlgo_t> algorithm_of(const LibraryChoice& choice,
                                                 const LibraryCall& call) {
  cublasLtMatmulAlgo_t algorithm = {};
  if (choice.use == LibraryUse::Pinned) {
    const AlgorithmBits& bits = choice.pin->algorithm.bits;
    static_assert(sizeof(algorithm) == sizeof(bits.bytes));
    std::memcpy(&algorithm, bits.bytes.data(), sizeof(algorithm));
    return algorithm;
  }
  const std::vector<cublasLtMatmulHeuristicResult_t> first =
      heuristic_algorithms(*call.functions, call.handle, call.product, 1, PartSums::InFp32);
  if (first.empty()) return std::nullopt;
  return first.front().algo;
}

// Prepares `call`. Returns why the chosen algorithm cannot run, empty if it can.
std::string prepare_call(const LibraryChoice& choice, const Problem& problem,
                         const OperandPlaces& places, LibraryCall& call) {
  if (call.handle == nullptr) return "cublasLtCreate failed";
  try {
    const std::optional<LibraryProduct> product = library_product(*call.functions, problem, places);
    if (!product) return "it has no such epilogue";
    call.product = *product;
    const std::optional<cublasLtMatmulAlgo_t> algorithm = algorithm_of(choice, call);
    if (!algorithm) return "it has no algorithm for the call";
    call.algorithm = *algorithm;
    const AlgorithmCheck check =
        check_algorithm(*call.functions, call.handle, call.product, call.algorithm);
    call.workspace_bytes = static_cast<int64_t>(check.workspace_bytes);
    call.mapping = mapping_of(*call.functions, call.algorithm);
    return check.why_not;
  } catch (const Error& error) {
    if (is_internal(error)) throw;
    return error.what();
  }
}

}  // namespace

LibraryResolution resolve_library_call(const FoundLibrary& found, cublasLtHandle_t handle,
                                       std::span<const LibraryPin> pins, const Problem& problem,
                                       const OperandPlaces& places, std::string refusal) {
  LibraryResolution resolution;
  const LibraryChoice choice = choose_library(pins, found.version);
  if (choice.use != LibraryUse::Ours && refusal.empty()) {
    LibraryCall call{.functions = &found.functions, .handle = handle, .product = {}};
    refusal = prepare_call(choice, problem, places, call);
    if (refusal.empty()) resolution.call = call;
  }
  resolution.why_not_pinned = why_not_pinned(pins, found.version, found.why_not, refusal);
  return resolution;
}

std::optional<LibraryCall> first_choice_call(const FoundLibrary& found, cublasLtHandle_t handle,
                                             const Problem& problem, const OperandPlaces& places) {
  LibraryCall call{.functions = &found.functions, .handle = handle, .product = {}};
  const LibraryChoice first{.use = LibraryUse::FirstChoice, .pin = nullptr};
  return prepare_call(first, problem, places, call).empty() ? std::optional(call) : std::nullopt;
}

void launch(const LibraryCall& call, const GemmLaunch& launch) {
  const EpilogueScalars scalars = *launch.scalars;
  OperandSet operands = launch.operands;
  // C is not read then, so its address may be anything.
  if (scalars.beta == 0) operands.c = nullptr;
  launch_product(*call.functions, call.handle, call.product, call.algorithm,
                 {.operands = operands,
                  .scalars = scalars,
                  .workspace = launch.workspace,
                  .workspace_bytes = static_cast<size_t>(call.workspace_bytes),
                  .stream = launch.stream});
}

std::string library_answer_text(std::span<const LibraryPin> pins, std::optional<int64_t> version) {
  const LibraryChoice choice = choose_library(pins, version);
  if (choice.use == LibraryUse::Ours) return "";
  if (choice.use == LibraryUse::FirstChoice) return first_choice_text(*version);
  return format("cuBLASLt {}, {}", library_version(*version), choice.pin->name);
}

std::string first_choice_text(int64_t version) {
  return format("cuBLASLt {}, its first choice", library_version(version));
}

}  // namespace tilewright
