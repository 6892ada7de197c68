// Numbers over the values of one parameter: a chart a number, one below the other.
#pragma once

#include "base/sweep.hpp"
#include "draw/room.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// The parameter runs to the right, by powers where its values do; least and most are named, and
/// values without numbers are marked below.
/// Numbers of one chart are lines with a legend, on an axis by powers where they are far apart.
Scene sweep_diagram(const Sweep& sweep, const Room& room = {});

}  // namespace tilewright
