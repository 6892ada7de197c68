// The looks of the lines in one chart: a colour, a point shape and a number for each.
#pragma once

#include <cstddef>
#include <string>

#include "draw/legend.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Number of different looks; they repeat after that.
inline constexpr size_t kSeriesLooks = 8;

/// Colours distinct from each other and from the paper, also for colour-blind readers.
Color series_color(size_t series);

/// A point of the series: a disc, square, diamond or triangle of about `radius`.
SceneItem series_point(size_t series, Point at, double radius);

/// A sample of the series' line with a point, and its name.
LegendEntry series_legend(size_t series, const std::string& text);

}  // namespace tilewright
