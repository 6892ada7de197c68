// The model's results before anything runs: what is worth a search, and its own answer.
#pragma once

#include <cstddef>
#include <optional>

#include "search/rank.hpp"
#include "search/tuner.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Ranks what is legal in the policy's spaces and meets its requirement; `most` as in
/// rank(). Throws Error with No if nothing does.
Ranking rank_required(const Workload& problem, const TunePolicy& policy, const DeviceSpec& device,
                      std::optional<size_t> most = std::nullopt);

/// The ranking that a search begins with. Throws as rank_required() does.
Ranking rank_to_tune(const Workload& problem, const TunePolicy& policy, const DeviceSpec& device);

/// Counts the configs before any of them runs.
Considered considered_of(const Enumeration& enumeration);

/// The model's answer; nothing runs. Throws Error with No if nothing is legal.
TuneResult predict(const Workload& problem, const DeviceSpec& device, const TunePolicy& policy);

}  // namespace tilewright
