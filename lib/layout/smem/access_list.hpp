// Warp instructions as text: 32 byte addresses in a line.
#pragma once

#include <string_view>
#include <vector>

#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// "0,4,8,...,-1": one byte address a lane, decimal, -1 inactive; matrix instructions may leave the
/// lanes out whose addresses they ignore. Throws a usage error that names the lane; alignment is
/// checked, too.
WarpAccess parse_access(const AccessOp& op, std::string_view text);

/// One access a line; empty lines and lines that begin with '#' are skipped. Throws a usage error
/// that begins with `name` and the line's number; no access at all is one.
std::vector<WarpAccess> parse_access_lines(const AccessOp& op, std::string_view text,
                                           std::string_view name);

}  // namespace tilewright
