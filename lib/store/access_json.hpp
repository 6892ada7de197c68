// `analyze access` and `profile access` as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "layout/smem/coalescing.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// {"space": "shared", "accesses": [{op, wavefronts, ideal, conflicts, phases}]}, indented, with a
/// final newline; `phases` lists the lanes that share the busiest bank. `costs` has one entry an
/// access.
std::string shared_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Wavefronts> costs);

/// {"space": "global", "accesses": [{op, requests, sectors, lines, ...}]}, likewise.
std::string global_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Coalescing> costs);

/// One access with its predicted wavefronts and, where it ran, the counted ones.
struct ProbedAccess {
  AccessOp op;
  int64_t predicted = 0;
  std::optional<double> measured;
};

/// {"device": ..., "predicted": nothing ran, "accesses": [{op, predicted, measured}]}, likewise.
std::string probed_access_json(std::span<const ProbedAccess> accesses, const std::string& device);

}  // namespace tilewright
