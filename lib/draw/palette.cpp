#include "draw/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"

namespace tilewright::palette {

namespace {

// In this cycle neighbours differ by 32 and any two hues by 18 (CIE Lab distance), also as seen
// with protanopia, deuteranopia and tritanopia. Dark text is legible on all.
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

// From ivory over orange to violet: neighbours differ by 15 (CIE Lab distance), every second by 30,
// each darker than the one before.
constexpr std::array<Color, kRampSteps> kHeatColors = {{
    {0xff, 0xff, 0xf0},
    {0xff, 0xf8, 0xc4},
    {0xff, 0xec, 0x9a},
    {0xff, 0xd6, 0x6c},
    {0xff, 0xb9, 0x52},
    {0xfe, 0x9c, 0x4e},
    {0xfc, 0x85, 0x5e},
    {0xf5, 0x7c, 0x78},
    {0xea, 0x7a, 0x98},
    {0xd5, 0x7e, 0xb5},
    {0xbb, 0x80, 0xd3},
    {0x9a, 0x86, 0xe8},
}};

uint8_t mix(uint8_t a, uint8_t b, double t) {
  return static_cast<uint8_t>(std::lround(a + (b - a) * t));
}

Color between(Color first, Color last, int step) {
  const double t = static_cast<double>(step) / (kRampSteps - 1);
  return {mix(first.r, last.r, t), mix(first.g, last.g, t), mix(first.b, last.b, t)};
}

int hue_index(int64_t unit_index) {
  return static_cast<int>(unit_index % kHues);
}

// The first colour from `wanted` on that the fewest neighbours have.
int best_color(int wanted, const std::array<int, kHues>& taken) {
  int best = wanted;
  for (int i = 0; i < kHues; ++i) {
    const int color = (wanted + i) % kHues;
    if (taken[static_cast<size_t>(color)] < taken[static_cast<size_t>(best)]) best = color;
  }
  return best;
}

}  // namespace

Color hue(int64_t index) {
  return kHueColors[static_cast<size_t>(index % kHues)];
}

Color shade(int64_t index, int step) {
  const Color full = hue(index);
  const double t = 0.2 * step;
  return {mix(full.r, 0xff, t), mix(full.g, 0xff, t), mix(full.b, 0xff, t)};
}

Color bank_color(int bank) {
  return shade(bank / kShades, bank % kShades);
}

int thread_hue(int64_t thread) {
  return static_cast<int>((thread + thread / kHues * 3 + thread / kHues / kHues) % kHues);
}

Color ramp_color(int step) {
  return between(kRampFirst, kRampLast, step);
}

Color heat_color(int step) {
  return kHeatColors[static_cast<size_t>(step)];
}

}  // namespace tilewright::palette

namespace tilewright {

void add_touching_waves(std::span<const int64_t> waves, int columns, WavePairs& pairs) {
  const auto width = static_cast<size_t>(columns);
  const auto add = [&](int64_t a, int64_t b) {
    if (a >= 0 && b >= 0 && a != b) pairs.emplace_back(std::max(a, b), std::min(a, b));
  };
  for (size_t i = 0; i < waves.size(); ++i) {
    if ((i + 1) % width != 0) add(waves[i], waves[i + 1]);
    if (i + width < waves.size()) add(waves[i], waves[i + width]);
  }
}

std::vector<int> wave_colors(int64_t waves, WavePairs touching) {
  for (int64_t wave = 1; wave < waves; ++wave) touching.emplace_back(wave, wave - 1);
  std::sort(touching.begin(), touching.end());
  touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
  std::vector<int> colors;
  colors.reserve(static_cast<size_t>(waves));
  auto pair = touching.begin();
  for (int64_t wave = 0; wave < waves; ++wave) {
    std::array<int, palette::kHues> taken{};
    for (; pair != touching.end() && pair->first == wave; ++pair) {
      ++taken[static_cast<size_t>(colors[static_cast<size_t>(pair->second)])];
    }
    colors.push_back(palette::best_color(palette::hue_index(wave), taken));
  }
  return colors;
}

int UnitColors::index(int64_t cta, int64_t unit_index, int problem) const {
  if (by == UnitColor::Cta) return palette::hue_index(cta);
  if (by == UnitColor::Product) return of_product[static_cast<size_t>(problem)];
  return static_cast<size_t>(unit_index) < of_wave.size() ? of_wave[static_cast<size_t>(unit_index)]
                                                          : palette::hue_index(unit_index);
}

Color UnitColors::fill(int64_t cta, int64_t unit_index, int problem) const {
  return palette::hue(index(cta, unit_index, problem));
}

std::vector<LegendEntry> wave_legend(std::span<const int> of_wave, std::string_view noun) {
  constexpr size_t kNamed = 3;
  std::array<std::vector<size_t>, palette::kHues> waves;
  for (size_t wave = 0; wave < of_wave.size(); ++wave) {
    if (of_wave[wave] >= 0) waves[static_cast<size_t>(of_wave[wave])].push_back(wave);
  }
  std::vector<LegendEntry> entries;
  for (int color = 0; color < palette::kHues; ++color) {
    const std::vector<size_t>& named = waves[static_cast<size_t>(color)];
    if (named.empty()) continue;
    std::string text = format("{}{}", noun, named.size() == 1 ? "" : "s");
    for (size_t i = 0; i < std::min(kNamed, named.size()); ++i) {
      text += format("{} {}", i == 0 ? "" : ",", named[i]);
    }
    if (named.size() > kNamed) text += ", ...";
    entries.push_back(legend_patch(text, {.fill = palette::hue(color)}));
  }
  return entries;
}

std::vector<LegendEntry> wave_legend(int64_t count) {
  return wave_legend(wave_colors(count, {}));
}

LegendEntry cta_legend(const std::string& text) {
  std::vector<Color> colors;
  colors.reserve(palette::kHues);
  for (int i = 0; i < palette::kHues; ++i) colors.push_back(palette::hue(i));
  return legend_ramp(text, colors);
}

}  // namespace tilewright
