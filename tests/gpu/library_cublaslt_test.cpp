// Rows that cuBLASLt answers through the C interface: by an algorithm recorded for the version that
// this process has, and by the first choice of the heuristic if only other versions were recorded.

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "answer/shipped_set.hpp"
#include "base/text.hpp"
#include "gpu/compile/library_check.hpp"
#include "gpu/contenders/reference_library.hpp"
#include "search/complete.hpp"
#include "support/compiled_programs.hpp"
#include "support/error_message.hpp"
#include "support/gpu_bench.hpp"
#include "support/shipped_library.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::ShippedLibrary;

LibraryPin pin_of(int64_t version, const LibraryAlgorithm& algorithm, double share,
                  double first_share) {
  return {.version = version,
          .name = "recorded",
          .algorithm = algorithm,
          .median_us = 1,
          .ratio = {share, {share, share}},
          .first_us = 1,
          .first_ratio = {first_share, {first_share, first_share}}};
}

// A table of one row, with only its own kernel.
AnswerTable table_of(const Problem& problem) {
  AnswerTable table;
  table.device = testing::shipped_table().device;
  AnswerRow row{
      .problem = workload_of(problem), .choice = {}, .predicted_us = 1, .file = "made up"};
  row.problem.kind = normalised(row.problem.kind);
  row.choice = complete_config({}, row.problem, table.device);
  ShippedSet set(table.device);
  const auto plan = set.plan_of(row.problem, row.choice, {});
  REQUIRE(plan);
  set.add(*plan);
  table.kernels = set.kernels();
  table.rows = {row};
  return table;
}

ShippedLibrary library_with(AnswerTable table, const std::vector<LibraryPin>& pins) {
  table.rows.front().library_pins = pins;
  return {std::move(table), "pinned_test", testing::compiled};
}

shipped_call call_on(const ShippedLibrary& library, const Problem& problem, const OperandSet& set) {
  std::vector<int64_t> rows;
  const Epilogue& epilogue = problem.kind.epilogue;
  shipped_call call = testing::call_of(library, workload_of(problem), rows);
  call.activation = static_cast<int32_t>(epilogue.activation);
  call.a = set.a;
  call.b = set.b;
  call.c = set.c;
  call.d = set.d;
  if (epilogue.bias) call.bias = set.bias;
  if (epilogue.scale_a != OperandScale::None) call.scale_a = set.scale_a;
  if (epilogue.scale_b != OperandScale::None) call.scale_b = set.scale_b;
  return call;
}

// The call's workspace, which must outlive it.
DeviceBuffer room_for(const ShippedLibrary& library, shipped_call& call) {
  uint64_t bytes = 0;
  uint64_t alignment = 0;
  REQUIRE_MESSAGE(library.workspace(call, bytes, alignment) == SHIPPED_GOOD, library.error());
  DeviceBuffer room(bytes + 1);
  call.workspace = room.get();
  call.workspace_bytes = bytes;
  return room;
}

Problem problem_of_kind(DataType type, const char* layout, const char* epilogue) {
  Problem problem{{512, 384, 1024}, {}};
  problem.kind.dtype = type;
  problem.kind.layout = parse_matrix_layout(layout);
  problem.kind.epilogue = parse_epilogue(epilogue);
  if (type == DataType::E4M3) problem.kind.epilogue.out_dtype = DataType::BF16;
  return problem;
}

// One problem of each kind that cuBLASLt gets a different description of.
std::vector<Problem> problems() {
  std::vector<Problem> all = {problem_of_kind(DataType::BF16, "tn", "ab"),
                              problem_of_kind(DataType::BF16, "nn", "gelu(bias)"),
                              problem_of_kind(DataType::F16, "nt", "relu(bias)"),
                              problem_of_kind(DataType::F16, "tt", "ab+c"),
                              problem_of_kind(DataType::E4M3, "tn", "ab")};
  all.push_back(all.front());
  all.back().kind.epilogue.out_dtype = DataType::F32;
  all.push_back(problem_of_kind(DataType::E4M3, "tn", "ab"));
  all.back().kind.epilogue.scale_a = all.back().kind.epilogue.scale_b = OperandScale::Tensor;
  return all;
}

Verification verified(testing::GpuBench& bench, const ShippedLibrary& library) {
  shipped_call call = call_on(library, bench.problem(), bench.operands());
  const DeviceBuffer room = room_for(library, call);
  bench.verifier().poison();
  REQUIRE_MESSAGE(library.gemm(call) == SHIPPED_GOOD, library.error());
  TW_CHECK(cudaDeviceSynchronize());
  return bench.verifier().check(bench.problem().kind.epilogue, 1);
}

