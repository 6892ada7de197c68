// Reads a mapping that a user supplies as text: the tile order of a grid, or the work of every CTA.
//
// CSV: one value a column, with or without a header line; '#' begins a comment. JSON: the output of
// `analyze grid --order` and `analyze schedule --assignments`, or a list of rows.
#pragma once

#include <string>
#include <string_view>

#include "tile/plan/external_schedule.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// Rows m,n in slot order, or slot,m,n in any order. Slots without a row are overhang, as null is.
/// Throws a usage error that names the line.
GivenOrder parse_given_order(std::string_view text, const std::string& name);

/// Rows cta,problem,m,n,k_begin,k_end; the rows of one CTA are in its order. With a header line the
/// problem and the k-steps may be left out (problem 0, all of K). Throws a usage error that names
/// the line.
ExternalSchedule parse_external_schedule(std::string_view text, const std::string& name);

}  // namespace tilewright
