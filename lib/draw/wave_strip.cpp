#include "draw/wave_strip.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "base/text.hpp"
#include "draw/palette.hpp"
#include "draw/stroke_font.hpp"

namespace tilewright {
namespace {

constexpr double kTickSize = 11;
constexpr double kHeight = 90;   // of the highest bar
constexpr double kLeastBar = 3;  // pixels, with its gap
constexpr double kMostBar = 36;
constexpr double kAlike = 0.005;
constexpr Color kBarEdge = palette::with_alpha(palette::kMuted, 120);

struct Range {
  double least = 1;
  double most = 0;
  bool alike() const { return most - least < kAlike; }
};

Range hit_range(const std::vector<WaveReuse>& waves) {
  Range range;
  for (const WaveReuse& wave : waves) {
    range.least = std::min(range.least, wave.hit_rate());
    range.most = std::max(range.most, wave.hit_rate());
  }
  return range;
}

int heat_of(double hit_rate, const Range& range) {
  if (range.alike()) return 0;
  const double share = (range.most - hit_rate) / (range.most - range.least);
  return std::clamp(static_cast<int>(std::lround(share * (palette::kRampSteps - 1))), 0,
                    palette::kRampSteps - 1);
}

// Means of `group` waves each.
std::vector<WaveReuse> grouped(const std::vector<WaveReuse>& waves, size_t group) {
  std::vector<WaveReuse> means;
  for (size_t begin = 0; begin < waves.size(); begin += group) {
    const size_t end = std::min(begin + group, waves.size());
    WaveReuse mean;
    for (size_t i = begin; i < end; ++i) {
      mean.dram_read_bytes += waves[i].dram_read_bytes / static_cast<double>(end - begin);
      mean.l2_read_bytes += waves[i].l2_read_bytes / static_cast<double>(end - begin);
    }
    means.push_back(mean);
  }
  return means;
}

LabelItem label(Point at, const std::string& text, Anchor anchor, bool bold = false) {
  return {.role = "axis",
          .at = at,
          .text = text,
          .size = kTickSize,
          .bold = bold,
          .anchor = anchor,
          .color = bold ? palette::kInk : palette::kMuted};
}

}  // namespace

std::vector<int> wave_heat(const std::vector<WaveReuse>& waves) {
  const Range range = hit_range(waves);
  std::vector<int> heat;
  heat.reserve(waves.size());
  for (const WaveReuse& wave : waves) heat.push_back(heat_of(wave.hit_rate(), range));
  return heat;
}

PageBlock wave_strip(const std::vector<WaveReuse>& waves, double width) {
  const auto most_bars = static_cast<size_t>(width / kLeastBar);
  const size_t group = ceil_div(waves.size(), most_bars);
  const std::vector<WaveReuse> bars = grouped(waves, group);
  const Range range = hit_range(waves);
  double most = 0;
  for (const WaveReuse& bar : bars) most = std::max(most, bar.dram_read_bytes);
  const std::string top_text = human_bytes(most);
  const double left = text_width(top_text, kTickSize) + 8;
  const double wide = std::min((width - left) / static_cast<double>(bars.size()), kMostBar);
  const bool apart = wide >= 6;
  constexpr double kTop = 30;
  PageBlock block;
  const std::string name = group == 1 ? "read from DRAM by each wave"
                                      : format("read from DRAM by a wave, means of {}", group);
  block.items.push_back(label({0, 10}, name, Anchor::Start, true));
  for (size_t i = 0; i < bars.size(); ++i) {
    const double high = most > 0 ? kHeight * bars[i].dram_read_bytes / most : 0;
    block.items.push_back(
        RectangleItem{.role = "wave-bar",
                      .at = {left + wide * static_cast<double>(i), kTop + kHeight - high},
                      .width = wide - (apart ? 2 : 0),
                      .height = high,
                      .style = {.fill = palette::heat_color(heat_of(bars[i].hit_rate(), range))}});
    if (apart) std::get<RectangleItem>(block.items.back()).style.stroke = kBarEdge;
  }
  const double right = left + wide * static_cast<double>(bars.size());
  block.items.push_back(PathItem{.role = "axis",
                                 .points = {{left, kTop + kHeight}, {right, kTop + kHeight}},
                                 .style = {.stroke = palette::kInk, .stroke_width = 1}});
  block.items.push_back(label({left - 6, kTop + 8}, top_text, Anchor::End));
  block.items.push_back(label({left - 6, kTop + kHeight}, "0", Anchor::End));
  block.items.push_back(label({left, kTop + kHeight + 16}, "wave 0", Anchor::Start));
  const std::string last = format("{}", waves.size() - 1);
  if (right - left > text_width("wave 0", kTickSize) + text_width(last, kTickSize) + 16) {
    block.items.push_back(label({right, kTop + kHeight + 16}, last, Anchor::End));
  }
  block.width = std::max({right, left + 60, text_width(name, kTickSize, true)});
  block.height = kTop + kHeight + 20;
  return block;
}

LegendEntry heat_legend(const std::vector<WaveReuse>& waves) {
  const Range range = hit_range(waves);
  if (range.alike()) {
    return legend_patch(format("{:.1f} % of a wave's reads hit L2", 100 * range.most),
                        {.fill = palette::heat_color(0), .stroke = palette::kFaint});
  }
  std::vector<Color> colors;
  colors.reserve(palette::kRampSteps);
  for (int i = 0; i < palette::kRampSteps; ++i) colors.push_back(palette::heat_color(i));
  return legend_ramp(format("{:.1f} % down to {:.1f} % of a wave's reads hit L2", 100 * range.most,
                            100 * range.least),
                     colors);
}

}  // namespace tilewright
