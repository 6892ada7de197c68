// Which device numbers belong to: what a stored result must agree with before it is compared.
#pragma once

#include <cstdint>
#include <string>

#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The part of a DeviceSpec that identifies hardware; rates are left out, they are estimates.
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

/// "h200 (preset, 9.0, 132 SMs, 62914560 B of L2)".
std::string to_string(const DeviceFingerprint& device);

}  // namespace tilewright
