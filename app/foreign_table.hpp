// The output of `tune --harness` for people.
#pragma once

#include <string>

#include "search/foreign_search.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A headline, the `top` best rows, the chosen row, and the winner's ratios to the reference and to
/// our kernel. `width` is as in Table.
std::string foreign_report(const ForeignResult& result, const DeviceSpec& device, int64_t top,
                           int width);

}  // namespace tilewright
