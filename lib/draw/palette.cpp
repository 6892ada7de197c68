#include "draw/palette.hpp"

#include <array>
#include <cmath>

namespace tilewright::palette {
namespace {

// Neighbours in this cycle differ by 32 and any two by 18 (CIE Lab distance), also as seen with
// protanopia, deuteranopia and tritanopia; all carry dark text.
constexpr std::array<Color, kHues> kHueColors = {{
    {0x9c, 0xd2, 0xfa},
    {0xf7, 0xa1, 0x78},
    {0x8b, 0xaa, 0xae},
    {0xf7, 0xfa, 0xb4},
    {0xaa, 0x8c, 0x78},
    {0xd2, 0xf0, 0xfa},
    {0xa7, 0x8a, 0xe4},
    {0xfa, 0xcf, 0xc1},
}};

constexpr Color kRampFirst = {0xf1, 0xf6, 0xfb};
constexpr Color kRampLast = {0x7f, 0xae, 0xdc};

constexpr Color kHeatFirst = {0xff, 0xf6, 0xe6};
constexpr Color kHeatLast = {0xe0, 0x77, 0x3f};

uint8_t mix(uint8_t a, uint8_t b, double t) {
  return static_cast<uint8_t>(std::lround(a + (b - a) * t));
}

Color between(Color first, Color last, int step) {
  const double t = static_cast<double>(step) / (kRampSteps - 1);
  return {mix(first.r, last.r, t), mix(first.g, last.g, t), mix(first.b, last.b, t)};
}

}  // namespace

Color hue(int64_t index) {
  return kHueColors[static_cast<size_t>(index % kHues)];
}

Color bank_color(int bank) {
  const Color full = hue(bank / 4);
  const double t = 0.2 * (bank % 4);
  return {mix(full.r, 0xff, t), mix(full.g, 0xff, t), mix(full.b, 0xff, t)};
}

int thread_hue(int64_t thread) {
  return static_cast<int>((thread + thread / kHues * 3 + thread / kHues / kHues) % kHues);
}

Color ramp_color(int step) {
  return between(kRampFirst, kRampLast, step);
}

Color heat_color(int step) {
  return between(kHeatFirst, kHeatLast, step);
}

}  // namespace tilewright::palette
