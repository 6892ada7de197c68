// The subjects of `analyze`, from options to reports; and the accesses of `profile access`.
#pragma once

#include <string>
#include <vector>

#include "layout/smem/swizzle_report.hpp"
#include "layout/smem/wavefronts.hpp"
#include "request/grid_request.hpp"
#include "request/layout_request.hpp"
#include "request/options.hpp"
#include "request/schedule_request.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// Parses one of kSpaces. Throws a usage error.
MemorySpace parse_space(const std::string& text);

/// The warp instructions of --op with --addresses or --file. Throws a usage error unless exactly
/// one of the two is there and all addresses are valid.
std::vector<WarpAccess> read_accesses(const AccessOptions& options);

/// What the command line asks of analyze access and draw access.
struct AccessRequest {
  std::vector<WarpAccess> accesses;
  MemorySpace space = MemorySpace::Shared;
  bool show = false;
  std::vector<CheckExpression> checks;
};

/// With read_accesses().
AccessRequest read_access_request(const AccessOptions& options);

/// "0-7,16,18".
std::string lane_list(const std::vector<int>& lanes);

/// Proves the grid, and adds waves (with a device or CTAs) and predicted traffic (with a device and
/// a CTA tile). Throws a usage error for a grid that is too large.
GridReport report_grid(const GridRequest& request);

/// Traces the layout. Throws a usage error for a thread outside the workgroup.
NestedReport report_nested(const NestedRequest& request);

/// The subject `swizzle` of analyze. Solves for the tile and patterns, or costs the swizzle of
/// --swizzle. Throws a usage error.
SwizzleReport report_swizzle(const SwizzleOptions& options);

/// True without --write and --read: no pattern accesses the tile.
bool is_alone(const SwizzleOptions& options);

/// The effect of --swizzle on the tile, without --write and --read. Throws a usage error.
SwizzleFacts swizzle_facts(const SwizzleOptions& options);

/// The numbers that --check and --sweep can name.
std::vector<NamedNumber> numbers_of(const GridRequest& request);
std::vector<NamedNumber> numbers_of(const ScheduleRequest& request);
std::vector<NamedNumber> numbers_of(const LayoutRequest& request);
std::vector<NamedNumber> numbers_of(const NestedRequest& request);
std::vector<NamedNumber> numbers_of(const SwizzleOptions& options);

}  // namespace tilewright
