#include "tile/workload/device_spec.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tilewright {

bool predicts_time(const DeviceSpec& device) {
  return device.calibrated || device.foreign_rates.empty();
}

double tensor_flops_per_clock(const DeviceSpec& device, tw::ElementType operands) {
  constexpr double kMeasuredBytes = 2;
  return device.tensor_flops_per_clock_per_sm * kMeasuredBytes / tw::bytes_of(operands);
}

int64_t resident_clusters(const DeviceSpec& device, int size) {
  const double filled = size <= 2 ? 1 : device.groups.cluster_fill_share;
  return std::max<int64_t>(static_cast<int64_t>(device.sm_count * filled) / size, 1);
}

std::string architecture(const DeviceSpec& d) {
  return format("sm_{}{}{}", d.compute_major, d.compute_minor, d.compute_major >= 9 ? "a" : "");
}

DeviceFingerprint fingerprint(const DeviceSpec& d, bool preset) {
  return {.name = d.name,
          .compute = format("{}.{}", d.compute_major, d.compute_minor),
          .sm_count = d.sm_count,
          .l2_bytes = d.l2_bytes,
          .memory_bytes = d.memory_bytes,
          .preset = preset};
}

bool same_architecture(const DeviceFingerprint& a, const DeviceFingerprint& b) {
  return a.compute == b.compute && a.sm_count == b.sm_count && a.l2_bytes == b.l2_bytes;
}

bool same_model(const DeviceFingerprint& a, const DeviceFingerprint& b) {
  return same_architecture(a, b) && (a.preset != b.preset || a.name == b.name);
}

std::string to_string(const DeviceFingerprint& d) {
  return format("{} ({}{}, {} SMs, {} B of L2)", d.name, d.preset ? "preset, " : "", d.compute,
                d.sm_count, d.l2_bytes);
}

}  // namespace tilewright
