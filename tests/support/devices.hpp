// Devices for tests. Their limits and sustained rates are fixed here, so that a changed preset does
// not change a test; the finer rates come from the h200 preset.
#pragma once

#include "store/device_preset.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright::testing {

/// An H200: 132 multiprocessors, 60 MiB of L2, rates measured under tensor load.
inline DeviceSpec h200() {
  static const DeviceSpec preset = load_device_preset("h200");
  DeviceSpec device = preset;
  device.marketing_name = "NVIDIA H200";
  device.sm_count = 132;
  device.smem_per_cta_bytes = 232448;
  device.registers_per_sm = 65536;
  device.max_cluster_size = 16;
  device.l2_bytes = 62914560;
  device.l2_effective_bytes = 62914560;
  device.memory_bytes = 141000000000;
  device.tensor_flops_per_clock_per_sm = 4096;
  device.sustained_clock_hz = 1.58e9;
  device.dram_bytes_per_s = 4.3e12;
  device.l2_bytes_per_clock = 6300;
  device.launch_us = 2.5;
  return device;
}

/// The card of the records of 2026-11-20 and of traffic_h200.csv: a vendor's library reaches 820
/// TFLOP/s at 8192x8192x8192 on it, and its clock does not drop in long kernels. Cards of later
/// records reach 680.
inline DeviceSpec h200_at_one_clock() {
  DeviceSpec device = h200();
  device.clock.length_exponent = 0;
  return device;
}

}  // namespace tilewright::testing
