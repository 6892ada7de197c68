// The properties of a device: limits that decide legality, rates that the cost model uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "map/element_type.cuh"
#include "map/peer_blocks.cuh"
#include "tile/workload/device_rates.hpp"

namespace tilewright {

/// Limits and sustained rates of one GPU, from a preset file or read from the device, and how many
/// of them a host has.
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
  int64_t l2_effective_bytes = 0;  // room for data; copies in both partitions are counted
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
  GpcModel groups = {};
  TileRates tile = {};
  SchedulingRates scheduling = {};
  FixupRates join = {};
  MmaRates mma = {};
  SkinnyRates skinny = {};
  LinkRates links = {};
  int gpus = 1;                              // of the host, all alike, each linked with every other
  std::vector<std::string> file_rates = {};  // paths, as "join.meet_us", that its file itself gives
  std::string base = {};  // the preset that all other finer rates come from; empty: none
  std::vector<std::string> foreign_rates = {};  // paths of base's that another generation measured
  bool calibrated = false;  // clock and launch were fitted to times of this part, with these rates
  bool operator==(const DeviceSpec&) const = default;
};

/// True if the model's time for the device can be believed: every rate that a price reads stems
/// from a part of the device's compute capability, or `device calibrate` fitted the device to times
/// of its own. Elsewhere the model gives no time: rankings go by waves and traffic.
bool predicts_time(const DeviceSpec& device);

/// The reason, and what to do about it, for messages.
inline constexpr std::string_view kWhyNoTime =
    "no time is predicted with another generation's rates; a device file with rates of its own has "
    "times, as 'tilewright device calibrate' writes on a GPU of compute capability 9.0";

/// Multiply-adds count as two. The rate is inversely proportional to the operands' width in bytes.
double tensor_flops_per_clock(const DeviceSpec& device, tw::ElementType operands);

/// Clusters of `size` CTAs, one CTA per multiprocessor, that the device holds at once, at least 1.
/// Clusters of more than 2 CTAs do not fill its GPCs.
int64_t resident_clusters(const DeviceSpec& device, int size);

/// "sm_90a" for compute capability 9.0 (the architecture-specific target), "sm_80" for 8.0.
std::string architecture(const DeviceSpec& device);

/// Identifies the hardware that numbers belong to; a stored result is compared only where it
/// agrees. Rates are left out, because they are estimates.
struct DeviceFingerprint {
  std::string name;     // "NVIDIA H200", or the preset's name
  std::string compute;  // compute capability, "9.0"
  int sm_count = 0;
  int64_t l2_bytes = 0;
  int64_t memory_bytes = 0;
  bool preset = false;  // nothing was run: times are the model's
  bool operator==(const DeviceFingerprint&) const = default;
};

/// `preset`: the spec was read from a file, without such a GPU.
DeviceFingerprint fingerprint(const DeviceSpec& device, bool preset);

/// Equal in compute capability, multiprocessors and L2: exact numbers can be compared, times
/// cannot.
bool same_architecture(const DeviceFingerprint& a, const DeviceFingerprint& b);

/// Equal in architecture and name: times of an H100 SXM and of an H100 NVL cannot be compared.
/// Against a GPU, a preset stands for every product of its architecture.
bool same_model(const DeviceFingerprint& a, const DeviceFingerprint& b);

/// "h200 (preset, 9.0, 132 SMs, 62914560 B of L2)".
std::string to_string(const DeviceFingerprint& device);

}  // namespace tilewright
