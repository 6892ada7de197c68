// A shipped library through its C interface, against float64: rows of the published files, sizes,
// pitches and addresses of any kind, captured launches, threads.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "answer/shipped_choice.hpp"
#include "support/gpu_library.hpp"
#include "support/host_matrix.hpp"

namespace tilewright {
namespace {

using testing::call_on;
using testing::CapturedCall;
using testing::compiled;
using testing::HostMatrix;
using testing::launched;
using testing::ShippedLibrary;
using testing::value_of;

// One library for all cases, because its kernels take a while to compile.
ShippedLibrary& shipped() {
  static ShippedLibrary library(testing::shipped_table(), "shipped_test", testing::compiled);
  return library;
}

TEST_CASE("every published row gives the same bits through the C interface as in bench") {
  constexpr uint64_t kSeed = 5;
  const AnswerTable& table = testing::shipped_table();
  ShippedLibrary& library = shipped();
  REQUIRE(library.prepare(0) == SHIPPED_GOOD);
  KernelStore kernels(architecture(testing::h200()), testing::test_cache());
  DeviceBuffer workspace;
  int rows_checked = 0;
  for (const AnswerRow& row : table.rows) {
    const Workload& workload = row.problem;
    if (has_per_problem_shapes(workload)) continue;
    INFO(full_text(workload), " ", to_string(row.choice));
    const DeviceKernels device(workload.kind.dtype, output_type(workload.kind),
                               architecture(testing::h200()), testing::test_cache());
    Operands operands(workload, 0, kSeed, device);
    const OperandSet& set = operands.set(0);
    WorkloadVerifier verifier(workload, set, kSeed, device);
    std::vector<int64_t> rows;
    const shipped_call call = call_on(library, workload, set, rows);
    CHECK(library.why(call).find(to_string(row.choice)) != std::string::npos);
    verifier.poison();
    REQUIRE_MESSAGE(launched(library, call, workspace) == SHIPPED_GOOD, library.error());
    TW_CHECK(cudaDeviceSynchronize());
    const Plan plan = make_plan(workload, row.choice, testing::h200());
    const Verification verdict = verifier.check(workload.kind.epilogue, output_roundings(plan));
    CHECK_MESSAGE(verdict.ok, verdict.detail);
    ++rows_checked;
    if (determinism_of(row.choice.decomposition) != "bitwise") continue;
    const DeviceBuffer sums(2 * sizeof(unsigned long long));
    TW_CHECK(cudaMemset(sums.get(), 0, sums.bytes()));
    const int64_t elements = byte_offsets(workload).back().d / bytes_of(workload.kind.dtype);
    device.checksum(set.d, elements, sums.as<unsigned long long>());
    verifier.poison();
    kernels.launch(kernels.load(plan), {.operands = set});
    device.checksum(set.d, elements, sums.as<unsigned long long>() + 1);
    unsigned long long both[2] = {};
    copy_to_host(both, sums.get(), sizeof(both));
    CHECK(both[0] == both[1]);
  }
  MESSAGE("checked ", rows_checked, " rows");
  CHECK(rows_checked > 70);
}

// Computes D = alpha A B + beta C on the host. Returns the largest difference as a share of what
// rounding allows.
double worst_difference(HostMatrix& a, HostMatrix& b, HostMatrix& c, HostMatrix& d,
                        MatrixLayout layout, double alpha, double beta,
                        const std::vector<uint16_t>& got) {
  const int64_t k = is_k_major_a(layout) ? a.columns : a.rows;
  double worst = 0;
  for (int64_t i = 0; i < d.rows; ++i) {
    for (int64_t j = 0; j < d.columns; ++j) {
      double sum = 0;
      double magnitude = 0;
      for (int64_t x = 0; x < k; ++x) {
        const double product = value_of(is_k_major_a(layout) ? a.at(i, x) : a.at(x, i)) *
                               value_of(is_k_major_b(layout) ? b.at(j, x) : b.at(x, j));
        sum += product;
        magnitude += std::abs(product);
      }
      const double want = alpha * sum + (beta != 0 ? beta * value_of(c.at(i, j)) : 0);
      const double is = value_of(got[static_cast<size_t>(d.before + i * d.pitch + j)]);
      const double allowed = std::abs(want) / 128 + std::abs(alpha) * magnitude * 1e-4 + 1e-6;
      worst = std::isnan(is) ? 1e30 : std::max(worst, std::abs(is - want) / allowed);
    }
  }
  return worst;
}

TEST_CASE("products of any sizes, pitches and addresses are right and write nothing else") {
  constexpr int kTrials = 400;
  ShippedLibrary& library = shipped();
  std::mt19937_64 random(11);
  const auto below = [&random](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  DeviceBuffer workspace;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto layout = static_cast<MatrixLayout>(below(4));
    const int64_t m = 1 + below(trial % 3 == 0 ? 20 : 200);
    const int64_t n = 1 + below(200);
    const int64_t k = 1 + below(trial % 5 == 0 ? 700 : 150);
    const bool along_a = is_k_major_a(layout);
    const bool along_b = is_k_major_b(layout);
    HostMatrix a(along_a ? m : k, along_a ? k : m, below(9), below(8), random);
    HostMatrix b(along_b ? n : k, along_b ? k : n, below(9), below(8), random);
    HostMatrix c(m, n, below(9), below(8), random);
    HostMatrix d(m, n, below(9), below(8), random);
    shipped_call call = library.default_call();
    call.type = call.out_type = SHIPPED_BF16;
    call.layout = static_cast<int32_t>(layout);
    call.m = m;
    call.n = n;
    call.k = k;
    call.lda = a.pitch;
    call.ldb = b.pitch;
    call.ldc = c.pitch;
    call.ldd = d.pitch;
    call.a = a.data();
    call.b = b.data();
    call.c = c.data();
    call.d = d.data();
    call.alpha = trial % 4 == 1 ? 0.5F : 1;
    call.beta = trial % 4 == 2 ? -1.5F : 0;
    INFO(m, "x", n, "x", k, " ", to_string(layout), " ld ", a.pitch, " ", b.pitch, " ", c.pitch,
         " ", d.pitch, " alpha ", call.alpha, " beta ", call.beta, " ", library.why(call));
    REQUIRE_MESSAGE(launched(library, call, workspace) == SHIPPED_GOOD, library.error());
    std::vector<uint16_t> got(d.elements.size());
    copy_to_host(got.data(), d.buffer.get(), d.buffer.bytes());
    CHECK(worst_difference(a, b, c, d, layout, call.alpha, call.beta, got) < 1);
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t column = 0; column < n; ++column) {
        got[static_cast<size_t>(d.before + row * d.pitch + column)] = HostMatrix::kCanary;
      }
    }
    CHECK(std::all_of(got.begin(), got.end(),
                      [](uint16_t bits) { return bits == HostMatrix::kCanary; }));
  }
}

