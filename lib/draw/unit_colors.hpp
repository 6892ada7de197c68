// Which colour the units of a CTA or of a wave have: waves that touch differ.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "draw/legend.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Pairs of waves that lie beside each other.
using WavePairs = std::vector<std::pair<int64_t, int64_t>>;

/// Adds the pairs of neighbours, across and down, of row-major cells; a wave < 0 is none.
void add_touching_waves(std::span<const int64_t> waves, int columns, WavePairs& pairs);

/// A hue's index for each wave. They take turns where they may; no two of a pair and no two in a
/// row are of one colour, as far as the hues suffice.
std::vector<int> wave_colors(int64_t waves, WavePairs touching);

/// What colours tell, in grids and charts alike.
struct UnitColors {
  bool by_cta = false;            // else by wave: the CTA's how-many-th unit
  std::vector<int> of_wave = {};  // wave_colors(); none: they take turns
  int index(int64_t cta, int64_t turn) const;
  Color fill(int64_t cta, int64_t turn) const;
};

/// One patch a colour that names its waves; `of_wave` is a hue's index, or -1 for a wave that is
/// not shown.
std::vector<LegendEntry> wave_legend(std::span<const int> of_wave);

/// The same for `count` waves that take turns.
std::vector<LegendEntry> wave_legend(int64_t count);

/// One entry with the colours of CTAs.
LegendEntry cta_legend(const std::string& text);

}  // namespace tilewright
