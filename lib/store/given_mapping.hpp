// Somebody else's mapping as text: the order of a grid, or the work of every CTA.
//
// CSV: a value a column, with or without a line of their names; '#' begins a comment. JSON: what
// `analyze grid --order` and `analyze schedule --assignments` print, or a list of rows.
#pragma once

#include <string>
#include <string_view>

#include "tile/plan/given_work.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// m,n by slot, or slot,m,n in any order; slots that nobody names are overhang, as is a null.
/// Throws a usage error that names the line.
GivenOrder parse_given_order(std::string_view text, const std::string& name);

/// cta,problem,m,n,k_begin,k_end, those of one CTA in its order; with a line of names the problem
/// and the k-steps may be left out (problem 0, all of K). Throws a usage error that names the line.
GivenWork parse_given_work(std::string_view text, const std::string& name);

}  // namespace tilewright
