// What each wave of a grid reads from DRAM: colours for its tiles, on a scale that all pictures
// share, and a strip of bars.
#pragma once

#include <string>
#include <vector>

#include "draw/diagram_page.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// For every wave what it reads from DRAM, over its tiles' share of reading A and B once; 0 for a
/// wave without tiles.
std::vector<double> wave_rereads(const GridTraffic& traffic);

/// The step of palette::heat_color: step i reaches up to sqrt(2)^i, the last one beyond.
int heat_step(double rereads_operands);

/// "DRAM re-reads 5.7x".
std::string rereads_text(double rereads_operands);

/// Of wave_strip(), pixels.
inline constexpr double kWaveStripHeight = 140;

/// A bar a wave, as high as what it reads from DRAM; where they are too many for `width` pixels,
/// one for several, with their mean.
PageBlock wave_strip(const GridTraffic& traffic, double width);

/// The scale of the heat, the same for all pictures.
LegendEntry heat_legend();

}  // namespace tilewright
