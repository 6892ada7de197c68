// What `tune --harness` prints for people.
#pragma once

#include <string>

#include "search/foreign_search.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A headline, the `top` best rows and the choice's, and what the winner is worth; `width` as for
/// Table.
std::string foreign_report(const ForeignResult& result, const DeviceSpec& device, int64_t top,
                           int width);

}  // namespace tilewright
