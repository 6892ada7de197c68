#include "tile/device_spec.hpp"

#include "base/text.hpp"

namespace tilewright {

std::string architecture(const DeviceSpec& d) {
  return format("sm_{}{}{}", d.compute_major, d.compute_minor, d.compute_major >= 9 ? "a" : "");
}

}  // namespace tilewright
