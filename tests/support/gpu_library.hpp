// Launches the kernels of a shipped library, with a workspace for each call.
#pragma once

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/compiled_programs.hpp"
#include "support/gpu_bench.hpp"
#include "support/shipped_library.hpp"

namespace tilewright::testing {

/// Launches with a workspace full of one bits; the caller keeps the buffer until the launch has
/// finished.
inline int launched(const ShippedLibrary& library, shipped_call call, DeviceBuffer& workspace) {
  uint64_t bytes = 0;
  uint64_t alignment = 0;
  const int status = library.workspace(call, bytes, alignment);
  if (status != SHIPPED_GOOD) return status;
  if (bytes > workspace.bytes()) workspace = DeviceBuffer(bytes);
  if (bytes > 0) TW_CHECK(cudaMemset(workspace.get(), 0xFF, bytes));
  call.workspace = workspace.get();
  call.workspace_bytes = bytes;
  return library.launch(call);
}

/// The workload's call on a set of operands; `rows` holds the arrays to which it points.
inline shipped_call call_on(const ShippedLibrary& library, const Workload& workload,
                            const OperandSet& set, std::vector<int64_t>& rows) {
  shipped_call call = call_of(library, workload, rows);
  call.a = set.a;
  call.b = set.b;
  call.c = set.c;
  call.d = set.d;
  call.offsets = set.offsets;
  call.bias = set.bias;
  call.scale_a = set.scale_a;
  call.scale_b = set.scale_b;
  call.scaling = reinterpret_cast<shipped_output_scaling*>(set.scaling);
  return call;
}

/// A call that is captured once in a graph, with its own stream and workspace.
class CapturedCall {
 public:
  CapturedCall(const ShippedLibrary& library, shipped_call call) {
    uint64_t bytes = 0;
    uint64_t alignment = 0;
    REQUIRE_MESSAGE(library.workspace(call, bytes, alignment) == SHIPPED_GOOD, library.error());
    workspace_ = DeviceBuffer(bytes + 1);
    call.workspace = workspace_.get();
    call.workspace_bytes = bytes;
    TW_CHECK(cudaStreamCreate(&stream_));
    call.stream = stream_;
    TW_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    const int status = library.launch(call);
    TW_CHECK(cudaStreamEndCapture(stream_, &graph_));
    REQUIRE_MESSAGE(status == SHIPPED_GOOD, library.error());
    TW_CHECK(cudaGraphInstantiate(&ready_, graph_, 0));
  }
  CapturedCall(const CapturedCall&) = delete;
  CapturedCall& operator=(const CapturedCall&) = delete;
  ~CapturedCall() {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  /// Replays the call after all other work, with a workspace full of `byte`; waits for its end.
  void replay(int byte) const {
    TW_CHECK(cudaMemset(workspace_.get(), byte, workspace_.bytes()));
    TW_CHECK(cudaDeviceSynchronize());
    TW_CHECK(cudaGraphLaunch(ready_, stream_));
    TW_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  DeviceBuffer workspace_;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace tilewright::testing
