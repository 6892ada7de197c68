#include "tile/workload/device_spec.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tilewright {

int l2_partitions(const DeviceSpec& d) {
  return d.compute_major >= 9 || (d.compute_major == 8 && d.compute_minor == 0) ? 2 : 1;
}

int64_t resident_clusters(const DeviceSpec& device, int size) {
  const double filled = size <= 2 ? 1 : device.groups.cluster_fill_share;
  return std::max<int64_t>(static_cast<int64_t>(device.sm_count * filled) / size, 1);
}

double usual_issue_share(int compute_major) {
  return compute_major >= 9 ? MmaRates{}.issue_share : 0.85;
}

std::string architecture(const DeviceSpec& d) {
  return format("sm_{}{}{}", d.compute_major, d.compute_minor, d.compute_major >= 9 ? "a" : "");
}

}  // namespace tilewright
