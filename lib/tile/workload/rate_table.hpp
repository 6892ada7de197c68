// The rates of a device as a table: one row per number of lib/tile/workload/device_rates.hpp.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/number_range.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

using RateRange = NumberRange;

/// One rate of a device: its path ("join.meet_us") and a pointer to its value in the spec.
struct RateKey {
  std::string_view section;
  std::string_view key;
  std::variant<double*, int*, std::array<double, kGpcCount>*, std::vector<GpcRun>*> value;
  RateRange range = RateRange::Positive;
};

/// Every rate of `device`, in the order of a file.
std::vector<RateKey> rate_keys(DeviceSpec& device);

/// "join.meet_us".
std::string path_of(const RateKey& key);

}  // namespace tilewright
