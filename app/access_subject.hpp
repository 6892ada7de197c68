// The warp instructions that `analyze access` and `profile access` are about.
#pragma once

#include <string>
#include <vector>

#include "layout/smem/wavefronts.hpp"
#include "options.hpp"

namespace tilewright {

/// --op with --addresses or --file. Throws a usage error unless exactly one of the two is there and
/// all addresses are good.
std::vector<WarpAccess> read_accesses(const AccessOptions& options);

/// "0-7,16,18".
std::string lane_list(const std::vector<int>& lanes);

}  // namespace tilewright
