// The warp instructions that `analyze access` and `profile access` are about.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "layout/smem/swizzle_report.hpp"
#include "layout/smem/wavefronts.hpp"
#include "layout/text/nested_report.hpp"
#include "options.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// --op with --addresses or --file. Throws a usage error unless exactly one of the two is there and
/// all addresses are good.
std::vector<WarpAccess> read_accesses(const AccessOptions& options);

/// "0-7,16,18".
std::string lane_list(const std::vector<int>& lanes);

/// Before the path of an order, in the place of a raster's name.
inline constexpr std::string_view kFilePrefix = "file:";

/// Proves the grid, and adds waves (with a device or --ctas) and predicted traffic (with a device,
/// --cta and --k). Throws a usage error for options that are bad or belong together.
GridReport report_grid(const GridOptions& options);
/// The same of an order that is given; null: options say which.
GridReport report_grid(const GridOptions& options, std::shared_ptr<const GivenOrder> given);

/// The subject `nested` of analyze: options to a report. Parses, verifies and follows the layout.
/// Throws a usage error.
NestedReport report_nested(const NestedOptions& options);

/// The subject `swizzle` of analyze: options to a report. Solves for the tile and patterns, or
/// costs the swizzle of --swizzle. Throws a usage error.
SwizzleReport report_swizzle(const SwizzleOptions& options);

/// True without --write and --read: nothing accesses the tile.
bool is_alone(const SwizzleOptions& options);

/// What --swizzle does to the tile, without --write and --read. Throws a usage error.
SwizzleFacts swizzle_facts(const SwizzleOptions& options);

/// What --check and --sweep call by name.
std::vector<NamedNumber> numbers_of(const GridOptions& options);
std::vector<NamedNumber> numbers_of(const ScheduleOptions& options);
std::vector<NamedNumber> numbers_of(const LayoutOptions& options);
std::vector<NamedNumber> numbers_of(const NestedOptions& options);
std::vector<NamedNumber> numbers_of(const SwizzleOptions& options);

}  // namespace tilewright
