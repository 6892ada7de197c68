#include "tile/device_spec.hpp"

#include "base/text.hpp"

namespace tilewright {

int l2_partitions(const DeviceSpec& d) {
  return d.compute_major >= 9 || (d.compute_major == 8 && d.compute_minor == 0) ? 2 : 1;
}

std::string architecture(const DeviceSpec& d) {
  return format("sm_{}{}{}", d.compute_major, d.compute_minor, d.compute_major >= 9 ? "a" : "");
}

}  // namespace tilewright
