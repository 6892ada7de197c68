// Devices for tests: figures of their own, so that a preset's change moves no test.
#pragma once

#include "tile/workload/device_spec.hpp"

namespace tilewright::testing {

/// An H200: 132 multiprocessors, 60 MiB of L2, rates as measured under tensor load.
inline DeviceSpec h200() {
  return {.name = "h200",
          .marketing_name = "NVIDIA H200",
          .compute_major = 9,
          .compute_minor = 0,
          .sm_count = 132,
          .smem_per_cta_bytes = 232448,
          .registers_per_sm = 65536,
          .max_cluster_size = 16,
          .l2_bytes = 62914560,
          .l2_effective_bytes = 62914560,
          .memory_bytes = 141000000000,
          .tensor_flops_per_clock_per_sm = 4096,
          .sustained_clock_hz = 1.58e9,
          .dram_bytes_per_s = 4.3e12,
          .l2_bytes_per_clock = 6300,
          .launch_us = 2.5};
}

/// The card of the records of 2026-11-20 and of traffic_h200.csv: 820 TFLOP/s of 8192x8192x8192 in
/// a vendor's library, at one clock however long. Those recorded since hold 680.
inline DeviceSpec h200_at_one_clock() {
  DeviceSpec device = h200();
  device.clock.length_exponent = 0;
  return device;
}

}  // namespace tilewright::testing