TEST_CASE("a captured launch reads new operands when replayed, whatever was freed") {
  constexpr uint64_t kSeed = 9;
  ShippedLibrary& library = shipped();
  const AnswerTable table = testing::published_table({"dense", "grouped"});
  std::vector<Workload> workloads = {workload_of(Problem{{256, 256, 4096}, {DataType::BF16}}),
                                     workload_of(Problem{{1000, 1001, 1003}, {DataType::BF16}})};
  for (const AnswerRow& row : table.rows) {
    if (is_group(row.problem) && !has_per_problem_shapes(row.problem))
      workloads.push_back(row.problem);
  }
  for (const Workload& workload : workloads) {
    INFO(full_text(workload));
    const DeviceKernels device(workload.kind.dtype, output_type(workload.kind),
                               architecture(testing::h200()), testing::test_cache());
    Operands operands(workload, 0, kSeed, device);
    const OperandSet& set = operands.set(0);
    std::vector<int64_t> rows;
    shipped_call call = call_on(library, workload, set, rows);
    const CapturedCall captured(library, call);
    rows.assign(rows.size(), -1);
    for (int replay = 0; replay < 5; ++replay) {
      const int64_t elements = byte_offsets(workload).back().a / bytes_of(workload.kind.dtype);
      device.fill_operand(const_cast<void*>(set.a), elements,
                          kSeed + 100 + static_cast<uint64_t>(replay));
      WorkloadVerifier verifier(workload, set, kSeed, device);
      verifier.poison();
      captured.replay(0x11 * replay + 0x80);
      const Verification verdict = verifier.check(workload.kind.epilogue, 1);
      CHECK_MESSAGE(verdict.ok, verdict.detail);
    }
  }
}

