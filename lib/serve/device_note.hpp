// Text for a library on a device that its kernels were not tuned on.
#pragma once

#include <string>

#include "base/text.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// True if kernels tuned on `tuned` can run on `here`.
inline bool runs_on(const DeviceFingerprint& here, const DeviceSpec& tuned) {
  return here.compute == fingerprint(tuned, true).compute;
}

/// A suffix for an answer's text; empty on the tuned device and on others like it.
inline std::string device_note(const DeviceFingerprint& here, const DeviceSpec& tuned) {
  if (!runs_on(here, tuned)) {
    return format("; no kernel here supports {}, of compute capability {}", here.name,
                  here.compute);
  }
  if (same_architecture(here, fingerprint(tuned, true))) return "";
  return format("; tuned on {}, runs on {}", tuned.marketing_name, here.name);
}

}  // namespace tilewright
