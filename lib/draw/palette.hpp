// The colours of every picture, chosen to stay apart for colour-blind readers and in print.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "draw/legend.hpp"
#include "draw/scene.hpp"

namespace tilewright::palette {

inline constexpr Color kInk = {0x1b, 0x27, 0x33};
inline constexpr Color kMuted = {0x5a, 0x67, 0x74};
inline constexpr Color kFaint = {0xc9, 0xd1, 0xd9};
inline constexpr Color kPaper = {0xff, 0xff, 0xff};
inline constexpr Color kOverhang = {0xf4, 0xf5, 0xf6};
inline constexpr Color kHatch = {0xa3, 0xad, 0xb7};

// Of what a CTA does beside its main loops; apart from each other and from every hue.
inline constexpr Color kLaunch = {0xb8, 0xb3, 0xaa};
inline constexpr Color kEpilogue = {0x3b, 0x4f, 0x66};
inline constexpr Color kFixUp = {0xc4, 0x3d, 0x4d};
inline constexpr Color kReduction = {0x1d, 0x80, 0x74};
inline constexpr Color kWaste = {0xfb, 0xec, 0xec};
inline constexpr Color kWasteHatch = {0xc4, 0x3d, 0x4d};

/// What a mapping from a file never computes.
inline const Style kMissing = {.fill = kWaste, .hatch = kWasteHatch};

inline constexpr int kRampSteps = 12;

inline constexpr int kHues = 8;
inline constexpr int kBankShades = 32;

/// Eight fills for what is told apart by its number; they repeat after kHues.
Color hue(int64_t index);

/// The fill of a shared-memory bank in [0, kBankShades): a hue for each 16 bytes, its four banks
/// from strong to pale.
Color bank_color(int bank);

/// A hue index for a thread, such that threads of neighbouring rows differ, too.
int thread_hue(int64_t thread);

/// Light to dark, for a position in [0, kRampSteps).
Color ramp_color(int step);

/// Pale to strong, for what costs, for a position in [0, kRampSteps).
Color heat_color(int step);

/// The colour, seen through.
constexpr Color with_alpha(Color color, uint8_t alpha) {
  return {color.r, color.g, color.b, alpha};
}

}  // namespace tilewright::palette

namespace tilewright {

/// Pairs of waves that lie beside each other, and so get different colours.
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
  int index(int64_t cta, int64_t unit_index) const;
  Color fill(int64_t cta, int64_t unit_index) const;
};

/// One patch a colour that names its waves; `of_wave` is a hue's index, or -1 for a wave that is
/// not shown.
std::vector<LegendEntry> wave_legend(std::span<const int> of_wave);

/// The same for `count` waves that take turns.
std::vector<LegendEntry> wave_legend(int64_t count);

/// One entry with the colours of CTAs.
LegendEntry cta_legend(const std::string& text);

}  // namespace tilewright