// The m x n result of launches that each multiply the output of the previous one. `rests`: the GPU
// is idle between them.
std::vector<uint16_t> chained(const ShippedLibrary& library, int64_t m, int64_t n, bool rests) {
  constexpr int kLaunches = 60;
  std::mt19937_64 random(static_cast<uint64_t>(m * 10000 + n));
  const HostMatrix weights(n, n, 0, 0, random);
  const HostMatrix even(m, n, 0, 0, random);
  const HostMatrix odd(m, n, 0, 0, random);
  shipped_call call = library.default_call();
  call.m = m;
  call.n = call.k = n;
  call.b = weights.data();
  call.alpha = 1 / std::sqrt(static_cast<float>(n));
  call.beta = 0.5F;
  call.a = even.data();
  call.c = even.data();
  call.d = odd.data();
  uint64_t bytes = 0;
  uint64_t alignment = 0;
  REQUIRE_MESSAGE(library.workspace(call, bytes, alignment) == SHIPPED_GOOD, library.error());
  const DeviceBuffer workspace(bytes + 1);
  call.workspace = workspace.get();
  call.workspace_bytes = bytes;
  for (int i = 0; i < kLaunches; ++i) {
    call.a = call.c = (i % 2 == 0 ? even : odd).data();
    call.d = (i % 2 == 0 ? odd : even).data();
    REQUIRE_MESSAGE(library.launch(call) == SHIPPED_GOOD, library.error());
    if (rests) TW_CHECK(cudaDeviceSynchronize());
  }
  std::vector<uint16_t> left(static_cast<size_t>(m * n));
  copy_to_host(left.data(), even.data(), left.size() * sizeof(left.front()));
  return left;
}

TEST_CASE("consecutive launches read the previous output and overwrite its operands") {
  const ShippedLibrary& library = shipped();
  int compared = 0;
  for (const int64_t n : {16, 64, 136, 256, 512, 1000, 2048, 4096}) {
    for (const int64_t m : {8, 24, 72, 200, 520}) {
      Workload product = workload_of({{m, n, n}});
      product.kind.epilogue.beta = 1;
      const auto among = choose_shipped(testing::shipped_table(), product);
      REQUIRE(among);
      if (determinism_of(among->config.decomposition) != "bitwise") continue;
      INFO(to_string(product), " ", to_string(among->config));
      CHECK(chained(library, m, n, false) == chained(library, m, n, true));
      ++compared;
    }
  }
  CHECK(compared > 30);
}

TEST_CASE("ten threads call one library, each on a stream of its own") {
  constexpr int kThreads = 10;
  ShippedLibrary& library = shipped();
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&library, &wrong, t] {
      std::mt19937_64 random(static_cast<uint64_t>(t) + 1);
      cudaStream_t stream = nullptr;
      cudaStreamCreate(&stream);
      for (int i = 0; i < 20; ++i) {
        const int64_t m = 8 + 8 * ((t * 20 + i) % 13);
        HostMatrix a(m, 96, 0, 0, random);
        HostMatrix b(64, 96, 0, 0, random);
        HostMatrix d(m, 64, 0, 0, random);
        shipped_call call = library.default_call();
        call.m = m;
        call.n = 64;
        call.k = 96;
        call.a = a.data();
        call.b = b.data();
        call.d = d.data();
        call.stream = stream;
        DeviceBuffer workspace;
        uint64_t bytes = 0;
        uint64_t alignment = 0;
        if (library.workspace(call, bytes, alignment) != SHIPPED_GOOD) wrong[t] = library.error();
        if (bytes > 0) workspace = DeviceBuffer(bytes);
        call.workspace = workspace.get();
        call.workspace_bytes = bytes;
        if (library.gemm(call) != SHIPPED_GOOD) wrong[t] = library.error();
        cudaStreamSynchronize(stream);
        std::vector<uint16_t> got(d.elements.size());
        copy_to_host(got.data(), d.buffer.get(), d.buffer.bytes());
        if (worst_difference(a, b, d, d, MatrixLayout::TN, 1, 0, got) >= 1) wrong[t] = "wrong";
      }
      cudaStreamDestroy(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK(text.empty());
}

}  // namespace
}  // namespace tilewright
