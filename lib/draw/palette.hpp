// The colours of every picture, distinct for colour-blind readers and in print.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
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

// Colours of a CTA's work outside its main loop; distinct from each other and from every hue.
inline constexpr Color kLaunch = {0xb8, 0xb3, 0xaa};
inline constexpr Color kEpilogue = {0x3b, 0x4f, 0x66};
inline constexpr Color kFixUp = {0xc4, 0x3d, 0x4d};
inline constexpr Color kReduction = {0x1d, 0x80, 0x74};
inline constexpr Color kWaste = {0xfb, 0xec, 0xec};
inline constexpr Color kWasteHatch = {0xc4, 0x3d, 0x4d};

/// Tiles and k-steps that a mapping from a file never computes.
inline const Style kMissing = {.fill = kWaste, .hatch = kWasteHatch};

inline constexpr int kRampSteps = 12;

inline constexpr int kHues = 8;
inline constexpr int kBankShades = 32;

/// Eight fills for things identified by a number; they repeat after kHues.
Color hue(int64_t index);

/// Shades of a hue, from strong to pale.
inline constexpr int kShades = 4;

/// The fill of one of kShades steps of hue(index).
Color shade(int64_t index, int step);

/// The fill of a shared-memory bank in [0, kBankShades): one hue per 16 bytes, with four shades
/// from strong to pale for its banks.
Color bank_color(int bank);

/// A hue index for a thread; threads of neighbouring rows have different ones.
int thread_hue(int64_t thread);

/// Light to dark, for a position in [0, kRampSteps).
Color ramp_color(int step);

/// Pale to strong, for costs, for a position in [0, kRampSteps).
Color heat_color(int step);

/// The colour with another opacity.
constexpr Color with_alpha(Color color, uint8_t alpha) {
  return {color.r, color.g, color.b, alpha};
}

}  // namespace tilewright::palette

namespace tilewright {

/// Pairs of waves that are neighbours in a picture and therefore need different colours.
using WavePairs = std::vector<std::pair<int64_t, int64_t>>;

/// Adds the pairs of horizontal and vertical neighbours in row-major cells; a negative wave is
/// none.
void add_touching_waves(std::span<const int64_t> waves, int columns, WavePairs& pairs);

/// A hue index for each wave, cyclic where possible. The waves of a pair and consecutive waves get
/// different colours, as far as there are enough hues.
std::vector<int> wave_colors(int64_t waves, WavePairs touching);

/// What the colours of grids and charts stand for. A wave is the unit's index within its CTA.
enum class UnitColor { Cta, Wave, Product };

inline constexpr std::string_view kUnitColors[] = {"cta", "wave", "product"};

struct UnitColors {
  UnitColor by = UnitColor::Wave;
  std::vector<int> of_wave = {};     // wave_colors(); empty: the hues in a cycle
  std::vector<int> of_product = {};  // hues of the problems of a group, -1 for an empty one
  int index(int64_t cta, int64_t unit_index, int problem) const;
  Color fill(int64_t cta, int64_t unit_index, int problem) const;
};

/// One patch per colour, with the waves of that colour. `of_wave` holds a hue index, or -1 for a
/// wave that is not shown. With another noun, such as "problem", the same for other numbers.
std::vector<LegendEntry> wave_legend(std::span<const int> of_wave, std::string_view noun = "wave");

/// The legend of `count` waves; the palette repeats its hues.
std::vector<LegendEntry> wave_legend(int64_t count);

/// One entry that shows the colours of CTAs.
LegendEntry cta_legend(const std::string& text);

}  // namespace tilewright
