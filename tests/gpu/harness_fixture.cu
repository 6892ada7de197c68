// A harness on the device. Its axis `fault` chooses which of the interface's rules it breaks; 0 is
// none. A CTA has `block` x `block` threads, one for each element of D.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tilewright_harness.h>

#include <cstdint>
#include <cstdio>

namespace {

enum Fault {
  None,
  Wrong,
  ByteOutside,
  Workspace,
  Remembered,
  OtherStream,
  Waits,
  Leaks,
  Resets,
  Faults,
  Hangs,
  Refuses,
  WritesA,
  StaleD
};

struct State {
  int m, n, k;
  int block;
  int fault;
  int runs;
  cudaStream_t other;
  __nv_bfloat16* remembered;
};

__global__ void multiply(State s, const __nv_bfloat16* a, const __nv_bfloat16* b,
                         __nv_bfloat16* d) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= s.m || column >= s.n) return;
  float sum = 0;
  for (int k = 0; k < s.k; ++k) {
    sum += __bfloat162float(a[row * s.k + k]) * __bfloat162float(b[column * s.k + k]);
  }
  if (s.fault == Wrong && row == 3 && column == 5) sum += 1000;
  d[row * s.n + column] = __float2bfloat16(sum);
}

__global__ void put(unsigned char* place) {
  *place ^= 1;
}

__global__ void hang(volatile int* never) {
  while (*never == 0) {
  }
}

void misbehave(State& s, const TilewrightHarnessOperands& o, cudaStream_t stream) {
  auto* const d = static_cast<unsigned char*>(o.d[0]);
  void* memory = nullptr;
  switch (s.fault) {
    case ByteOutside: put<<<1, 1, 0, stream>>>(d + 2L * s.m * s.n); break;
    case Workspace: put<<<1, 1, 0, stream>>>(static_cast<unsigned char*>(o.workspace) + 64); break;
    case WritesA:
      put<<<1, 1, 0, stream>>>(static_cast<unsigned char*>(const_cast<void*>(o.a[0])) + 14);
      break;
    case Waits: cudaStreamSynchronize(stream); break;
    case Leaks: cudaMalloc(&memory, 8 << 20); break;
    case Resets: cudaDeviceReset(); break;
    case Faults: put<<<1, 1, 0, stream>>>(nullptr); break;
    case Hangs: hang<<<1, 1, 0, stream>>>(static_cast<int*>(o.workspace)); break;
    default: break;
  }
}

int fail(TilewrightHarnessMessage* message, const char* text) {
  std::snprintf(message->text, sizeof(message->text), "%s", text);
  return 1;
}

}  // namespace

extern "C" {

int tilewright_harness_describe(TilewrightHarnessDescription* description,
                                TilewrightHarnessMessage*) {
  description->abi_version = TILEWRIGHT_HARNESS_ABI;
  description->json = R"({
    "name": "device_fixture", "memory": "cuda", "op": ["gemm"], "dtype": ["bf16"],
    "axes": {"fault": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], "block": [16, 8]}})";
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem* problem, TilewrightHarnessPlan* plan,
                               TilewrightHarnessMessage*) {
  auto* const state = new State{};
  state->m = static_cast<int>(problem->m[0]);
  state->n = static_cast<int>(problem->n[0]);
  state->k = static_cast<int>(problem->k[0]);
  state->fault = static_cast<int>(problem->values[0].value);
  state->block = static_cast<int>(problem->values[1].value);
  if (state->fault == OtherStream) {
    cudaStreamCreateWithFlags(&state->other, cudaStreamNonBlocking);
  }
  if (state->fault == Remembered) {
    cudaMalloc(reinterpret_cast<void**>(&state->remembered),
               sizeof(__nv_bfloat16) * state->m * state->n);
  }
  plan->state = state;
  plan->workspace_bytes = 64;
  plan->workspace_init = TILEWRIGHT_HARNESS_INIT_ZERO_EACH;
  return 0;
}

int tilewright_harness_run(void* opaque, const TilewrightHarnessOperands* operands, void* given,
                           TilewrightHarnessMessage* message) {
  State& s = *static_cast<State*>(opaque);
  if (s.fault == Refuses) return fail(message, "the grid has no CTAs");
  if (s.fault == StaleD) {
    put<<<1, 1, 0, static_cast<cudaStream_t>(given)>>>(
        static_cast<unsigned char*>(operands->workspace));
    return 0;
  }
  auto* const stream = s.fault == OtherStream ? s.other : static_cast<cudaStream_t>(given);
  auto* const d = static_cast<__nv_bfloat16*>(operands->d[0]);
  const size_t bytes = sizeof(__nv_bfloat16) * s.m * s.n;
  const dim3 block(s.block, s.block);
  const dim3 grid((s.n + s.block - 1) / s.block, (s.m + s.block - 1) / s.block);
  if (s.fault == Remembered && s.runs++ > 0) {
    cudaMemcpyAsync(d, s.remembered, bytes, cudaMemcpyDeviceToDevice, stream);
    return 0;
  }
  multiply<<<grid, block, 0, stream>>>(s, static_cast<const __nv_bfloat16*>(operands->a[0]),
                                       static_cast<const __nv_bfloat16*>(operands->b[0]), d);
  if (s.fault == Remembered) {
    cudaMemcpyAsync(s.remembered, d, bytes, cudaMemcpyDeviceToDevice, stream);
  }
  misbehave(s, *operands, stream);
  if (s.fault == Resets) return 0;
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? 0 : fail(message, cudaGetErrorString(status));
}

void tilewright_harness_release(void* opaque) {
  auto* const state = static_cast<State*>(opaque);
  if (state != nullptr && state->remembered != nullptr) cudaFree(state->remembered);
  delete state;
}

}  // extern "C"
