#include "tuned_file.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

void require_no_search(const TuneRequest& request, std::string_view option) {
  const std::pair<const char*, bool> others[] = {
      {"--config", !request.config.named.empty()},
      {"--incumbent", !request.incumbent.named.empty()},
      {"--strategy", request.strategy.has_value()},
      {"--budget", request.budget.is_set()},
      {"--require", request.require != Requirement{}},
      {"--objective", request.objective != Objective::Time},
      {"--dry-run", request.dry_run}};
  for (const auto& [name, is_given] : others) {
    if (is_given) throw usage_error(format("{} does not search: omit {}", option, name));
  }
  if (request.rank.size > 1) {
    throw usage_error(format("{} runs in one process: start it without ranks", option));
  }
}

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
