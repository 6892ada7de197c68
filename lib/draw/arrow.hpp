// Lines and their heads.
#pragma once

#include "draw/scene.hpp"

namespace tilewright {

PathItem line_item(const char* role, Point from, Point to, Color color, double width);

/// A filled head in the middle of a line that is longer than 0.
PathItem arrow_head(const char* role, Point from, Point to, double size);

}  // namespace tilewright
