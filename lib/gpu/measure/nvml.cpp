#include "gpu/measure/nvml.hpp"

#include <dlfcn.h>

#include <array>

#include "base/text.hpp"

namespace tilewright {
namespace {

// The part of nvml.h that is called here, as NVIDIA's reference manual documents it.
using NvmlDevice = void*;
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

// Open as long as the object lives.
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    is_open_ = library_ != nullptr && call("nvmlInit_v2") == kSuccess;
  }
  ~Nvml() {
    if (is_open_) call("nvmlShutdown");
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool is_open() const { return is_open_; }

  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    constexpr int kFunctionNotFound = 13;
    void* const function = dlsym(library_, name);
    if (function == nullptr) return kFunctionNotFound;
    return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
  }

 private:
  void* library_;
  bool is_open_ = false;
};

int mhz(const Nvml& nvml, NvmlDevice device, const char* name) {
  unsigned int value = 0;
  return nvml.call(name, device, kSmClock, &value) == kSuccess ? static_cast<int>(value) : 0;
}

double watts(const Nvml& nvml, NvmlDevice device, const char* name) {
  constexpr double kMilli = 1e-3;
  unsigned int milliwatts = 0;
  return nvml.call(name, device, &milliwatts) == kSuccess ? kMilli * milliwatts : 0;
}

double held_back_s(const Nvml& nvml, NvmlDevice device, int policy) {
  constexpr double kNano = 1e-9;
  NvmlViolation violation{};
  const int status = nvml.call("nvmlDeviceGetViolationStatus", device, policy, &violation);
  return status == kSuccess ? kNano * static_cast<double>(violation.violation_ns) : 0;
}

std::vector<std::string> processes(const Nvml& nvml, NvmlDevice device) {
  std::array<NvmlProcess, 64> found{};
  unsigned int count = found.size();
  std::vector<std::string> pids;
  pids.reserve(found.size());
  const int status =
      nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, found.data());
  for (unsigned int i = 0; status == kSuccess && i < count && i < found.size(); ++i) {
    pids.push_back(format("{}", found[i].pid));
  }
  return pids;
}

}  // namespace

DeviceState read_device_state(const std::string& uuid) {
  DeviceState state;
  const Nvml nvml;
  NvmlDevice device = nullptr;
  if (!nvml.is_open()) {
    state.why_not = "the driver's management library (libnvidia-ml.so.1) does not open";
    return state;
  }
  if (const int status = nvml.call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device)) {
    state.why_not = format("the driver's management library does not know {} ({})", uuid, status);
    return state;
  }
  state.processes = processes(nvml, device);
  state.sm_mhz = mhz(nvml, device, "nvmlDeviceGetClockInfo");
  state.most_sm_mhz = mhz(nvml, device, "nvmlDeviceGetMaxClockInfo");
  state.watts = watts(nvml, device, "nvmlDeviceGetPowerUsage");
  state.most_watts = watts(nvml, device, "nvmlDeviceGetEnforcedPowerLimit");
  state.power_held_s = held_back_s(nvml, device, kPowerPolicy);
  state.heat_held_s = held_back_s(nvml, device, kThermalPolicy);
  return state;
}

}  // namespace tilewright
