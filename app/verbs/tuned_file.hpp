// The check that --dispatch and --pin-library share: the options of tune that extend a tuned file.
#pragma once

#include <string>

#include "host/console.hpp"
#include "host/devices.hpp"
#include "request/tune_request.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// Throws where new measurements cannot be added to the file `name`: a usage error for another
/// regime, an environment error for another device.
void require_device_of(const Artefact& artefact, const std::string& name,
                       const ResolvedDevice& device, const TuneRequest& request);

}  // namespace tilewright
