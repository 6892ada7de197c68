#include "gpu/measure/neighbour.hpp"

#include <atomic>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/measure/l2_sweep.hpp"

namespace tilewright {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kStreamBytes = size_t{256} << 20;  // several times what L2 holds
constexpr size_t kNeighbourChunkBytes = size_t{tw::NeighbourArgs::kChunkVectors} * 16;

// The number of streams that the kernel reads and writes, and so of its buffers.
size_t stream_count(BesideKind kind) {
  return kind == BesideKind::Copy ? 2 : 3;
}

}  // namespace

Neighbour::Neighbour(const Beside& beside, const DeviceSpec& device, const CubinCache& cache)
    : beside_(beside),
      kernel_(build_cubin({.file = "tools/neighbour.cu", .config_header = ""}, architecture(device),
                          cache),
              "neighbour"),
      shape_{.ctas = beside.multiprocessors,
             .threads = tw::NeighbourArgs::kThreads,
             .smem_bytes = device.smem_per_cta_bytes},
      progress_(static_cast<size_t>(beside.multiprocessors) * sizeof(tw::NeighbourProgress)),
      arrived_(2 * sizeof(unsigned)) {
  kernel_.allow_smem(shape_.smem_bytes);
  const SweepKernels sweep(architecture(device), cache);
  for (size_t i = 0; i < stream_count(beside.kind); ++i) {
    buffers_[i] = DeviceBuffer(kStreamBytes);
    sweep.fill(buffers_[i].get(), kStreamBytes, static_cast<unsigned>(i));
  }
  TW_CHECK(cudaMemset(arrived_.get(), 0, arrived_.bytes()));
  TW_CHECK(cudaDeviceSynchronize());
  TW_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  void* memory = nullptr;
  TW_CHECK(cudaHostAlloc(&memory, sizeof(Words), cudaHostAllocMapped));
  words_ = new (memory) Words{};
}

Neighbour::~Neighbour() {
  abandon();
  cudaFreeHost(words_);
  cudaStreamDestroy(stream_);
}

void Neighbour::start() {
  constexpr std::chrono::seconds kPatience{5};
  const bool adds = beside_.kind == BesideKind::Collective;
  // With unified addresses the device reaches host memory at the host's address.
  tw::NeighbourArgs args{.first = buffers_[0].get(),
                         .second = adds ? buffers_[2].get() : nullptr,
                         .to = buffers_[1].get(),
                         .chunks = static_cast<int>(kStreamBytes / kNeighbourChunkBytes),
                         .turn = turn_ + 1,
                         .most_ns = kMaxNs,
                         .arrived = arrived_.as<unsigned>(),
                         .ended = arrived_.as<unsigned>() + 1,
                         .stop = &words_->stop,
                         .resident = &words_->resident,
                         .expired = &words_->expired,
                         .progress = progress_.as<tw::NeighbourProgress>()};
  void* arguments[] = {&args};
  kernel_.launch(shape_, arguments, stream_);
  ++turn_;
  const auto begin = SteadyClock::now();
  while (std::atomic_ref(words_->resident).load(std::memory_order_acquire) != turn_) {
    if (SteadyClock::now() - begin < kPatience) continue;
    abandon();
    throw environment_error(format("--beside {}: its kernel found no free multiprocessors in {} s",
                                   to_string(beside_), kPatience.count()));
  }
}

void Neighbour::stop() {
  std::atomic_ref(words_->stop).store(turn_, std::memory_order_release);
  TW_CHECK(cudaStreamSynchronize(stream_));
  if (turn_ == 0 || std::atomic_ref(words_->expired).load() != turn_) return;
  throw environment_error(
      format("--beside {}: what was timed beside its kernel did not end within {} s: it may need "
             "more multiprocessors than are free, or wait for the whole device; leave room with "
             "--sms",
             to_string(beside_), kMaxNs / 1'000'000'000));
}

void Neighbour::abandon() noexcept {
  if (words_ != nullptr) std::atomic_ref(words_->stop).store(turn_, std::memory_order_release);
  cudaStreamSynchronize(stream_);
}

std::vector<tw::NeighbourProgress> Neighbour::progress() const {
  std::vector<tw::NeighbourProgress> all(static_cast<size_t>(beside_.multiprocessors));
  copy_to_host(all.data(), progress_.get(), progress_.bytes());
  return all;
}

// Each CTA's count belongs to its own time, so no two clocks are compared.
double Neighbour::rate(const std::vector<tw::NeighbourProgress>& before,
                       const std::vector<tw::NeighbourProgress>& after) const {
  double sum = 0;
  const auto bytes = static_cast<double>(stream_count(beside_.kind) * kNeighbourChunkBytes);
  for (size_t i = 0; i < before.size(); ++i) {
    if (after[i].ns <= before[i].ns) continue;
    sum += bytes * static_cast<double>(after[i].chunks - before[i].chunks) /
           static_cast<double>(after[i].ns - before[i].ns);
  }
  return sum;
}

void NeighbourRun::end() {
  if (neighbour_ == nullptr) return;
  TW_CHECK(cudaStreamSynchronize(nullptr));
  std::exchange(neighbour_, nullptr)->stop();
}

double measure_rate(Neighbour& neighbour, const std::function<void()>& keep_busy) {
  constexpr std::chrono::milliseconds kWarmUp{10};
  constexpr std::chrono::milliseconds kMeasured{50};
  const auto keep_busy_for = [&](std::chrono::milliseconds time) {
    const auto begin = SteadyClock::now();
    do {
      throw_if_interrupted();
      keep_busy();
    } while (SteadyClock::now() - begin < time);
  };
  NeighbourRun run(&neighbour);
  keep_busy_for(kWarmUp);
  const std::vector<tw::NeighbourProgress> before = neighbour.progress();
  keep_busy_for(kMeasured);
  const std::vector<tw::NeighbourProgress> after = neighbour.progress();
  run.end();
  return neighbour.rate(before, after);
}

}  // namespace tilewright
