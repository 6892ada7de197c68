// Numbers over the values of one parameter: a chart a number, one below the other.
#pragma once

#include "base/sweep.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// The parameter runs to the right, by powers where its values do; least and most are named, and
/// values without numbers are marked below.
Scene sweep_diagram(const Sweep& sweep);

}  // namespace tilewright
