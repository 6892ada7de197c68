#include "draw/trace_diagram.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "draw/gantt.hpp"
#include "stats/sample.hpp"

namespace tilewright {
namespace {

constexpr double kChartWidth = 760;

// Median time of a unit, epilogue included, microseconds; units are keyed by CTA and unit index.
double median_tile_us(const LaunchSpans& launch) {
  std::map<std::pair<int64_t, int64_t>, double> tiles;
  for (const WorkSpan& span : launch.spans) {
    const bool works = span.kind == SpanKind::MainLoop || span.kind == SpanKind::Tile ||
                       span.kind == SpanKind::Epilogue;
    if (works) tiles[{span.cta, span.unit_index}] += span.end_us - span.begin_us;
  }
  std::vector<double> lengths;
  lengths.reserve(tiles.size());
  for (const auto& tile : tiles) lengths.push_back(tile.second);
  return lengths.empty() ? 0 : median(lengths);
}

std::vector<std::string> numbers_of(const std::string& name, const LaunchSpans& launch) {
  const Tail tail = tail_of(launch.spans, launch.sm_of_lane);
  const bool goes_on = launch.second_kernel_us > 0;
  const std::string second =
      goes_on ? format(", {:.1f} us of them the second kernel", launch.second_kernel_us) : "";
  return {
      format("{}: {:.1f} us{}", name, last_end_us(launch.spans), second),
      format("launch skew {:.2f} us, tail {:.1f} us, median tile {:.2f} us",
             launch_skew_us(launch.spans), tail.end_us - tail.begin_us, median_tile_us(launch))};
}

Gantt chart_of(const LaunchSpans& launch, double end_us, const AvailableSize& available) {
  Gantt g;
  g.lane_name = "SM";
  for (const int64_t sm : launch.sm_of_lane) {
    g.lane_labels.push_back(sm < 0 ? "-" : format("{}", sm));
  }
  g.sm_of_lane = launch.sm_of_lane;
  g.lanes = launch.lanes;
  g.spans = launch.spans;
  g.end_us = end_us;
  g.width = kChartWidth;
  g.mark_tail = true;
  set_size(g, available);
  return g;
}

int64_t wave_count(const std::vector<const LaunchSpans*>& launches) {
  int64_t waves = 0;
  for (const LaunchSpans* launch : launches) {
    for (const WorkSpan& span : launch->spans) waves = std::max(waves, span.unit_index + 1);
  }
  return waves;
}

}  // namespace

double launch_skew_us(const std::vector<WorkSpan>& spans) {
  std::map<int64_t, double> first;
  for (const WorkSpan& span : spans) {
    const auto known = first.emplace(span.cta, span.begin_us).first;
    known->second = std::min(known->second, span.begin_us);
  }
  if (first.empty()) return 0;
  const auto earlier = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(first.begin(), first.end(), earlier);
  return most->second - least->second;
}

Scene trace_diagram(const TraceComparison& c, const AvailableSize& available) {
  for (const LaunchSpans* launch : {&c.measured, &c.predicted}) {
    require_drawable_spans(launch->lanes, static_cast<int64_t>(launch->spans.size()));
  }
  const double end_us = std::max(last_end_us(c.measured.spans), last_end_us(c.predicted.spans));
  const AvailableSize column = block_size(available, 2, kMinColumn, 2);
  const std::vector<Gantt> charts = {chart_of(c.measured, end_us, column),
                                     chart_of(c.predicted, end_us, column)};
  Page page{.title = c.title, .available = available};
  page.lines = {
      c.config,
      format("measured over predicted: {:.3f}; times are from the first tile's start to the last "
             "tile's end, without launch{}",
             last_end_us(c.measured.spans) / last_end_us(c.predicted.spans),
             c.second_is_unknown ? ", of the first kernel: the trace has no second kernel" : "")};
  page.blocks = {
      text_block(numbers_of("measured", c.measured), column.width),
      text_block(numbers_of(format("predicted for {}", c.device), c.predicted), column.width),
      draw_gantt(charts[0]), draw_gantt(charts[1])};
  for (size_t i = 0; i < 2; ++i) page.blocks[i].width = page.blocks[i + 2].width;
  page.per_line = 2;
  page.compared = true;
  page.legend = wave_legend(wave_count({&c.measured, &c.predicted}));
  for (LegendEntry& entry : gantt_legend(charts)) page.legend.push_back(std::move(entry));
  return page_scene(std::move(page));
}

}  // namespace tilewright
