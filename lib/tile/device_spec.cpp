#include "tile/device_spec.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tilewright {

int l2_partitions(const DeviceSpec& d) {
  return d.compute_major >= 9 || (d.compute_major == 8 && d.compute_minor == 0) ? 2 : 1;
}

int64_t resident_clusters(const DeviceSpec& device, int size) {
  // Measured on an H200: 66 pairs run at once, 32 clusters of 4 do not.
  constexpr double kFilled = 15.0 / 16;
  const double filled = size <= 2 ? 1 : kFilled;
  return std::max<int64_t>(static_cast<int64_t>(device.sm_count * filled) / size, 1);
}

std::string architecture(const DeviceSpec& d) {
  return format("sm_{}{}{}", d.compute_major, d.compute_minor, d.compute_major >= 9 ? "a" : "");
}

}  // namespace tilewright
