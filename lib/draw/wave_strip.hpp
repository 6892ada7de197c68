// What each wave of a grid reads from DRAM: colours for its tiles, on a scale that all pictures
// share, and a strip of bars.
#pragma once

#include <vector>

#include "draw/diagram_page.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// For every wave a step of palette::heat_color by its DRAM reads, over its tiles' share of reading
/// A and B once: step i reaches up to sqrt(2)^i, the last one beyond.
std::vector<int> wave_heat(const GridTraffic& traffic);

/// Of wave_strip(), pixels.
inline constexpr double kWaveStripHeight = 140;

/// A bar a wave, as high as what it reads from DRAM; where they are too many for `width` pixels,
/// one for several, with their mean.
PageBlock wave_strip(const GridTraffic& traffic, double width);

/// The scale of the heat, the same for all pictures.
LegendEntry heat_legend();

}  // namespace tilewright
