// The least time that a problem takes on a device, whatever the kernel.
#pragma once

#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Microseconds at the device's sustained rates; a run cannot be faster than the larger one.
struct Roofline {
  double tensor_us = 0;  // all multiply-adds on all tensor cores
  double dram_us = 0;    // each operand read once, D written once
  bool operator==(const Roofline&) const = default;
};

Roofline roofline(const Workload& workload, const DeviceSpec& device);

/// The larger of the two.
double least_us(const Roofline& roofline);

/// "tensor" or "DRAM", by which of the two is larger.
const char* bound_name(const Roofline& roofline);

}  // namespace tilewright