TEST_CASE("recorded algorithms of this version are called by their bits and are right") {
  for (const Problem& problem : problems()) {
    testing::GpuBench bench(problem);
    const AnswerTable table = table_of(problem);
    LibraryAlgorithms known = ReferenceLibrary(problem).algorithms();
    INFO(to_string(problem), ", ", known.list.size(), " algorithms");
    REQUIRE(!known.list.empty());
    known.list.resize(std::min<size_t>(known.list.size(), 4));
    for (const LibraryAlgorithm& algorithm : known.list) {
      const ShippedLibrary library =
          library_with(table, {pin_of(known.version, algorithm, 0.5, 0.5)});
      const std::string why = library.why(call_on(library, problem, bench.operands()));
      CHECK_MESSAGE(why.starts_with(format("library for h200: cuBLASLt {}, recorded",
                                           library_version(known.version))),
                    why);
      // What may follow is the name of another card.
      CHECK_MESSAGE((why.ends_with(", recorded") || contains(why, "; tuned on ")), why);
      const Verification verdict = verified(bench, library);
      CHECK_MESSAGE(verdict.ok, verdict.detail);
    }
  }
}

TEST_CASE("our kernel answers where the factors are not aligned as the library needs") {
  testing::GpuBench bench(problems().back());
  REQUIRE(bench.problem().kind.epilogue.scale_a == OperandScale::Tensor);
  const LibraryAlgorithms known = ReferenceLibrary(bench.problem()).algorithms();
  REQUIRE(!known.list.empty());
  const ShippedLibrary library = library_with(
      table_of(bench.problem()), {pin_of(known.version, known.list.front(), 0.5, 0.5)});
  const DeviceBuffer factors(64);
  for (const int bytes : {4, 8, 12}) {
    OperandSet set = bench.operands();
    set.scale_a = reinterpret_cast<const float*>(factors.as<char>() + bytes);
    shipped_call call = call_on(library, bench.problem(), set);
    const std::string why = library.why(call);
    CHECK_MESSAGE(contains(why, "it needs factors at multiples of 16 bytes"), why);
    const DeviceBuffer room = room_for(library, call);
    CHECK_MESSAGE(library.gemm(call) == SHIPPED_GOOD, library.error());
    TW_CHECK(cudaDeviceSynchronize());
  }
}

TEST_CASE("with pins of other versions the library's first choice or ours answers") {
  for (const Problem& problem : problems()) {
    testing::GpuBench bench(problem);
    const AnswerTable table = table_of(problem);
    const int64_t version = ReferenceLibrary(problem).algorithms().version;
    // Algorithm bits that no version has.
    LibraryAlgorithm strange;
    strange.bits.bytes.fill(0xFF);
    for (const int64_t other : {version - 1, version + 1}) {
      for (const double first_share : {0.5, 1.5}) {
        const ShippedLibrary library =
            library_with(table, {pin_of(other, strange, 0.5, first_share)});
        const std::string why = library.why(call_on(library, problem, bench.operands()));
        const bool asks = first_share < 1;
        CHECK_MESSAGE(why.find(asks ? "library for h200: " : "tuned for h200: ") == 0, why);
        CHECK_MESSAGE(contains(why, "its first choice; no pin applies") == asks, why);
        CHECK_MESSAGE(contains(why, "recorded is " + library_version(other)), why);
        const Verification verdict = verified(bench, library);
        CHECK_MESSAGE(verdict.ok, verdict.detail);
      }
    }
  }
}

