// The subjects of `analyze`, from options to reports; and the accesses of `profile access`.
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

/// The warp instructions of --op with --addresses or --file. Throws a usage error unless exactly
/// one of the two is there and all addresses are valid.
std::vector<WarpAccess> read_accesses(const AccessOptions& options);

/// "0-7,16,18".
std::string lane_list(const std::vector<int>& lanes);

/// The prefix of an order's path where a raster's name is expected.
inline constexpr std::string_view kFilePrefix = "file:";

/// Proves the grid, and adds waves (with a device or --ctas) and predicted traffic (with a device,
/// --cta and --k). Throws a usage error for options that are bad, or incomplete without others.
GridReport report_grid(const GridOptions& options);
/// The same for a given order; null: the options decide.
GridReport report_grid(const GridOptions& options, std::shared_ptr<const GivenOrder> given);

/// The subject `nested` of analyze. Parses, verifies and traces the layout. Throws a usage error.
NestedReport report_nested(const NestedOptions& options);

/// The subject `swizzle` of analyze. Solves for the tile and patterns, or costs the swizzle of
/// --swizzle. Throws a usage error.
SwizzleReport report_swizzle(const SwizzleOptions& options);

/// True without --write and --read: no pattern accesses the tile.
bool is_alone(const SwizzleOptions& options);

/// The effect of --swizzle on the tile, without --write and --read. Throws a usage error.
SwizzleFacts swizzle_facts(const SwizzleOptions& options);

/// The numbers that --check and --sweep can name.
std::vector<NamedNumber> numbers_of(const GridOptions& options);
std::vector<NamedNumber> numbers_of(const ScheduleOptions& options);
std::vector<NamedNumber> numbers_of(const LayoutOptions& options);
std::vector<NamedNumber> numbers_of(const NestedOptions& options);
std::vector<NamedNumber> numbers_of(const SwizzleOptions& options);

}  // namespace tilewright
