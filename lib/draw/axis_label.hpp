// Labels at an axis, the same in every picture: muted numbers, bold names.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// Bold text has the colour of ink.
LabelItem axis_label(const std::string& role, Point at, const std::string& text, Anchor anchor,
                     double size, bool bold = false);

}  // namespace tilewright
