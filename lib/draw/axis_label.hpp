// Text beside an axis, alike in every picture: its numbers muted, its name bold.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// Bold text is in ink.
LabelItem axis_label(const std::string& role, Point at, const std::string& text, Anchor anchor,
                     double size, bool bold = false);

}  // namespace tilewright
