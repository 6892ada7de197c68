#include "gpu/measure/launch_loop.hpp"

#include <chrono>

#include "gpu/launch/check.hpp"

namespace tilewright {

LaunchLoop::LaunchLoop(const std::function<void(cudaStream_t)>& launch, bool in_graph)
    : launch_(launch) {
  constexpr int kMaxLaunches = 64;
  constexpr double kTurnSeconds = 2e-3;
  TW_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  for (cudaEvent_t& event : ends_) {
    TW_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  launch_(stream_);  // loads the kernel before the capture
  TW_CHECK(cudaStreamSynchronize(stream_));
  const auto begin = std::chrono::steady_clock::now();
  launch_(stream_);
  TW_CHECK(cudaStreamSynchronize(stream_));
  const std::chrono::duration<double> one = std::chrono::steady_clock::now() - begin;
  while (length_ < kMaxLaunches && length_ * one.count() < kTurnSeconds) length_ *= 2;
  if (in_graph) capture();
}

void LaunchLoop::capture() {
  cudaGraph_t graph = nullptr;
  TW_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < length_; ++i) launch_(stream_);
  TW_CHECK(cudaStreamEndCapture(stream_, &graph));
  TW_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
  TW_CHECK(cudaGraphDestroy(graph));
  // So that the first turn allocates nothing on the device.
  TW_CHECK(cudaGraphUpload(graph_, stream_));
  TW_CHECK(cudaStreamSynchronize(stream_));
}

LaunchLoop::~LaunchLoop() {
  cudaStreamSynchronize(stream_);
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  for (cudaEvent_t event : ends_) cudaEventDestroy(event);
  cudaStreamDestroy(stream_);
}

void LaunchLoop::advance() {
  cudaEvent_t& end = ends_[turns_ % 2];
  TW_CHECK(cudaEventSynchronize(end));
  if (graph_ != nullptr) {
    TW_CHECK(cudaGraphLaunch(graph_, stream_));
  } else {
    for (int i = 0; i < length_; ++i) launch_(stream_);
  }
  TW_CHECK(cudaEventRecord(end, stream_));
  ++turns_;
}

}  // namespace tilewright
