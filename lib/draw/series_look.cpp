#include "draw/series_look.hpp"

#include <array>
#include <vector>

#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr std::array<Color, kSeriesLooks> kColors = {{
    {0x2b, 0x6c, 0xb0},
    {0x9c, 0x8b, 0x00},
    {0x7c, 0x13, 0x4c},
    {0x03, 0x9f, 0x50},
    {0x9d, 0x2b, 0xeb},
    {0x3f, 0x4b, 0x00},
    {0x00, 0x11, 0xa8},
    {0x57, 0x00, 0x6f},
}};

PathItem closed_path(std::vector<Point> points, const Style& style) {
  return {.role = "point", .points = std::move(points), .closed = true, .style = style};
}

}  // namespace

Color series_color(size_t series) {
  return kColors[series % kSeriesLooks];
}

SceneItem series_point(size_t series, Point at, double radius) {
  constexpr size_t kShapes = 4;
  const Style style{.fill = series_color(series), .stroke = palette::kPaper};
  const auto box = [&](double half, double corner) {
    return RectangleItem{.role = "point",
                         .at = {at.x - half, at.y - half},
                         .width = 2 * half,
                         .height = 2 * half,
                         .radius = corner,
                         .style = style};
  };
  const double wide = radius * 1.35;
  switch (series % kShapes) {
    case 0: return box(radius, radius);
    case 1: return box(radius * 0.95, 0);
    case 2:
      return closed_path(
          {{at.x, at.y - wide}, {at.x + wide, at.y}, {at.x, at.y + wide}, {at.x - wide, at.y}},
          style);
    default:
      return closed_path(
          {{at.x, at.y - wide}, {at.x + wide, at.y + radius}, {at.x - wide, at.y + radius}}, style);
  }
}

LegendEntry series_legend(size_t series, const std::string& text) {
  constexpr double kWide = 30;
  constexpr double kMiddle = kLegendSymbolHeight / 2;
  return {text,
          kWide,
          {line_item("legend", {0, kMiddle}, {kWide, kMiddle}, series_color(series), 2),
           series_point(series, {kWide / 2, kMiddle}, 4)}};
}

}  // namespace tilewright
