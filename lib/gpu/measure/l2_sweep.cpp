#include "gpu/measure/l2_sweep.hpp"

#include "gpu/compile/parallel_compiler.hpp"

namespace tilewright {
namespace {

constexpr size_t kBytesOfVector = 16;
constexpr LaunchShape kSweepShape{.ctas = 1056, .threads = 256};
constexpr size_t kTimesL2 = 4;

size_t sweep_bytes(const DeviceSpec& device) {
  return kTimesL2 * static_cast<size_t>(device.l2_bytes);
}

}  // namespace

SweepKernels::SweepKernels(const std::string& architecture, const CubinCache& cache)
    : SweepKernels(
          build_cubin({.file = "tools/sweep.cu", .config_header = ""}, architecture, cache)) {}

SweepKernels::SweepKernels(const std::string& cubin)
    : read_(cubin, "read_once"), fill_(cubin, "fill_once"), copy_(cubin, "copy_once") {}

void SweepKernels::read(const void* from, size_t bytes) const {
  auto count = static_cast<long long>(bytes / kBytesOfVector);
  auto* sink = sink_.as<unsigned>();
  void* arguments[] = {&from, &count, &sink};
  read_.launch(kSweepShape, arguments, nullptr);
}

void SweepKernels::fill(void* to, size_t bytes, unsigned seed) const {
  auto count = static_cast<long long>(bytes / kBytesOfVector);
  void* arguments[] = {&to, &count, &seed};
  fill_.launch(kSweepShape, arguments, nullptr);
}

void SweepKernels::copy(const void* from, void* to, size_t bytes) const {
  auto count = static_cast<long long>(bytes / kBytesOfVector);
  void* arguments[] = {&from, &to, &count};
  copy_.launch(kSweepShape, arguments, nullptr);
}

L2Sweep::L2Sweep(const DeviceSpec& device, const CubinCache& cache)
    : kernels_(architecture(device), cache),
      before_(sweep_bytes(device)),
      after_(sweep_bytes(device)) {}

}  // namespace tilewright
