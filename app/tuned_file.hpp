// What the options of tune that work on a tuned file share: --dispatch and --pin-library.
#pragma once

#include <string_view>

#include "console.hpp"
#include "devices.hpp"
#include "launcher.hpp"
#include "options.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// Throws a usage error that names the option for others that belong to a search, and for ranks.
void require_no_search(const TuneOptions& options, const Rank& rank, std::string_view option);

/// Throws where what is measured cannot stand beside what the file `name` has: a usage error for
/// another regime, an environment error for another device.
void require_device_of(const Artefact& artefact, const std::string& name,
                       const ResolvedDevice& device, const TuneOptions& options);

}  // namespace tilewright
