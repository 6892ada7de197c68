// Prepares a problem while the device works on another one.
#pragma once

#include <future>
#include <memory>

#include "search/runner.hpp"
#include "search/tuner.hpp"

namespace tilewright {

/// Ranks the problem in a thread of its own, then builds what tune() needs first into the
/// compiler's cache, in threads of low priority. Builds nothing if `compiler` is null. The future
/// throws as rank_to_tune() does; its destructor waits if the ranking was not taken.
std::future<Ranking> look_ahead(const Workload& problem, const TunePolicy& policy,
                                const DeviceSpec& device, std::unique_ptr<KernelCompiler> compiler);

}  // namespace tilewright
