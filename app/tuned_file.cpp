#include "tuned_file.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

void require_no_search(const TuneOptions& options, const Rank& rank, std::string_view option) {
  const std::pair<const char*, bool> others[] = {{"--config", !options.config.empty()},
                                                 {"--incumbent", !options.incumbent.empty()},
                                                 {"--strategy", !options.strategy.empty()},
                                                 {"--budget", !options.budget.empty()},
                                                 {"--require", !options.require.empty()},
                                                 {"--objective", options.objective != "time"},
                                                 {"--dry-run", options.dry_run}};
  for (const auto& [name, is_given] : others) {
    if (is_given) throw usage_error(format("{} does not search: omit {}", option, name));
  }
  if (rank.size > 1) {
    throw usage_error(format("{} runs in one process: start it without ranks", option));
  }
}

void require_device_of(const Artefact& artefact, const std::string& name,
                       const ResolvedDevice& device, const TuneOptions& options) {
  const Regime regime = parse_regime(options.regime);
  if (regime != regime_of(artefact.method)) {
    throw usage_error(format("{} was tuned with --regime {}: add that option", name,
                             kRegimes[static_cast<size_t>(regime_of(artefact.method))]));
  }
  const DeviceFingerprint here = fingerprint(device.spec, false);
  if (same_architecture(here, artefact.device)) return;
  throw environment_error(format("{} was tuned on {}, and this device is {}", name,
                                 to_string(artefact.device), to_string(here)));
}

}  // namespace tilewright
