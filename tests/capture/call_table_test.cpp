#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "capture/call_table_file.hpp"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#endif

namespace tilewright {
namespace {

constexpr int64_t kSizes = 300;
constexpr int kRounds = 40;

// Counts each of kSizes calls kRounds times.
void count_all(CallTable& table) {
  for (int round = 0; round < kRounds; ++round) {
    for (int64_t k = 1; k <= kSizes; ++k) count_call(table, {.m = 8, .n = 16, .k = k});
  }
}

std::map<int64_t, uint64_t> counts_of(const CallTable& table) {
  std::map<int64_t, uint64_t> counts;
  for (const CallSlot& slot : table.slots) {
    if (slot.state.load() == SlotState::Ready) counts[slot.call.k] += slot.count.load();
  }
  return counts;
}

TEST_CASE("threads and processes together lose no call") {
  CallTableFile file;
  constexpr int kProcesses = 4;
  constexpr int kThreads = 3;
  for (int process = 0; process < kProcesses; ++process) {
    if (fork() != 0) continue;
    count_all(file.table());
    _exit(0);
  }
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { count_all(file.table()); });
  for (std::thread& thread : threads) thread.join();
  while (wait(nullptr) > 0) {
  }
  const auto counts = counts_of(file.table());
  CHECK(counts.size() == kSizes);
  for (const auto& [k, count] : counts) CHECK(count == kRounds * (kProcesses + kThreads));
  CHECK(file.table().overflow_count.load() == 0);
}

TEST_CASE("a slot that a process left half written is passed by") {
  CallTableFile file;
  CallTable& table = file.table();
  const BlasCall call{.m = 1, .n = 2, .k = 3};
  table.slots[hash_of(call) % kMaxDistinctCalls].state = SlotState::Claimed;
  count_call(table, call);
  count_call(table, call);
  CHECK(counts_of(table) == std::map<int64_t, uint64_t>{{3, 2}});
}

TEST_CASE("the file goes with the table") {
  std::string path;
  {
    const CallTableFile file;
    path = file.path();
    CHECK(std::filesystem::file_size(path) == sizeof(CallTable));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

#if __has_include(<cublasLt.h>)
TEST_CASE("the numbers are the CUDA Toolkit's") {
  CHECK(blas::kF32 == CUDA_R_32F);
  CHECK(blas::kF64 == CUDA_R_64F);
  CHECK(blas::kF16 == CUDA_R_16F);
  CHECK(blas::kS8 == CUDA_R_8I);
  CHECK(blas::kBF16 == CUDA_R_16BF);
  CHECK(blas::kE4M3 == CUDA_R_8F_E4M3);
  CHECK(blas::kE5M2 == CUDA_R_8F_E5M2);
  CHECK(blas::kComplexF32 == CUDA_C_32F);
  CHECK(blas::kComplexF64 == CUDA_C_64F);
  CHECK(blas::kPlain == CUBLAS_OP_N);
  CHECK(blas::kTransposed == CUBLAS_OP_T);
  CHECK(blas::kConjugated == CUBLAS_OP_C);
  CHECK(blas::kByColumns == CUBLASLT_ORDER_COL);
  CHECK(blas::kByRows == CUBLASLT_ORDER_ROW);
  CHECK(blas::kSumsF16 == CUBLAS_COMPUTE_16F);
  CHECK(blas::kSumsF16Pedantic == CUBLAS_COMPUTE_16F_PEDANTIC);
  CHECK(blas::kSumsF32 == CUBLAS_COMPUTE_32F);
  CHECK(blas::kSumsF64 == CUBLAS_COMPUTE_64F);
  CHECK(blas::kNoEpilogue == CUBLASLT_EPILOGUE_DEFAULT);
  CHECK(blas::kRelu == CUBLASLT_EPILOGUE_RELU);
  CHECK(blas::kBias == CUBLASLT_EPILOGUE_BIAS);
  CHECK(blas::kGelu == CUBLASLT_EPILOGUE_GELU);
  CHECK(blas::kScaleOfTensor == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F);
  CHECK(blas::kScaleOfLines == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
  CHECK(blas::kScaleOf128 == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
  CHECK(blas::kScaleOf128x128 == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
}
#endif

}  // namespace
}  // namespace tilewright
