#include "gpu/measure/energy.hpp"

#include <chrono>
#include <optional>

#include "base/interruption.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Launches in a graph, so that the host keeps the device busy whatever their length.
class LaunchLoop {
 public:
  explicit LaunchLoop(const std::function<void(cudaStream_t)>& launch) {
    TW_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : ends_) {
      TW_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    launch(stream_);  // loads the kernel before the capture
    TW_CHECK(cudaStreamSynchronize(stream_));
    const Clock::time_point begin = Clock::now();
    launch(stream_);
    TW_CHECK(cudaStreamSynchronize(stream_));
    constexpr double kGraphSeconds = 2e-3;
    while (length_ < kMaxLaunches && length_ * seconds_since(begin) < kGraphSeconds) length_ *= 2;
    cudaGraph_t graph = nullptr;
    TW_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < length_; ++i) launch(stream_);
    TW_CHECK(cudaStreamEndCapture(stream_, &graph));
    TW_CHECK(cudaGraphInstantiate(&loop_, graph, 0));
    TW_CHECK(cudaGraphDestroy(graph));
  }
  LaunchLoop(const LaunchLoop&) = delete;
  LaunchLoop& operator=(const LaunchLoop&) = delete;
  ~LaunchLoop() {
    cudaStreamSynchronize(stream_);
    if (loop_ != nullptr) cudaGraphExecDestroy(loop_);
    for (cudaEvent_t event : ends_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }

  // Enqueues one more graph, as soon as at most one is still running.
  void advance() {
    cudaEvent_t& end = ends_[graphs_ % 2];
    TW_CHECK(cudaEventSynchronize(end));
    TW_CHECK(cudaGraphLaunch(loop_, stream_));
    TW_CHECK(cudaEventRecord(end, stream_));
    ++graphs_;
  }

  // Launches enqueued so far.
  double launches() const { return static_cast<double>(graphs_) * length_; }

 private:
  static constexpr int kMaxLaunches = 64;

  cudaStream_t stream_ = nullptr;
  cudaEvent_t ends_[2] = {};
  cudaGraphExec_t loop_ = nullptr;
  int length_ = 4;
  int64_t graphs_ = 0;
};

// A step of the energy counter.
struct Step {
  double joules = 0;
  Clock::time_point at;
  double launches = 0;
};

std::optional<Step> next_step(const GpuMonitor& monitor, LaunchLoop& loop) {
  constexpr double kPatience = 2;
  const std::optional<double> before = monitor.joules();
  const Clock::time_point begin = Clock::now();
  while (before && seconds_since(begin) < kPatience) {
    throw_if_interrupted();
    loop.advance();
    const std::optional<double> now = monitor.joules();
    if (now && *now != *before) return Step{*now, Clock::now(), loop.launches()};
  }
  return std::nullopt;
}

}  // namespace

EnergyReading measure_energy(const GpuMonitor& monitor, double seconds,
                             const std::function<void(cudaStream_t)>& launch) {
  constexpr double kWarmUp = 0.2;
  const std::string none = "the device's energy counter cannot be read, or does not advance";
  if (!monitor.joules()) return {.why_not = none};
  LaunchLoop loop(launch);
  for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < kWarmUp;) {
    loop.advance();
  }
  const std::optional<Step> first = next_step(monitor, loop);
  if (!first) return {.why_not = none};
  while (seconds_since(first->at) < seconds) {
    throw_if_interrupted();
    loop.advance();
  }
  const std::optional<Step> last = next_step(monitor, loop);
  if (!last) return {.why_not = none};
  const double launches = last->launches - first->launches;
  const double elapsed = std::chrono::duration<double>(last->at - first->at).count();
  return {.energy = Energy{.joules = (last->joules - first->joules) / launches,
                           .us = 1e6 * elapsed / launches}};
}

}  // namespace tilewright
