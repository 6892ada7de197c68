// Which algorithm of the reference library is pinned at a tuned product.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "search/library_pin.hpp"
#include "search/race.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// The pin of `fastest`, one of the references among the entries, beside `ours`: all ran in the
/// same rounds. Nothing if the library does not identify its algorithms, or if its first choice was
/// lost.
std::optional<LibraryPin> pin_of(const LibraryAlgorithms& library,
                                 std::span<const RaceEntry> entries, const RaceEntry& fastest,
                                 const RaceEntry& ours);

struct PinPolicy {
  int64_t rounds = 0;  // reporting rounds; 0: by the kernels' length
  uint64_t seed = 1;
  std::function<void()> between_races = [] {};
};

/// Times a tuned config beside all algorithms of the library at a product: the first rounds decide
/// which of these is the fastest, fresh rounds report. Nothing if the library has none. Throws as
/// tune() does if the config does not run.
std::optional<LibraryPin> measure_pin(const Workload& product, const TileConfig& config,
                                      Runner& runner, const PinPolicy& policy,
                                      ProgressListener& progress);

}  // namespace tilewright
