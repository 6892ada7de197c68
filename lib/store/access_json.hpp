// `analyze access` as JSON.
#pragma once

#include <span>
#include <string>

#include "layout/coalescing.hpp"
#include "layout/wavefronts.hpp"

namespace tilewright {

/// {"space": "shared", "accesses": [{op, wavefronts, ideal, conflicts, phases}]}, indented, with a
/// final newline; `phases` lists the lanes that share the busiest bank. `costs` has one entry an
/// access.
std::string shared_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Wavefronts> costs);

/// {"space": "global", "accesses": [{op, requests, sectors, lines, ...}]}, likewise.
std::string global_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Coalescing> costs);

}  // namespace tilewright
