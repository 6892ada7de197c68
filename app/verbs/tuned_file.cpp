#include "verbs/tuned_file.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

void require_device_of(const Artefact& artefact, const std::string& name,
                       const ResolvedDevice& device, const TuneRequest& request) {
  if (request.regime != regime_of(artefact.method)) {
    throw usage_error(format("{} was tuned with --regime {}: add that option", name,
                             kRegimes[static_cast<size_t>(regime_of(artefact.method))]));
  }
  const DeviceFingerprint here = fingerprint(device.spec, false);
  if (same_architecture(here, artefact.device)) return;
  throw environment_error(format("{} was tuned on {}, and this device is {}", name,
                                 to_string(artefact.device), to_string(here)));
}

}  // namespace tilewright
