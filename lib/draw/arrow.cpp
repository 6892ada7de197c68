#include "draw/arrow.hpp"

#include <cmath>

#include "draw/palette.hpp"

namespace tilewright {

PathItem line_item(const char* role, Point from, Point to, Color color, double width) {
  return {.role = role, .points = {from, to}, .style = {.stroke = color, .stroke_width = width}};
}

PathItem arrow_head(const char* role, Point from, Point to, double size) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const Point d = {(to.x - from.x) / length * size, (to.y - from.y) / length * size};
  const Point tip = {(from.x + to.x) / 2 + d.x * 0.6, (from.y + to.y) / 2 + d.y * 0.6};
  return {.role = role,
          .points = {tip,
                     {tip.x - d.x - d.y * 0.55, tip.y - d.y + d.x * 0.55},
                     {tip.x - d.x + d.y * 0.55, tip.y - d.y - d.x * 0.55}},
          .closed = true,
          .style = {.fill = palette::kInk}};
}

}  // namespace tilewright
