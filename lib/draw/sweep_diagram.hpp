// Numbers over the values of one parameter: one chart per number, one below the other.
#pragma once

#include "base/sweep.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// The parameter runs to the right, on a logarithmic axis where its values grow by powers. Least
/// and most are labelled, and values without numbers are marked below. Numbers that share a chart
/// are lines with a legend, on a logarithmic axis where they are far apart.
Scene sweep_diagram(const Sweep& sweep, const AvailableSize& available = {});

}  // namespace tilewright
