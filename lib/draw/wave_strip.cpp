#include "draw/wave_strip.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr double kTop = 30;                               // space above the highest bar
constexpr double kHeight = kWaveStripHeight - kTop - 20;  // height of that bar
constexpr double kMinWaveBar = 3;                         // pixels, gap included
constexpr double kMaxBar = 36;
constexpr Color kBarEdge = palette::with_alpha(palette::kMuted, 120);

// One wave, or several consecutive ones.
struct WaveBar {
  double tiles = 0;
  double dram_read_bytes = 0;
  double mean_bytes = 0;  // mean DRAM reads of its waves
};

// The upper bound of a heat step, as a multiple of the wave's share of A and B.
double most_of_step(int step) {
  return std::exp2(0.5 * step);
}

double rereads_of(double tiles, double dram_read_bytes, double share_bytes) {
  const double once = tiles * share_bytes;
  return once > 0 ? dram_read_bytes / once : 0;
}

// Bytes that a tile of the grid would read if A and B were read once in all.
double share_of_tile(const GridTraffic& traffic) {
  double tiles = 0;
  for (const WaveReads& wave : traffic.waves) tiles += static_cast<double>(wave.tiles);
  return tiles > 0 ? traffic.compulsory_bytes / tiles : 0;
}

std::vector<WaveBar> bars_of(const std::vector<WaveReads>& waves, size_t group) {
  std::vector<WaveBar> bars;
  for (size_t begin = 0; begin < waves.size(); begin += group) {
    const size_t end = std::min(begin + group, waves.size());
    WaveBar bar;
    for (size_t i = begin; i < end; ++i) {
      bar.tiles += static_cast<double>(waves[i].tiles);
      bar.dram_read_bytes += waves[i].dram_read_bytes;
    }
    bar.mean_bytes = bar.dram_read_bytes / static_cast<double>(end - begin);
    bars.push_back(bar);
  }
  return bars;
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

std::vector<double> wave_rereads(const GridTraffic& traffic) {
  const double share = share_of_tile(traffic);
  std::vector<double> rereads_operands;
  rereads_operands.reserve(traffic.waves.size());
  for (const WaveReads& wave : traffic.waves) {
    rereads_operands.push_back(
        rereads_of(static_cast<double>(wave.tiles), wave.dram_read_bytes, share));
  }
  return rereads_operands;
}

int heat_step(double rereads_operands) {
  constexpr double kRounding = 1e-9;
  int step = 0;
  while (step < palette::kRampSteps - 1 && rereads_operands > most_of_step(step) * (1 + kRounding))
    ++step;
  return step;
}

std::string rereads_text(double rereads_operands) {
  return format("DRAM re-reads {:.1f}x", rereads_operands);
}

PageBlock wave_strip(const GridTraffic& traffic, double width) {
  const std::vector<WaveReads>& waves = traffic.waves;
  const auto most_bars = static_cast<size_t>(width / kMinWaveBar);
  const size_t group = ceil_div(waves.size(), most_bars);
  const std::vector<WaveBar> bars = bars_of(waves, group);
  const double share = share_of_tile(traffic);
  double most = 0;
  for (const WaveBar& bar : bars) most = std::max(most, bar.mean_bytes);
  // Pictures with similar traffic get the same axis.
  const double top = most > 0 ? round_step(most) : 1;
  const std::string top_text = human_bytes(top);
  const double left = text_width(top_text, kTickSize) + 8;
  const double wide = std::min((width - left) / static_cast<double>(bars.size()), kMaxBar);
  const bool apart = wide >= 6;
  PageBlock block;
  const std::string name = group == 1 ? "read from DRAM by each wave"
                                      : format("read from DRAM by a wave, means of {}", group);
  block.items.push_back(label({0, 10}, name, Anchor::Start, true));
  for (size_t i = 0; i < bars.size(); ++i) {
    const double high = kHeight * bars[i].mean_bytes / top;
    const double rereads_operands = rereads_of(bars[i].tiles, bars[i].dram_read_bytes, share);
    block.items.push_back(
        RectangleItem{.role = "wave-bar",
                      .at = {left + wide * static_cast<double>(i), kTop + kHeight - high},
                      .width = wide - (apart ? 2 : 0),
                      .height = high,
                      .style = {.fill = palette::heat_color(heat_step(rereads_operands))}});
    if (apart) std::get<RectangleItem>(block.items.back()).style.stroke = kBarEdge;
    const size_t first = i * group;
    const size_t last = std::min(first + group, waves.size()) - 1;
    block.items.push_back(TooltipItem{
        .role = "wave-bar",
        .at = {left + wide * static_cast<double>(i), kTop},
        .width = wide,
        .height = kHeight,
        .text = format("{}, {}",
                       first == last ? format("wave {}: {}", first, human_bytes(bars[i].mean_bytes))
                                     : format("waves {} to {}: {} each", first, last,
                                              human_bytes(bars[i].mean_bytes)),
                       rereads_text(rereads_operands))});
  }
  const double right = left + wide * static_cast<double>(bars.size());
  block.items.push_back(
      PathItem{.role = "axis",
               .points = {{left, kTop}, {left, kTop + kHeight}, {right, kTop + kHeight}},
               .style = {.stroke = palette::kInk, .stroke_width = 1}});
  block.items.push_back(label({left - 6, kTop + 8}, top_text, Anchor::End));
  block.items.push_back(label({left - 6, kTop + kHeight}, "0", Anchor::End));
  block.items.push_back(label({left, kTop + kHeight + 16}, "wave 0", Anchor::Start));
  const std::string last = format("{}", waves.size() - 1);
  if (right - left > text_width("wave 0", kTickSize) + text_width(last, kTickSize) + 16) {
    block.items.push_back(label({right, kTop + kHeight + 16}, last, Anchor::End));
  }
  block.width = std::max({right, left + 60, text_width(name, kTickSize, true)});
  block.height = kWaveStripHeight;
  return block;
}

LegendEntry heat_legend() {
  constexpr double kWide = 27;
  constexpr double kSize = 10;
  LegendEntry entry{
      "DRAM re-reads, x: bytes that a wave reads, divided by its tiles' share of A and B",
      kWide * palette::kRampSteps,
      {}};
  for (int i = 0; i < palette::kRampSteps; ++i) {
    const bool last = i == palette::kRampSteps - 1;
    const double most = most_of_step(last ? i - 1 : i);
    const double x = kWide * i;
    entry.symbol.push_back(RectangleItem{
        .role = "legend",
        .at = {x, 0},
        .width = kWide,
        .height = kLegendSymbolHeight,
        .style = {
            .fill = palette::heat_color(i), .stroke = palette::kFaint, .stroke_width = 0.75}});
    entry.symbol.push_back(
        LabelItem{.role = "legend",
                  .at = {x + kWide / 2, (kLegendSymbolHeight + capital_height(kSize)) / 2},
                  .text = format("{}{:.2g}", last ? ">" : "", most),
                  .size = kSize,
                  .anchor = Anchor::Middle,
                  .color = palette::kInk});
  }
  return entry;
}

}  // namespace tilewright
