// GpuMonitor: a GPU's clock, power and processes from NVIDIA's management library (NVML).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/device_prober.hpp"

namespace tilewright {

/// One GPU as NVML reports it. The library comes with the driver and is loaded at run time.
class GpuMonitor {
 public:
  /// `uuid` as Backend::device_uuid() returns it.
  explicit GpuMonitor(const std::string& uuid);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  /// `why_not` gives the reason if the library is missing or does not find the GPU.
  DeviceState state() const;
  /// The SM clock now, MHz; 0 if it cannot be read.
  int sm_mhz() const;
  /// The power draw now, watts; 0 if it cannot be read.
  double watts() const;
  /// The GPU's energy since the driver was loaded, joules.
  std::optional<double> joules() const;

 private:
  // Calls the library's function `name`; returns its status.
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const;
  double throttled_s(int policy) const;
  std::vector<std::string> processes() const;
  bool is_thermally_throttled() const;
  double watts_of(const char* name) const;
  int mhz_of(const char* name) const;

  void* library_ = nullptr;
  void* device_ = nullptr;  // null if `why_not_` is set
  std::string why_not_;
};

/// The driver's own version, "580.95.05"; empty when NVML does not load.
std::string driver_release();

/// The unique identifier of CUDA device `index`: "GPU-" and 32 hexadecimal digits in groups.
std::string uuid_of_device(int index);

}  // namespace tilewright
