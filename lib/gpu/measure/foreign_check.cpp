#include "gpu/measure/foreign_check.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

// A stream that does not synchronize with the default stream.
class OwnStream {
 public:
  OwnStream() { TW_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

int64_t free_bytes() {
  size_t free = 0;
  size_t total = 0;
  TW_CHECK(cudaMemGetInfo(&free, &total));
  return static_cast<int64_t>(free);
}

Verification faulty(const std::string& detail) {
  return {.ok = false, .rel_error = 0, .detail = detail};
}

}  // namespace

ForeignCheck::ForeignCheck(const Workload& workload, Operands& operands,
                           const WorkloadVerifier& verifier, uint64_t seed,
                           const DeviceKernels& device_kernels, ForeignKernels& kernels)
    : workload_(workload),
      operands_(operands),
      verifier_(verifier),
      seed_(seed),
      device_kernels_(device_kernels),
      kernels_(kernels) {}

Verification ForeignCheck::verify(const Contender& contender) {
  try {
    Verification verification = run_once(contender, verifier_);
    if (!verification.ok) return verification;
    if (Verification other = run_on_other_operands(contender); !other.ok) return other;
    for (const auto look : {&ForeignCheck::stream_fault, &ForeignCheck::memory_fault}) {
      if (const std::string fault = (this->*look)(contender); !fault.empty()) return faulty(fault);
    }
    return verification;
  } catch (const Error& error) {
    if (error.code() != ExitCode::WrongResult) throw;
    if (!has_device() || cudaDeviceSynchronize() != cudaSuccess) {
      throw environment_error(error.what());
    }
    return faulty(error.what());
  }
}

// A device reset frees the operands. This query starts no new context, unlike other calls.
bool ForeignCheck::has_device() const {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, operands_.set(0).d);
  if (status == cudaSuccess) return attributes.type == cudaMemoryTypeDevice;
  return status != cudaErrorContextIsDestroyed && status != cudaErrorDeviceUninitialized &&
         status != cudaErrorInvalidResourceHandle;
}

Verification ForeignCheck::run_once(const Contender& contender, const WorkloadVerifier& verifier) {
  verifier.poison();
  kernels_.fill_red_zones(contender);
  TW_CHECK(cudaDeviceSynchronize());
  kernels_.launch(contender, operands_.set(0), nullptr);
  if (!has_device()) throw environment_error("it reset the device: the operands are lost");
  TW_CHECK(cudaDeviceSynchronize());
  Verification verification = verifier.check(workload_.kind.epilogue, 1);
  if (!verification.ok) {
    if (!verifier.find_stray_write().empty()) throw environment_error(verification.detail);
    return verification;
  }
  verification.detail = kernels_.find_stray_write(contender);
  verification.ok = verification.detail.empty();
  return verification;
}

// Other values at the same addresses: results cached for the first values are wrong now.
Verification ForeignCheck::run_on_other_operands(const Contender& contender) {
  if (!operands_.exchange_first_two()) return {.ok = true, .rel_error = 0, .detail = {}};
  if (!other_) other_.emplace(workload_, operands_.set(0), seed_, device_kernels_);
  Verification verification;
  try {
    verification = run_once(contender, *other_);
  } catch (...) {
    operands_.exchange_first_two();
    throw;
  }
  operands_.exchange_first_two();
  if (!verification.ok) {
    verification.detail = format(
        "its result is right for the first operands, and for others at the same addresses {}; it "
        "may reuse an earlier result",
        verification.detail);
  }
  return verification;
}

// D is poisoned behind a delay of this stream, so that work on any other stream runs too early.
std::string ForeignCheck::stream_fault(const Contender& contender) {
  constexpr uint64_t kDelayNs = 20'000'000;
  const OwnStream stream;
  TW_CHECK(cudaDeviceSynchronize());
  device_kernels_.delay(kDelayNs, stream.get());
  verifier_.poison(stream.get());
  const auto begin = std::chrono::steady_clock::now();
  kernels_.launch(contender, operands_.set(0), stream.get());
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  TW_CHECK(cudaDeviceSynchronize());
  if (const Verification found = verifier_.check(workload_.kind.epilogue, 1); !found.ok) {
    return format(
        "it works on another stream than the one that it receives: behind a delay on that stream, "
        "{}",
        found.detail);
  }
  if (took.count() < static_cast<double>(kDelayNs) / 2) return {};
  return "run waits for the device: it must launch and return";
}

// Measures twice: a leak shows both times, an allocation by another process only once.
std::string ForeignCheck::memory_fault(const Contender& contender) {
  constexpr int kRepeats = 4;
  int64_t least = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const int64_t before = free_bytes();
    for (int i = 0; i < kRepeats; ++i) kernels_.launch(contender, operands_.set(0), nullptr);
    TW_CHECK(cudaDeviceSynchronize());
    const int64_t lost = before - free_bytes();
    if (lost <= 0) return {};
    least = attempt == 0 ? lost : std::min(least, lost);
  }
  return format("{} runs do not free {} of device memory", kRepeats,
                human_bytes(static_cast<double>(least)));
}

}  // namespace tilewright
