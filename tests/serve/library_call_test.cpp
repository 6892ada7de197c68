// resolve_library_call() with a fake cuBLASLt, made of functions of this file: needs no GPU and no
// library.
#include "serve/library_call.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

// The results of the fake library, and its last arguments. Its descriptors store what was set; its
// matrices store rows, columns and pitch.
struct MadeUp {
  cublasStatus_t check_status = CUBLAS_STATUS_SUCCESS;
  uint32_t least_alignment = 16;
  size_t workspace_bytes = 4096;
  int algorithms = 1;
  int asked_heuristic = 0;
  cublasStatus_t matmul_status = CUBLAS_STATUS_SUCCESS;
  std::map<int, int> configuration = {};    // of its algorithm, by attribute
  std::map<int, uint64_t> preference = {};  // last asked for, by attribute
};
MadeUp& made_up() {
  static MadeUp library;
  return library;
}

struct RecordedCall {
  uint64_t algorithm = 0;
  cublasLtMatmulDescOpaque_t operation = {};
  cublasLtMatrixLayoutOpaque_t a = {};
  cublasLtMatrixLayoutOpaque_t c = {};
  const void* first = nullptr;
  const void* added = nullptr;
  void* result = nullptr;
  float alpha = 0;
  float beta = 0;
  size_t workspace_bytes = 0;
};
RecordedCall& recorded_call() {
  thread_local RecordedCall last;
  return last;
}

constexpr uint64_t kFirstAlgorithm = 77;

