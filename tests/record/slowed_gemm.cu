// A bf16 product by cuBLASLt, with a kernel behind it that waits `spin` clock cycles: a harness
// with a slowdown of known length, which a gate is to find.
//
//   nvcc -std=c++17 -O2 -arch=sm_90 -shared -Xcompiler -fPIC -I presets/harness -lcublasLt
//     -o slowed_gemm.so tests/record/slowed_gemm.cu      -DEXTRA_SPIN=N: N more cycles
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <tilewright_harness.h>

#include <cstdint>
#include <cstdio>
#include <new>

#ifndef EXTRA_SPIN
#define EXTRA_SPIN 0
#endif

namespace {

constexpr int64_t kWorkspaceBytes = 32 << 20;

__global__ void wait_cycles(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

struct State {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t d = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  float alpha = 1;
  long long spin = 0;
};

void destroy(State* state) {
  if (state == nullptr) return;
  if (state->d != nullptr) cublasLtMatrixLayoutDestroy(state->d);
  if (state->b != nullptr) cublasLtMatrixLayoutDestroy(state->b);
  if (state->a != nullptr) cublasLtMatrixLayoutDestroy(state->a);
  if (state->operation != nullptr) cublasLtMatmulDescDestroy(state->operation);
  if (state->handle != nullptr) cublasLtDestroy(state->handle);
  delete state;
}

int fail(TilewrightHarnessMessage* message, const char* what, int status) {
  std::snprintf(message->text, sizeof(message->text), "%s: status %d", what, status);
  return 1;
}

// The library counts columns first: D with n contiguous is its n x m matrix, B^T A^T.
int describe_product(const TilewrightHarnessProblem& p, State& s) {
  const cublasOperation_t transposed = CUBLAS_OP_T;
  const auto m = static_cast<uint64_t>(p.m[0]);
  const auto n = static_cast<uint64_t>(p.n[0]);
  const auto k = static_cast<uint64_t>(p.k[0]);
  int status = cublasLtCreate(&s.handle);
  if (status == 0) {
    status = cublasLtMatmulDescCreate(&s.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  }
  if (status == 0) {
    status = cublasLtMatmulDescSetAttribute(s.operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                            sizeof(transposed));
  }
  if (status == 0) status = cublasLtMatrixLayoutCreate(&s.b, CUDA_R_16BF, k, n, p.ldb[0]);
  if (status == 0) status = cublasLtMatrixLayoutCreate(&s.a, CUDA_R_16BF, k, m, p.lda[0]);
  if (status == 0) status = cublasLtMatrixLayoutCreate(&s.d, CUDA_R_16BF, n, m, p.ldd[0]);
  return status;
}

int choose_algorithm(State& s) {
  cublasLtMatmulPreference_t preference = nullptr;
  int status = cublasLtMatmulPreferenceCreate(&preference);
  if (status != 0) return status;
  const auto bytes = static_cast<uint64_t>(kWorkspaceBytes);
  status = cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes));
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  if (status == 0) {
    status = cublasLtMatmulAlgoGetHeuristic(s.handle, s.operation, s.b, s.a, s.d, s.d, preference,
                                            1, &found, &count);
  }
  cublasLtMatmulPreferenceDestroy(preference);
  if (status == 0 && count == 0) status = CUBLAS_STATUS_NOT_SUPPORTED;
  s.algorithm = found.algo;
  return status;
}

}  // namespace

extern "C" {

int tilewright_harness_describe(TilewrightHarnessDescription* description,
                                TilewrightHarnessMessage*) {
  description->abi_version = TILEWRIGHT_HARNESS_ABI;
  description->json = R"({"name": "slowed_gemm", "memory": "cuda", "op": ["gemm"],
    "dtype": ["bf16"], "epilogue": ["alpha"], "axes": {"spin": [0]},
    "constraints": ["k % 8 == 0", "n % 8 == 0"]})";
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem* problem, TilewrightHarnessPlan* plan,
                               TilewrightHarnessMessage* message) {
  State* const state = new (std::nothrow) State;
  if (state == nullptr) return fail(message, "no host memory", 0);
  state->alpha = problem->alpha;
  state->spin = EXTRA_SPIN + (problem->value_count > 0 ? problem->values[0].value : 0);
  int status = describe_product(*problem, *state);
  if (status == 0) status = choose_algorithm(*state);
  if (status != 0) {
    destroy(state);
    return fail(message, "cuBLASLt", status);
  }
  plan->state = state;
  plan->workspace_bytes = kWorkspaceBytes;
  return 0;
}

int tilewright_harness_run(void* opaque, const TilewrightHarnessOperands* operands, void* stream,
                           TilewrightHarnessMessage* message) {
  const State& s = *static_cast<const State*>(opaque);
  const auto on = static_cast<cudaStream_t>(stream);
  const float zero = 0;
  const int status = cublasLtMatmul(s.handle, s.operation, &s.alpha, operands->b[0], s.b,
                                    operands->a[0], s.a, &zero, operands->d[0], s.d, operands->d[0],
                                    s.d, &s.algorithm, operands->workspace, kWorkspaceBytes, on);
  if (status != 0) return fail(message, "cuBLASLt", status);
  wait_cycles<<<1, 1, 0, on>>>(s.spin);
  const cudaError_t launched = cudaGetLastError();
  return launched == cudaSuccess ? 0 : fail(message, cudaGetErrorString(launched), launched);
}

void tilewright_harness_release(void* opaque) {
  destroy(static_cast<State*>(opaque));
}

}  // extern "C"
