#include "draw/rank_bands.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/time_axis.hpp"
#include "draw/value_axis.hpp"

namespace tilewright {
namespace {

constexpr double kLinkHeight = 20;
constexpr double kLinkTextSize = 9.5;
constexpr double kBandGap = 14;
constexpr double kChip = 12;         // pixels of the square that shows a GPU's colour
constexpr double kMinLink = 1.2;     // pixels; a narrower bar is joined with its neighbour
constexpr double kBandsHigh = 1000;  // pixels of all lanes, where lanes need no more

const char* link_name(Collective collective) {
  return gathers_rows(collective) ? "A arrives" : "sends";
}

std::string gpu_name(int rank) {
  return format("GPU {}", rank);
}

// The owner of the rows that cross the link.
int owner_of(const LinkSpan& span, Collective collective) {
  return gathers_rows(collective) ? span.from : span.to;
}

// An epilogue that sends sums looks different from that of an own tile.
std::vector<WorkSpan> shown_spans(const RankTimeline& timeline, int rank,
                                  const std::vector<int>& owners, Collective collective) {
  std::vector<WorkSpan> spans = timeline.spans;
  if (gathers_rows(collective)) return spans;
  for (WorkSpan& span : spans) {
    const bool sent = is_unit(span.kind) && owners[static_cast<size_t>(span.work.m)] != rank;
    if (sent && span.kind == SpanKind::Epilogue) span.kind = SpanKind::FixUp;
  }
  return spans;
}

Gantt chart_of(const Gantt& alike, const RankTimeline& timeline, int rank, Collective collective) {
  Gantt g = alike;
  g.caption = gpu_name(rank);
  g.spans = shown_spans(timeline, rank, g.owner_of_row, collective);
  g.has_numbers = false;
  g.label_room = std::max(g.label_room, text_width(link_name(collective), kTickSize));
  return g;
}

std::vector<LinkSpan> joined(std::span<const LinkSpan> links, double least_us) {
  std::vector<LinkSpan> bars;
  for (const LinkSpan& link : links) {
    const auto is_short = [&](const LinkSpan& s) { return s.end_us - s.begin_us < least_us; };
    const bool joins = !bars.empty() && bars.back().from == link.from &&
                       bars.back().to == link.to && (is_short(bars.back()) || is_short(link)) &&
                       link.begin_us - bars.back().end_us < least_us / 2;
    if (!joins) {
      bars.push_back(link);
      continue;
    }
    bars.back().end_us = link.end_us;
    bars.back().bytes += link.bytes;
  }
  return bars;
}

// "GPU 0 to GPU 1: 4.2 MB, 105 to 118 us, 330 GB/s".
std::string tooltip_text(const LinkSpan& link) {
  const double us = link.end_us - link.begin_us;
  const std::string rate = us > 0 ? format(", {:.0f} GB/s", link.bytes / us / 1000) : std::string();
  return format("{} to {}: {}, {:.6g} to {:.6g} us{}", gpu_name(link.from), gpu_name(link.to),
                human_bytes(link.bytes), link.begin_us, link.end_us, rate);
}

void add_bar(const LinkSpan& link, const TimeAxis& axis, Collective collective,
             std::vector<SceneItem>& items) {
  const double left = axis.x_of(link.begin_us);
  const double width = axis.x_of(link.end_us) - left;
  items.push_back(RectangleItem{.role = format("link.{}", owner_of(link, collective)),
                                .at = {left, 0},
                                .width = width,
                                .height = kLinkHeight,
                                .style = {.fill = palette::hue(owner_of(link, collective))}});
  if (width > 3) {
    items.push_back(line_item("link-line", {left, 0}, {left, kLinkHeight}, palette::kPaper, 1));
  }
  items.push_back(TooltipItem{.role = "link",
                              .at = {left, 0},
                              .width = width,
                              .height = kLinkHeight,
                              .text = tooltip_text(link)});
  const std::string text = human_bytes(link.bytes);
  if (text_width(text, kLinkTextSize) > width - 6) return;
  items.push_back(
      LabelItem{.role = "text",
                .at = {left + width / 2, (kLinkHeight + capital_height(kLinkTextSize)) / 2},
                .text = text,
                .size = kLinkTextSize,
                .anchor = Anchor::Middle,
                .color = palette::kInk});
}

// The lane below a band; the last one has the numbers of the axis.
PageBlock link_lane(const Gantt& chart, const RankTimeline& timeline, Collective collective,
                    bool is_last) {
  const TimeAxis axis = axis_of(chart);
  PageBlock block{axis.left + axis.width, kLinkHeight + (is_last ? kBelowBars : 0), {}};
  block.items.push_back(RectangleItem{.role = "idle",
                                      .at = {axis.left, 0},
                                      .width = axis.width,
                                      .height = kLinkHeight,
                                      .style = {.fill = palette::kOverhang}});
  append_items(block.items, tick_lines(axis, 0, kLinkHeight + (is_last ? 4 : 0)));
  for (const LinkSpan& link : joined(timeline.links, kMinLink / axis.scale())) {
    add_bar(link, axis, collective, block.items);
  }
  block.items.push_back(axis_label("axis",
                                   {axis.left - 7, (kLinkHeight + capital_height(kTickSize)) / 2},
                                   link_name(collective), Anchor::End, kTickSize));
  block.items.push_back(RectangleItem{.role = "outline",
                                      .at = {axis.left, 0},
                                      .width = axis.width,
                                      .height = kLinkHeight,
                                      .style = {.stroke = palette::kMuted, .stroke_width = 1}});
  if (is_last) append_items(block.items, axis_numbers(axis, kLinkHeight));
  return block;
}

// The square behind the caption, in the colour of the GPU's own rows.
RectangleItem chip(int rank) {
  return {.role = format("own.{}", rank),
          .at = {std::ceil(text_width(gpu_name(rank), 13, true)) + 8, 0},
          .width = kChip,
          .height = kChip,
          .style = {.fill = palette::hue(rank)}};
}

// "sends 67.1 MB over a link that is busy for 203.4 us", behind the square.
LabelItem link_note(const RankTimeline& timeline, const RectangleItem& square,
                    Collective collective) {
  double bytes = 0;
  double busy_us = 0;
  for (const LinkSpan& link : timeline.links) {
    bytes += link.bytes;
    busy_us += link.end_us - link.begin_us;
  }
  return axis_label(
      "axis", {square.at.x + kChip + 10, capital_height(13) + 2},
      format("{} {} over a link that is busy for {:.1f} us",
             gathers_rows(collective) ? "receives" : "sends", human_bytes(bytes), busy_us),
      Anchor::Start, kTickSize);
}

// The space of one band's chart.
AvailableSize chart_size(const AvailableSize& all, size_t ranks) {
  const double links = (kLinkHeight + kBandGap) * static_cast<double>(ranks) + kBelowBars;
  const double high = all.height > 0 ? (all.height - links) / static_cast<double>(ranks) : 0;
  return {all.width, all.height > 0 ? std::max(high, 1.0) : 0};
}

void set_band_size(Gantt& g, size_t ranks, const AvailableSize& all) {
  set_size(g, chart_size(all, ranks));
  if (g.height > 0) return;
  const double least = 2.0 * static_cast<double>(g.lanes);
  g.height = std::max(least, kBandsHigh / static_cast<double>(ranks));
}

PageBlock band_of(const Gantt& alike, std::span<const RankTimeline> ranks, int rank,
                  Collective collective, const AvailableSize& available) {
  const RankTimeline& timeline = ranks[static_cast<size_t>(rank)];
  const bool is_last = rank + 1 == static_cast<int>(ranks.size());
  Gantt g = chart_of(alike, timeline, rank, collective);
  g.has_numbers = is_last && timeline.links.empty();
  set_band_size(g, ranks.size(), available);
  PageBlock chart = draw_gantt(g);
  const RectangleItem square = chip(rank);
  chart.items.push_back(square);
  if (timeline.links.empty()) return chart;  // no time is predicted
  LabelItem note = link_note(timeline, square, collective);
  if (box_of(note).right <= chart.width) chart.items.push_back(std::move(note));
  return stack_blocks({std::move(chart), link_lane(g, timeline, collective, is_last)}, 0);
}

}  // namespace

std::vector<int> owners_of_rows(const Plan& plan) {
  const int rows = launched_tiles(plan).m;
  std::vector<int> owners;
  owners.reserve(static_cast<size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    owners.push_back(tw::owner_of_row(plan.problems.front().map.peers, rows, row));
  }
  return owners;
}

void require_drawable_ranks(int64_t lanes, std::span<const RankTimeline> ranks) {
  int64_t spans = 0;
  for (const RankTimeline& rank : ranks) spans += static_cast<int64_t>(rank.spans.size());
  require_drawable_spans(lanes, spans);
}

double last_end_us(std::span<const RankTimeline> ranks) {
  double last = 0;
  for (const RankTimeline& rank : ranks) last = std::max(last, last_end_us(rank.spans));
  return last;
}

PageBlock rank_bands(const Gantt& alike, std::span<const RankTimeline> ranks, Collective collective,
                     const AvailableSize& available) {
  std::vector<PageBlock> bands;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    bands.push_back(band_of(alike, ranks, static_cast<int>(rank), collective, available));
  }
  return stack_blocks(std::move(bands), kBandGap);
}

std::vector<LegendEntry> rank_legend(const Gantt& alike, std::span<const RankTimeline> ranks,
                                     Collective collective) {
  std::vector<LegendEntry> entries;
  std::vector<Gantt> charts;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const int number = static_cast<int>(rank);
    entries.push_back(
        legend_patch(format("rows of {}", gpu_name(number)), {.fill = palette::hue(number)}));
    charts.push_back(chart_of(alike, ranks[rank], number, collective));
  }
  for (LegendEntry& entry : gantt_legend(charts)) entries.push_back(std::move(entry));
  return entries;
}

}  // namespace tilewright