FoundLibrary made_up_library(int64_t version) {
  FoundLibrary found;
  found.version = version;
  LibraryFunctions& f = found.functions;
  f.init_operation = [](cublasLtMatmulDesc_t operation, size_t, cublasComputeType_t,
                        cudaDataType_t) { return *operation = {}, CUBLAS_STATUS_SUCCESS; };
  f.set_operation = [](cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                       const void* value, size_t bytes) {
    std::memcpy(&operation->data[attribute], value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  f.init_layout = [](cublasLtMatrixLayout_t matrix, size_t, cudaDataType, uint64_t rows,
                     uint64_t columns, int64_t pitch) {
    *matrix = {{rows, columns, static_cast<uint64_t>(pitch)}};
    return CUBLAS_STATUS_SUCCESS;
  };
  f.init_preference = [](cublasLtMatmulPreference_t, size_t) {
    made_up().preference.clear();
    return CUBLAS_STATUS_SUCCESS;
  };
  f.set_preference = [](cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t attribute,
                        const void* value, size_t bytes) {
    std::memcpy(&made_up().preference[attribute], value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  f.get_heuristic = [](cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                       cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                       cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t results[],
                       int* count) {
    ++made_up().asked_heuristic;
    *count = made_up().algorithms;
    if (*count > 0) results[0].algo.data[0] = kFirstAlgorithm;
    return CUBLAS_STATUS_SUCCESS;
  };
  f.check_algorithm = [](cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                         cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                         const cublasLtMatmulAlgo_t*, cublasLtMatmulHeuristicResult_t* result) {
    result->workspaceSize = made_up().workspace_bytes;
    return made_up().check_status;
  };
  f.get_capability = [](const cublasLtMatmulAlgo_t*, cublasLtMatmulAlgoCapAttributes_t, void* value,
                        size_t, size_t*) {
    std::memcpy(value, &made_up().least_alignment, sizeof(uint32_t));
    return CUBLAS_STATUS_SUCCESS;
  };
  f.get_configuration = [](const cublasLtMatmulAlgo_t*,
                           cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                           size_t bytes, size_t* written) {
    const auto at = made_up().configuration.find(attribute);
    if (at == made_up().configuration.end()) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(value, &at->second, bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
  };
  f.matmul = [](cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                cublasLtMatrixLayout_t layout_a, const void*, cublasLtMatrixLayout_t,
                const void* beta, const void* c, cublasLtMatrixLayout_t layout_c, void* d,
                cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t* algorithm, void*, size_t bytes,
                cudaStream_t) {
    recorded_call() = {.algorithm = algorithm->data[0],
                       .operation = *operation,
                       .a = *layout_a,
                       .c = *layout_c,
                       .first = a,
                       .added = c,
                       .result = d,
                       .alpha = *static_cast<const float*>(alpha),
                       .beta = *static_cast<const float*>(beta),
                       .workspace_bytes = bytes};
    return made_up().matmul_status;
  };
  return found;
}

cublasLtHandle_t handle() {
  static int something = 0;
  return reinterpret_cast<cublasLtHandle_t>(&something);
}

// A pin of 13.1.0: its fastest algorithm is faster than our kernel, and `first_share` decides
// whether its first choice is, too.
std::vector<LibraryPin> pins(double first_share = 0.97) {
  LibraryPin pin{.version = 130100,
                 .name = "cublasLt/3 algo=66",
                 .algorithm = {.bits = {{42}}, .workspace_bytes = 0},
                 .median_us = 90,
                 .ratio = {0.9, {0.89, 0.91}},
                 .first_us = 100 * first_share,
                 .first_ratio = {first_share, {first_share - 0.01, first_share + 0.01}}};
  return {pin};
}

Problem product(const std::string& epilogue = "ab") {
  Problem problem{{256, 512, 1024}, {}};
  problem.kind.epilogue = parse_epilogue(epilogue);
  return problem;
}

LibraryResolution resolve(const FoundLibrary& found, const std::vector<LibraryPin>& known,
                          const OperandPlaces& places = {}) {
  return resolve_library_call(found, found.version ? handle() : nullptr, known, product(), places);
}

TEST_CASE("the recorded algorithm answers for its version, with the workspace that it needs") {
  made_up() = {};
  const FoundLibrary found = made_up_library(130100);
  const LibraryResolution own = resolve(found, pins());
  REQUIRE(own.call);
  CHECK(own.call->algorithm.data[0] == 42);
  CHECK(own.call->workspace_bytes == 4096);
  CHECK(own.why_not_pinned.empty());
  CHECK(made_up().asked_heuristic == 0);
}

TEST_CASE("another version answers with its first choice where the recorded first was faster") {
  made_up() = {};
  const FoundLibrary found = made_up_library(120804);
  const LibraryResolution first = resolve(found, pins());
  REQUIRE(first.call);
  CHECK(first.call->algorithm.data[0] == kFirstAlgorithm);
  CHECK(made_up().asked_heuristic == 1);
  CHECK(contains(first.why_not_pinned, "no pin applies: the process has cuBLASLt 12.8.4"));
  const LibraryResolution slower = resolve(found, pins(1.2));
  CHECK_FALSE(slower.call);
  CHECK(made_up().asked_heuristic == 1);
  CHECK(contains(slower.why_not_pinned, "our kernel is as fast as the first choice of 13.1.0"));
  made_up().algorithms = 0;
  CHECK(contains(resolve(found, pins()).why_not_pinned, "it has no algorithm"));
}

TEST_CASE("the call of a first choice has the mapping of its algorithm") {
  made_up() = {};
  const FoundLibrary found = made_up_library(130100);
  const auto first = [&found] { return first_choice_call(found, handle(), product(), {}); };
  REQUIRE(first());
  CHECK_FALSE(first()->mapping);
  made_up().configuration = {{CUBLASLT_ALGO_CONFIG_ID, 66},
                             {CUBLASLT_ALGO_CONFIG_TILE_ID, CUBLASLT_MATMUL_TILE_128x64},
                             {CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, CUBLASLT_CLUSTER_SHAPE_2x1x1},
                             {CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 3}};
  const AlgorithmMapping expected{.tile_m = 64, .tile_n = 128, .cluster = {1, 2}, .slices = 3};
  CHECK(first()->mapping == expected);
}

TEST_CASE("an algorithm that adds parts in the type of D does not answer") {
  const FoundLibrary found = made_up_library(130100);
  for (const int scheme :
       {CUBLASLT_REDUCTION_SCHEME_NONE, CUBLASLT_REDUCTION_SCHEME_INPLACE,
        CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE}) {
    made_up() = {.configuration = {{CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, scheme}}};
    const bool is_exact = scheme == CUBLASLT_REDUCTION_SCHEME_NONE ||
                          scheme == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    const LibraryResolution pinned = resolve(found, pins());
    CHECK(pinned.call.has_value() == is_exact);
    if (!is_exact) CHECK(contains(pinned.why_not_pinned, "in the type of D"));
    CHECK(first_choice_call(found, handle(), product(), {}).has_value() == is_exact);
    CHECK(made_up().preference[CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK] ==
          CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  }
}

TEST_CASE("without cuBLASLt our kernel answers, with the reason") {
  const FoundLibrary none{.functions = {}, .version = {}, .why_not = "the loader does not find it"};
  const LibraryResolution ours = resolve(none, pins());
  CHECK_FALSE(ours.call);
  CHECK(ours.why_not_pinned == "no pin of cuBLASLt applies: the loader does not find it");
}

TEST_CASE("our kernel answers what the library refuses or needs aligned further") {
  const FoundLibrary found = made_up_library(130100);
  made_up() = {};
  const LibraryResolution kept =
      resolve_library_call(found, handle(), pins(), product(), {}, "its factors lie elsewhere");
  CHECK_FALSE(kept.call);
  CHECK(contains(kept.why_not_pinned, "does not apply: its factors lie elsewhere"));
  made_up() = {.check_status = CUBLAS_STATUS_NOT_SUPPORTED};
  CHECK_FALSE(resolve(found, pins()).call);
  CHECK(contains(resolve(found, pins()).why_not_pinned, "it does not run the product (status 15)"));
  for (const uint32_t least : {1U, 2U, 4U, 8U, 16U}) {
    for (const int alignment : {2, 4, 8, 16}) {
      for (MatrixPlace OperandPlaces::*const matrix :
           {&OperandPlaces::a, &OperandPlaces::b, &OperandPlaces::c, &OperandPlaces::d}) {
        made_up() = {.least_alignment = least};
        OperandPlaces places;
        (places.*matrix).alignment = alignment;
        const LibraryResolution resolved = resolve(found, pins(), places);
        const bool runs = static_cast<uint32_t>(alignment) >= least;
        CHECK(resolved.call.has_value() == runs);
        if (!runs)
          CHECK(contains(resolved.why_not_pinned, format("a multiple of {} bytes", least)));
      }
    }
  }
}

TEST_CASE("concurrent calls keep their own addresses and factors") {
  made_up() = {};
  const FoundLibrary found = made_up_library(130100);
  const LibraryResolution resolved = resolve_library_call(
      found, handle(), pins(), product("relu(ab+c+bias)"),
      {.a = {.pitch = 2048}, .b = {.pitch = 1032}, .c = {.pitch = 704}, .d = {.pitch = 640}});
  REQUIRE(resolved.call);
  // Our B is the library's first matrix: k x n, as its rows are contiguous along K.
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      std::vector<char> memory(5);
      for (int turn = 0; turn < 2000; ++turn) {
        const EpilogueScalars scalars{static_cast<float>(t), turn % 2 == 0 ? 0.0F : 0.5F};
        GemmLaunch one{.operands = {.b = &memory[0], .c = &memory[1], .bias = &memory[2]},
                       .scalars = &scalars};
        one.operands.d = &memory[3];
        launch(*resolved.call, one);
        uint64_t bias = 0;
        std::memcpy(&bias, &recorded_call().operation.data[CUBLASLT_MATMUL_DESC_BIAS_POINTER],
                    sizeof(bias));
        const bool adds = scalars.beta != 0;
        const bool is_right =
            recorded_call().first == &memory[0] && recorded_call().result == &memory[3] &&
            recorded_call().alpha == scalars.alpha && recorded_call().beta == scalars.beta &&
            recorded_call().added == (adds ? &memory[1] : &memory[3]) &&
            bias == reinterpret_cast<uint64_t>(&memory[2]) && recorded_call().a.data[0] == 1024 &&
            recorded_call().a.data[1] == 512 && recorded_call().a.data[2] == 1032 &&
            recorded_call().c.data[2] == (adds ? 704U : 640U) &&
            recorded_call().workspace_bytes == 4096;
        wrong[t] += is_right ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) CHECK(count == 0);
}

TEST_CASE("a launch that the library refuses is an error with its status") {
  made_up() = {};
  const FoundLibrary found = made_up_library(130100);
  const LibraryResolution resolved = resolve(found, pins());
  REQUIRE(resolved.call);
  made_up().matmul_status = CUBLAS_STATUS_EXECUTION_FAILED;
  const EpilogueScalars scalars;
  CHECK(contains(testing::error_message_of([&] { launch(*resolved.call, {.scalars = &scalars}); },
                                           ExitCode::Environment),
                 "cublasLtMatmul failed: status 13"));
}

}  // namespace
}  // namespace tilewright
