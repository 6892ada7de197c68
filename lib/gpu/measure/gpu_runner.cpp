#include "gpu/measure/gpu_runner.hpp"

#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gate/link_prober.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/measure/cuda_runner.hpp"
#include "gpu/measure/peer_runner.hpp"

namespace tilewright {
namespace {

class GpuRunner : public Runner {
 public:
  GpuRunner(int index, const DeviceSpec& spec, const CubinCache& cache, uint64_t seed,
            Regime regime, OpenHarnessFile open_manifest, std::optional<Beside> beside)
      : index_(index),
        spec_(spec),
        cache_(cache),
        seed_(seed),
        regime_(regime),
        open_manifest_(std::move(open_manifest)),
        beside_(beside) {}

  const DeviceSpec& device() const override { return spec_; }

  void prepare(const Workload& workload) override {
    if (!runner_ || gpus_ != workload.parallel.gpus) {
      runner_.reset();  // only one may record activity
      gpus_ = workload.parallel.gpus;
      runner_ = is_across_gpus(workload) ? of_peers() : of_one();
    }
    runner_->prepare(workload);
  }

  MeasuringMethod method() const override {
    return runner_ ? runner_->method() : MeasuringMethod{};
  }
  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    return current().build(configs);
  }
  HarnessText describe(const std::string& file) override { return current().describe(file); }
  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override {
    return current().build_foreign(contenders);
  }
  ForeignMapping mapping_of(const Contender& contender) override {
    return current().mapping_of(contender);
  }
  std::vector<Contender> reference_contenders() override {
    return current().reference_contenders();
  }
  LibraryAlgorithms library_algorithms() override { return current().library_algorithms(); }
  Verification verify(const Contender& contender) override { return current().verify(contender); }
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    return current().time_round(contenders);
  }
  Verification verify_in_round(std::span<const Contender> contenders) override {
    return current().verify_in_round(contenders);
  }
  EnergyReading measure_energy(const Contender& contender, double seconds) override {
    return current().measure_energy(contender, seconds);
  }
  NeighbourRates measure_neighbour(std::span<const Contender> contenders) override {
    return current().measure_neighbour(contenders);
  }
  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    return current().count(contenders);
  }
  KernelTrace trace(const Contender& contender) override { return current().trace(contender); }
  bool is_usable() override { return current().is_usable(); }
  std::string timer_check() override { return current().timer_check(); }

 private:
  std::unique_ptr<Runner> of_one() const {
    return make_cuda_runner(index_, spec_, cache_, seed_, regime_, open_manifest_, beside_);
  }

  std::unique_ptr<Runner> of_peers() const {
    if (regime_ != Regime::Rotate) {
      throw usage_error("launches across GPUs are timed with --regime rotate only: omit it");
    }
    if (beside_) throw usage_error("--beside is for products of one GPU: omit it");
    std::vector<int> devices = peers_of(index_);
    if (std::ssize(devices) < gpus_) {
      throw environment_error(
          format("cuda:{} reaches the memory of {} other GPU{}, and the product is shared by {}",
                 index_, devices.size() - 1, devices.size() == 2 ? "" : "s", gpus_));
    }
    devices.resize(static_cast<size_t>(gpus_));
    return make_peer_runner(std::move(devices), spec_, cache_, seed_);
  }

  Runner& current() {
    if (!runner_) runner_ = of_one();
    return *runner_;
  }

  int index_;
  DeviceSpec spec_;
  CubinCache cache_;
  uint64_t seed_;
  Regime regime_;
  OpenHarnessFile open_manifest_;
  std::optional<Beside> beside_;
  int gpus_ = 1;  // of the current runner
  std::unique_ptr<Runner> runner_;
};

}  // namespace

std::vector<int> peers_of(int index) {
  int count = 0;
  cudaDeviceProp first{};
  if (cudaGetDeviceCount(&count) != cudaSuccess) return {index};
  TW_CHECK(cudaGetDeviceProperties(&first, index));
  return linked_gpus(index, count, [&first](int gpu, int peer) {
    int there = 0;
    int back = 0;
    cudaDeviceProp other{};
    const bool known = cudaDeviceCanAccessPeer(&there, gpu, peer) == cudaSuccess &&
                       cudaDeviceCanAccessPeer(&back, peer, gpu) == cudaSuccess &&
                       cudaGetDeviceProperties(&other, peer) == cudaSuccess;
    return known && there != 0 && back != 0 && std::string_view(other.name) == first.name;
  });
}

std::unique_ptr<Runner> make_gpu_runner(int index, const DeviceSpec& spec, const CubinCache& cache,
                                        uint64_t seed, Regime regime, OpenHarnessFile open_manifest,
                                        std::optional<Beside> beside) {
  return std::make_unique<GpuRunner>(index, spec, cache, seed, regime, std::move(open_manifest),
                                     beside);
}

}  // namespace tilewright
