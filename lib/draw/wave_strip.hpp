// How well each wave of a grid reuses what L2 holds: colours for its tiles, and a strip of bars.
#pragma once

#include <vector>

#include "draw/diagram_page.hpp"
#include "tile/grid_report.hpp"

namespace tilewright {

/// For every wave a step of palette::heat_color: the fewer hits, the stronger. Waves that differ by
/// less than half a percent point share the palest.
std::vector<int> wave_heat(const std::vector<WaveReuse>& waves);

/// A bar a wave, as high as what it reads from DRAM; where they are too many for `width` pixels,
/// one for several, with their mean.
PageBlock wave_strip(const std::vector<WaveReuse>& waves, double width);

/// The scale of the heat.
LegendEntry heat_legend(const std::vector<WaveReuse>& waves);

}  // namespace tilewright
