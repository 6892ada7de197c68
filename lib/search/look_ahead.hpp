// What can be done for a problem while the device is at work on another one.
#pragma once

#include <future>
#include <memory>

#include "search/runner.hpp"
#include "search/tuner.hpp"

namespace tilewright {

/// Ranks the problem in a thread of its own, then builds what tune() asks for first into the
/// compiler's cache, in threads that give way to others. `compiler` may be null: nothing is built.
/// The future throws as rank_to_tune() does, and waits where nobody takes its ranking.
std::future<Ranking> look_ahead(const Workload& problem, const TunePolicy& policy,
                                const DeviceSpec& device, std::unique_ptr<KernelCompiler> compiler);

}  // namespace tilewright
