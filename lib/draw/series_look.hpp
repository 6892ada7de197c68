// Lines of one chart that are told apart: by colour, by the shape of their points, by a number.
#pragma once

#include <cstddef>
#include <string>

#include "draw/legend.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Series whose lines look different; they repeat after that.
inline constexpr size_t kSeriesLooks = 8;

/// Apart from each other and from the paper, also for colour-blind readers.
Color series_color(size_t series);

/// A point of the series: a disc, a square, a diamond or a triangle of about `radius`.
SceneItem series_point(size_t series, Point at, double radius);

/// A piece of the series' line with a point, and what it is.
LegendEntry series_legend(size_t series, const std::string& text);

}  // namespace tilewright
