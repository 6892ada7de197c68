#include "tile/workload/device_fingerprint.hpp"

#include "base/text.hpp"

namespace tilewright {

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

std::string to_string(const DeviceFingerprint& d) {
  return format("{} ({}{}, {} SMs, {} B of L2)", d.name, d.preset ? "preset, " : "", d.compute,
                d.sm_count, d.l2_bytes);
}

}  // namespace tilewright
