// What a device offers: limits that decide legality, rates that the cost model uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "map/element_type.cuh"
#include "tile/workload/device_rates.hpp"

namespace tilewright {

/// Limits and sustained rates of one GPU, from a preset file or read off the device.
struct DeviceSpec {
  std::string name;  // of the preset ("h200") or the device ("NVIDIA H200")
  std::string marketing_name;
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  int smem_per_cta_bytes = 0;  // the opt-in maximum of dynamic shared memory
  int registers_per_sm = 0;    // 32-bit
  int max_cluster_size = 1;
  int64_t l2_bytes = 0;
  int64_t l2_effective_bytes = 0;  // what holds data, copies in both partitions counted
  int64_t memory_bytes = 0;
  double tensor_flops_per_clock_per_sm = 0;  // dense bf16/f16, multiply-add = 2
  double sustained_clock_hz = 0;             // under tensor load on random data
  double dram_bytes_per_s = 0;               // achievable, reads plus writes
  double l2_bytes_per_clock = 0;             // L2 to SMs, whole device
  double launch_us = 0;                      // kernel start to first load in flight, and drain
  LaunchRates launch = {};
  ClockModel clock = {};
  L2Model l2 = {};
  MemoryRates memory = {};
  SmLimits sm = {};
  GroupModel groups = {};
  TileRates tile = {};
  SchedulingRates scheduling = {};
  JoinRates join = {};
  MmaRates mma = {};
  SkinnyRates skinny = {};
  std::vector<std::string> own_rates = {};  // "join.meet_us": what its file gives as its own
  std::string base = {};  // the preset that all other finer rates are of; empty: there are none
  bool operator==(const DeviceSpec&) const = default;
};

/// Multiply-adds count two: the tensor cores take operands by bytes, so narrower ones go faster.
double tensor_flops_per_clock(const DeviceSpec& device, tw::ElementType operands);

/// Clusters of `size` CTAs, one a multiprocessor, that the device holds at once, at least 1: larger
/// ones do not fill its groups of multiprocessors.
int64_t resident_clusters(const DeviceSpec& device, int size);

/// "sm_90a" for compute capability 9.0 (the architecture-specific target), "sm_80" for 8.0.
std::string architecture(const DeviceSpec& device);

/// Which device numbers belong to: what a stored result must agree with before it is compared. The
/// part of a DeviceSpec that identifies hardware; rates are left out, they are estimates.
struct DeviceFingerprint {
  std::string name;     // "NVIDIA H200", or the preset's name
  std::string compute;  // compute capability, "9.0"
  int sm_count = 0;
  int64_t l2_bytes = 0;
  int64_t memory_bytes = 0;
  bool preset = false;  // nothing ran: times beside it are the model's
  bool operator==(const DeviceFingerprint&) const = default;
};

/// `preset` says that the spec was read from a file and no such GPU is at hand.
DeviceFingerprint fingerprint(const DeviceSpec& device, bool preset);

/// Equal in compute capability, multiprocessors and L2: exact numbers carry over, times do not.
bool same_architecture(const DeviceFingerprint& a, const DeviceFingerprint& b);

/// The same architecture and name: times of an H100 SXM and of an H100 NVL do not compare. Beside a
/// GPU a preset stands for every product of its architecture.
bool same_model(const DeviceFingerprint& a, const DeviceFingerprint& b);

/// "h200 (preset, 9.0, 132 SMs, 62914560 B of L2)".
std::string to_string(const DeviceFingerprint& device);

}  // namespace tilewright
