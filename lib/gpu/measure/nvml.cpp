#include "gpu/measure/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>

#include "base/text.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

// The part of nvml.h that this file uses, as NVIDIA's reference manual documents it.
struct NvmlProcess {
  unsigned int pid;
  unsigned long long used_bytes;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};
struct NvmlViolation {
  unsigned long long reference_us;
  unsigned long long violation_ns;
};
constexpr int kSuccess = 0;
constexpr int kSmClock = 1;
constexpr int kPowerPolicy = 0;
constexpr int kThermalPolicy = 1;
constexpr double kMilli = 1e-3;

}  // namespace

template <typename... Arguments>
int GpuMonitor::call(const char* name, Arguments... arguments) const {
  constexpr int kFunctionNotFound = 13;
  void* const function = dlsym(library_, name);
  if (function == nullptr) return kFunctionNotFound;
  return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

GpuMonitor::GpuMonitor(const std::string& uuid)
    : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (library_ != nullptr && call("nvmlInit_v2") != kSuccess) {
    dlclose(library_);
    library_ = nullptr;
  }
  if (library_ == nullptr) {
    why_not_ = "the driver's management library (libnvidia-ml.so.1) cannot be opened";
    return;
  }
  if (const int status = call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device_)) {
    why_not_ = format("the driver's management library does not know {} ({})", uuid, status);
    device_ = nullptr;
  }
}

GpuMonitor::~GpuMonitor() {
  if (library_ == nullptr) return;
  call("nvmlShutdown");
  dlclose(library_);
}

int GpuMonitor::mhz_of(const char* name) const {
  unsigned int value = 0;
  if (device_ == nullptr || call(name, device_, kSmClock, &value) != kSuccess) return 0;
  return static_cast<int>(value);
}

double GpuMonitor::watts_of(const char* name) const {
  unsigned int milliwatts = 0;
  if (device_ == nullptr || call(name, device_, &milliwatts) != kSuccess) return 0;
  return kMilli * milliwatts;
}

double GpuMonitor::throttled_s(int policy) const {
  constexpr double kNano = 1e-9;
  NvmlViolation violation{};
  const int status = call("nvmlDeviceGetViolationStatus", device_, policy, &violation);
  return status == kSuccess ? kNano * static_cast<double>(violation.violation_ns) : 0;
}

bool GpuMonitor::is_thermally_throttled() const {
  constexpr unsigned long long kThermalSlowdowns = 0x20 | 0x40;  // by software, by hardware
  unsigned long long reasons = 0;
  const int status = call("nvmlDeviceGetCurrentClocksThrottleReasons", device_, &reasons);
  return status == kSuccess && (reasons & kThermalSlowdowns) != 0;
}

std::vector<std::string> GpuMonitor::processes() const {
  std::array<NvmlProcess, 64> found{};
  unsigned int count = found.size();
  std::vector<std::string> pids;
  pids.reserve(found.size());
  const int status = call("nvmlDeviceGetComputeRunningProcesses_v3", device_, &count, found.data());
  for (unsigned int i = 0; status == kSuccess && i < count && i < found.size(); ++i) {
    pids.push_back(format("{}", found[i].pid));
  }
  return pids;
}

int GpuMonitor::sm_mhz() const {
  return mhz_of("nvmlDeviceGetClockInfo");
}

double GpuMonitor::watts() const {
  return watts_of("nvmlDeviceGetPowerUsage");
}

std::optional<double> GpuMonitor::joules() const {
  unsigned long long millijoules = 0;
  if (device_ == nullptr) return std::nullopt;
  const int status = call("nvmlDeviceGetTotalEnergyConsumption", device_, &millijoules);
  if (status != kSuccess) return std::nullopt;
  return kMilli * static_cast<double>(millijoules);
}

DeviceState GpuMonitor::state() const {
  DeviceState state;
  state.why_not = why_not_;
  if (device_ == nullptr) return state;
  state.processes = processes();
  state.sm_mhz = sm_mhz();
  state.max_sm_mhz = mhz_of("nvmlDeviceGetMaxClockInfo");
  state.watts = watts();
  state.power_limit_watts = watts_of("nvmlDeviceGetEnforcedPowerLimit");
  state.power_throttled_s = throttled_s(kPowerPolicy);
  state.thermal_throttled_s = throttled_s(kThermalPolicy);
  state.is_thermally_throttled = is_thermally_throttled();
  return state;
}

std::string driver_release() {
  constexpr unsigned int kMaxText = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  const std::unique_ptr<void, int (*)(void*)> library(
      dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), dlclose);
  if (!library) return "";
  const auto begin = reinterpret_cast<int (*)()>(dlsym(library.get(), "nvmlInit_v2"));
  const auto end = reinterpret_cast<int (*)()>(dlsym(library.get(), "nvmlShutdown"));
  const auto version = reinterpret_cast<int (*)(char*, unsigned int)>(
      dlsym(library.get(), "nvmlSystemGetDriverVersion"));
  if (begin == nullptr || end == nullptr || version == nullptr || begin() != kSuccess) return "";
  std::array<char, kMaxText> text{};
  const bool is_known = version(text.data(), kMaxText) == kSuccess;
  end();
  return is_known ? std::string(text.data()) : "";
}

std::string uuid_of_device(int index) {
  cudaDeviceProp properties{};
  TW_CHECK(cudaGetDeviceProperties(&properties, index));
  std::string text = "GPU-";
  for (size_t i = 0; i < sizeof(properties.uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  return text;
}

}  // namespace tilewright