// With zeros in A and B, relu(A B + bias) is the bias, and each thread has its own.
TEST_CASE("ten threads call a pinned row, each with its own bias, the first call captured") {
  constexpr int kThreads = 10;
  const Problem problem{{256, 256, 256}, problem_of_kind(DataType::BF16, "tn", "relu(bias)").kind};
  const LibraryAlgorithms known = ReferenceLibrary(problem).algorithms();
  REQUIRE(!known.list.empty());
  const ShippedLibrary library =
      library_with(table_of(problem), {pin_of(known.version, known.list.front(), 0.5, 0.5)});
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      constexpr size_t kElements = 256 * 256;
      // Powers of two from 1 on, exact in bf16.
      const auto bits = static_cast<uint16_t>((127 + t) << 7);
      const std::vector<uint16_t> biases(256, bits);
      const DeviceBuffer a(2 * kElements);
      const DeviceBuffer b(2 * kElements);
      const DeviceBuffer d(2 * kElements);
      const DeviceBuffer bias(2 * biases.size());
      TW_CHECK(cudaMemset(a.get(), 0, a.bytes()));
      TW_CHECK(cudaMemset(b.get(), 0, b.bytes()));
      copy_to_device(bias.get(), biases.data(), bias.bytes());
      cudaStream_t stream = nullptr;
      TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      OperandSet set;
      set.a = a.get();
      set.b = b.get();
      set.d = d.get();
      set.bias = bias.get();
      shipped_call call = call_on(library, problem, set);
      call.stream = stream;
      const DeviceBuffer room = room_for(library, call);
      TW_CHECK(cudaStreamSynchronize(nullptr));  // the device has captured streams
      const auto is_right = [&] {
        std::vector<uint16_t> got(kElements);
        TW_CHECK(cudaMemcpy(got.data(), d.get(), d.bytes(), cudaMemcpyDeviceToHost));
        return std::all_of(got.begin(), got.end(), [bits](uint16_t e) { return e == bits; });
      };
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t ready = nullptr;
      TW_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      const int status = library.gemm(call);
      TW_CHECK(cudaStreamEndCapture(stream, &graph));
      if (status != SHIPPED_GOOD) {
        wrong[t] = library.error();
        return;
      }
      TW_CHECK(cudaGraphInstantiate(&ready, graph, 0));
      for (int turn = 0; turn < 50 && wrong[t].empty(); ++turn) {
        TW_CHECK(cudaMemsetAsync(d.get(), 0xFF, d.bytes(), stream));
        if (turn % 2 == 0) {
          TW_CHECK(cudaGraphLaunch(ready, stream));
        } else if (library.gemm(call) != SHIPPED_GOOD) {
          wrong[t] = library.error();
        }
        TW_CHECK(cudaStreamSynchronize(stream));
        if (!is_right()) wrong[t] = format("turn {} is wrong", turn);
      }
      TW_CHECK(cudaGraphExecDestroy(ready));
      TW_CHECK(cudaGraphDestroy(graph));
      TW_CHECK(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK_MESSAGE(text.empty(), text);
}

// Host nanoseconds per launch, for a few launches in a row.
template <class Launch>
double host_ns(const Launch& launch) {
  constexpr int kLaunches = 200;
  TW_CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kLaunches; ++i) launch();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  TW_CHECK(cudaDeviceSynchronize());
  return spent.count() / kLaunches;
}

TEST_CASE("host time of a pinned call compared with cublasLtMatmul") {
  constexpr int kRounds = 41;
  const Problem problem{{128, 128, 128}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  const LibraryAlgorithms known = ReferenceLibrary(problem).algorithms();
  REQUIRE(!known.list.empty());
  const ShippedLibrary library =
      library_with(table_of(problem), {pin_of(known.version, known.list.front(), 0.5, 0.5)});
  const OperandSet& set = bench.operands();
  shipped_call call = call_on(library, problem, set);
  const DeviceBuffer room = room_for(library, call);
  // cuBLASLt as a program calls it: descriptors once, and an algorithm by its bits.
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t operand = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  const cublasOperation_t transposed = CUBLAS_OP_T;
  std::memcpy(&algorithm, known.list.front().bits.bytes.data(), sizeof(algorithm));
  TW_CHECK(cublasLtCreate(&handle));
  TW_CHECK(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  TW_CHECK(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                          sizeof(transposed)));
  TW_CHECK(cublasLtMatrixLayoutCreate(&operand, CUDA_R_16BF, 128, 128, 128));
  const float one = 1;
  const float zero = 0;
  const auto direct = [&] {
    TW_CHECK(cublasLtMatmul(handle, operation, &one, set.b, operand, set.a, operand, &zero, set.d,
                            operand, set.d, operand, &algorithm, room.get(), room.bytes(),
                            nullptr));
  };
  const auto gemm = library.gemm_function();
  int failed = 0;
  const auto pinned = [&] { failed |= gemm(&call); };
  host_ns(direct);
  host_ns(pinned);
  std::vector<double> directly;
  std::vector<double> through;
  for (int round = 0; round < kRounds; ++round) {
    directly.push_back(host_ns(direct));
    through.push_back(host_ns(pinned));
  }
  MESSAGE("cublasLtMatmul ", median(directly), " ns, the pinned row ", median(through), " ns");
  CHECK(failed == SHIPPED_GOOD);
  TW_CHECK(cublasLtMatrixLayoutDestroy(operand));
  TW_CHECK(cublasLtMatmulDescDestroy(operation));
  TW_CHECK(cublasLtDestroy(handle));
}

}  // namespace
}  // namespace tilewright
