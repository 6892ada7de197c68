// DRAM reads per wave of a grid: colours for its tiles, on a scale that all pictures share, and a
// strip of bars.
#pragma once

#include <string>
#include <vector>

#include "draw/diagram_page.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// The DRAM reads of every wave over the share of its tiles in reading A and B once; 0 for a wave
/// without tiles.
std::vector<double> wave_rereads(const GridTraffic& traffic);

/// The index for palette::heat_color(): step i reaches up to sqrt(2)^i, the last step has no bound.
int heat_step(double rereads_operands);

/// "DRAM re-reads 5.7x".
std::string rereads_text(double rereads_operands);

/// Height of wave_strip(), pixels.
inline constexpr double kWaveStripHeight = 140;

/// One bar per wave, as high as the wave's DRAM reads; where `width` pixels are too few, one bar
/// for several waves, with their mean.
PageBlock wave_strip(const GridTraffic& traffic, double width);

/// The scale of heat colours, the same for all pictures.
LegendEntry heat_legend();

}  // namespace tilewright
