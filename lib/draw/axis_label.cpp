#include "draw/axis_label.hpp"

#include "draw/palette.hpp"

namespace tilewright {

LabelItem axis_label(const std::string& role, Point at, const std::string& text, Anchor anchor,
                     double size, bool bold) {
  return {.role = role,
          .at = at,
          .text = text,
          .size = size,
          .bold = bold,
          .anchor = anchor,
          .color = bold ? palette::kInk : palette::kMuted};
}

}  // namespace tilewright
