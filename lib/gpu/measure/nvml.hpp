// NVIDIA's management library: what a GPU is doing beside the work it is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/device_state.hpp"

namespace tilewright {

/// One GPU as the library sees it, which comes with the driver and is opened at run time.
class GpuMonitor {
 public:
  /// `uuid` as Backend::device_uuid() has it.
  explicit GpuMonitor(const std::string& uuid);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  /// Where the library is missing or does not know the GPU, `why_not` says so.
  DeviceState state() const;
  /// Of the multiprocessors' clock, now; 0 where it is not known.
  int sm_mhz() const;
  /// Now; 0 where it is not known.
  double watts() const;
  /// Of the GPU since the driver was loaded.
  std::optional<double> joules() const;

 private:
  // The status of a call of the library by its name.
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const;
  double held_back_s(int policy) const;
  std::vector<std::string> processes() const;
  bool heat_holds_now() const;
  double watts_of(const char* name) const;
  int mhz_of(const char* name) const;

  void* library_ = nullptr;
  void* device_ = nullptr;  // null where `why_not_` says why
  std::string why_not_;
};

/// The driver's own version, "580.95.05"; empty where its management library does not open.
std::string driver_version();

/// "GPU-" and 32 hexadecimal digits in groups: what tells device `index` of CUDA from every other.
std::string uuid_of_device(int index);

}  // namespace tilewright
