#include "draw/schedule_diagram.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/assignment_grids.hpp"
#include "draw/font_metrics.hpp"
#include "draw/gantt.hpp"
#include "draw/k_bars.hpp"
#include "draw/palette.hpp"
#include "draw/schedule_lines.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// One schedule with the data that its picture needs.
struct Column {
  const PredictedSchedule& p;
  std::vector<DealtUnit> units;
  std::vector<ScheduleView> views;
  std::vector<std::string> left_out;  // reasons why views are missing
  UnitColors colors;
  double width = 1000;           // width of the bars
  AvailableSize available = {};  // available size of each view
  bool numbered = false;         // tiles show the numbers of their CTAs
};

bool shows(const Column& c, ScheduleView view) {
  return std::find(c.views.begin(), c.views.end(), view) != c.views.end();
}

bool is_shared(const Column& c) {
  return !c.p.ranks.empty();
}

void require_view(const Column& c, ScheduleView view) {
  if (is_shared(c)) {
    if (view != ScheduleView::Gantt) {
      throw usage_error(
          "GPUs that share a product are drawn by their timelines: omit --view, or use draw grid "
          "--parallel for the order of tiles");
    }
    return require_drawable_ranks(c.p.plan.ctas() * c.p.lanes_per_cta, c.p.ranks);
  }
  if (view == ScheduleView::Grid) require_drawable_grids(c.p.plan);
  if (view == ScheduleView::KBars) k_bars(c.p.plan, c.units, c.width);
  if (view == ScheduleView::Gantt) {
    require_drawable_spans(std::min(c.p.report.ctas, c.p.plan.resident) * c.p.lanes_per_cta,
                           static_cast<int64_t>(c.p.spans.size()));
  }
}

// The views for these columns: bars where tiles are divided along K, else grids, and the chart.
std::vector<ScheduleView> suitable_views(const std::vector<Column>& columns) {
  if (is_shared(columns.front())) return {ScheduleView::Gantt};
  const bool divided = std::any_of(columns.begin(), columns.end(),
                                   [](const Column& c) { return has_parts(c.p.plan, c.units); });
  std::vector<ScheduleView> views;
  if (!divided || columns.size() > 1) views.push_back(ScheduleView::Grid);
  if (divided) views.push_back(ScheduleView::KBars);
  views.push_back(ScheduleView::Gantt);
  return views;
}

// All columns get the same views: the requested one, or all that suit and fit.
void choose_views(const ScheduleLook& look, std::vector<Column>& columns) {
  if (look.view) {
    for (Column& c : columns) {
      require_view(c, *look.view);
      c.views = {*look.view};
    }
    return;
  }
  for (const ScheduleView view : suitable_views(columns)) {
    bool fits = true;
    for (Column& c : columns) {
      try {
        require_view(c, view);
      } catch (const Error& error) {
        c.left_out.push_back(format("not drawn: {}", error.what()));
        fits = false;
      }
    }
    for (Column& c : columns) {
      if (fits) c.views.push_back(view);
    }
  }
  if (columns.front().views.empty()) {
    for (const Column& c : columns) require_view(c, ScheduleView::Gantt);
  }
}

// The hues in a cycle over the products that are not empty.
std::vector<int> hues_of_products(const Plan& plan) {
  std::vector<int> hues;
  hues.reserve(plan.problems.size());
  int next = 0;
  for (const PlannedProblem& problem : plan.problems) {
    hues.push_back(is_empty(problem) ? -1 : next++ % palette::kHues);
  }
  return hues;
}

// All columns get the same colours.
void choose_colors(UnitColor by, std::vector<Column>& columns) {
  WavePairs touching;
  int64_t waves = 0;
  for (const Column& c : columns) {
    for (const DealtUnit& dealt : c.units) waves = std::max(waves, dealt.unit_index + 1);
    if (by == UnitColor::Wave && shows(c, ScheduleView::Grid)) {
      add_touching_waves(c.p.plan, c.units, touching);
    }
  }
  UnitColors colors{.by = by, .of_product = hues_of_products(columns.front().p.plan)};
  if (by == UnitColor::Wave) colors.of_wave = wave_colors(waves, std::move(touching));
  for (Column& c : columns) c.colors = colors;
}

Gantt gantt_of(const Column& c, double end_us) {
  Gantt g;
  g.caption = c.p.counts_k_steps ? "timeline in k-steps" : "predicted timeline";
  g.unit = unit_of(c.p);
  const int64_t resident = std::min(c.p.report.ctas, c.p.plan.resident);
  g.lanes = resident * c.p.lanes_per_cta;
  g.lane_labels = labels_of_lanes(resident, c.p.lanes_per_cta);
  g.sm_of_lane = sms_of_lanes(c.p);
  g.lane_name = c.p.report.ctas > resident ? "SM" : "CTA";
  g.spans = c.p.spans;
  g.end_us = end_us;
  g.width = c.width;
  g.colors = c.colors;
  g.grouped = c.p.plan.problems.size() > 1;
  g.mark_tail = true;
  g.label_room = text_width("CTA", 12, true);
  set_size(g, c.available);
  return g;
}

// What the bands of all GPUs have in common.
Gantt band_of(const Column& c, double end_us) {
  Gantt g = gantt_of(c, end_us);
  g.spans = {};
  g.mark_tail = false;
  g.owner_of_row = owners_of_rows(c.p.plan);
  return g;
}

PageBlock draw_timeline(const Column& c, double end_us) {
  if (!is_shared(c)) return draw_gantt(gantt_of(c, end_us));
  return rank_bands(band_of(c, end_us), c.p.ranks, c.p.plan.workload.parallel.collective,
                    c.available);
}

std::vector<std::string> lines_of(const Column& c) {
  std::vector<std::string> lines = number_lines(c.p, c.units);
  lines.insert(lines.end(), c.left_out.begin(), c.left_out.end());
  return lines;
}

std::vector<std::string> column_lines(const Column& c) {
  std::vector<std::string> lines = {c.p.name, mapping_text(c.p.plan)};
  for (const std::string& line : lines_of(c)) lines.push_back(line);
  return lines;
}

double grids_width(const Column& c) {
  constexpr size_t kFew = 4;
  if (c.available.width > 0) return c.available.width;
  if (!c.p.name.empty()) return std::max(c.width * 1.15, 700.0);
  return c.p.plan.problems.size() <= kFew ? 1150 : 1900;
}

// Width of the K-bars with their labels.
double bars_width(const Column& c) {
  constexpr double kBehind = 12;
  return c.available.width > 0 ? std::max(c.available.width - kBehind, 1.0) : c.width;
}

bool has_numbers(const PageBlock& block) {
  return std::any_of(block.items.begin(), block.items.end(), [](const SceneItem& item) {
    const auto* const label = std::get_if<LabelItem>(&item);
    return label != nullptr && label->role == "text";
  });
}

PageBlock draw_view(Column& c, ScheduleView view, double end_us) {
  if (view == ScheduleView::Gantt) return draw_timeline(c, end_us);
  PageBlock block;
  if (view == ScheduleView::Grid) {
    block = flow_blocks(assignment_grids(c.p.plan, c.units, c.colors, c.available), grids_width(c));
  } else if (c.views.size() == 1 || has_parts(c.p.plan, c.units)) {
    block = k_bars(c.p.plan, c.units, bars_width(c));
  } else {
    block = text_block({"no tile is divided along K"});
  }
  c.numbered = c.numbered || has_numbers(block);
  return block;
}

// The available size of one of two views that share the page's height.
AvailableSize half_high(AvailableSize available) {
  available.height = available.height > 0 ? std::max((available.height - kBlockGap) / 2, 1.0) : 0;
  return available;
}

// Puts the chart beside a grid that leaves space for it, else below.
void place_single(Column& c, double end_us, Page& page) {
  constexpr double kMaxBeside = 1800;
  constexpr double kMinChart = 360;
  constexpr double kMinHigh = 250;  // height of a view that a chart can stand beside
  const double content = content_width(page.available);
  c.available = {content, page.available.height};
  if (c.views.size() == 1) {
    page.blocks = {draw_view(c, c.views.front(), end_us)};
  } else if (content == 0) {
    for (const ScheduleView view : c.views) page.blocks.push_back(draw_view(c, view, end_us));
  } else {
    page.blocks = {draw_view(c, c.views.front(), end_us)};
    const double rest = content - std::ceil(page.blocks.front().width) - kBlockGap;
    if (rest >= kMinChart && page.blocks.front().height > kMinHigh) {
      c.available.width = rest;
    } else {
      c.available = half_high(c.available);
      page.blocks = {draw_view(c, c.views.front(), end_us)};
    }
    page.blocks.push_back(draw_view(c, c.views.back(), end_us));
  }
  double width = 0;
  for (const PageBlock& block : page.blocks) width += block.width;
  const double most = content > 0 ? content - kBlockGap : kMaxBeside;
  const bool beside =
      page.blocks.size() == 2 && width <= most && page.blocks.front().height > kMinHigh;
  page.per_line = beside ? 2 : 1;
}

// Row by row, so that texts, grids and charts line up.
void place_side_by_side(std::vector<Column>& columns, double end_us, Page& page) {
  const AvailableSize available =
      block_size(page.available, columns.size(), kMinColumn, columns.size());
  for (Column& c : columns) c.available = c.views.size() > 1 ? half_high(available) : available;
  std::vector<std::vector<PageBlock>> parts;
  size_t rows = 0;
  for (Column& c : columns) {
    std::vector<PageBlock> column = {text_block(column_lines(c), c.available.width)};
    for (const ScheduleView view : c.views) column.push_back(draw_view(c, view, end_us));
    rows = std::max(rows, column.size());
    parts.push_back(std::move(column));
  }
  for (std::vector<PageBlock>& column : parts) {
    column.resize(rows);
    double width = 0;
    for (const PageBlock& part : column) width = std::max(width, part.width);
    for (PageBlock& part : column) part.width = width;
  }
  page.per_line = static_cast<int>(columns.size());
  page.compared = true;
  for (size_t row = 0; row < rows; ++row) {
    for (std::vector<PageBlock>& column : parts) page.blocks.push_back(std::move(column[row]));
  }
}

LegendEntry number_entry() {
  constexpr double kWide = 18;
  constexpr double kSize = 10;
  return {"number of the CTA",
          kWide,
          {LabelItem{.role = "legend",
                     .at = {kWide / 2, (kLegendSymbolHeight + capital_height(kSize)) / 2},
                     .text = "12",
                     .size = kSize,
                     .anchor = Anchor::Middle,
                     .color = palette::kInk}}};
}

// The entries of all columns, each text once.
std::vector<LegendEntry> legend_of(const std::vector<Column>& columns, double end_us) {
  std::vector<LegendEntry> all;
  const auto add = [&all](const std::vector<LegendEntry>& entries) {
    for (const LegendEntry& entry : entries) {
      const auto same = [&](const LegendEntry& other) { return other.text == entry.text; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(entry);
    }
  };
  const auto colored = [&](const Column& c) {
    return !is_shared(c) && (shows(c, ScheduleView::Grid) || shows(c, ScheduleView::Gantt));
  };
  const auto barred = [&](const Column& c) { return shows(c, ScheduleView::KBars); };
  const UnitColors& colors = columns.front().colors;
  const bool by_cta = colors.by == UnitColor::Cta;
  if (!by_cta && std::any_of(columns.begin(), columns.end(), colored)) {
    add(colors.by == UnitColor::Wave ? wave_legend(colors.of_wave)
                                     : wave_legend(colors.of_product, "problem"));
  }
  if (by_cta && !is_shared(columns.front())) add({cta_legend("by CTA")});
  if (!by_cta && std::any_of(columns.begin(), columns.end(), barred)) {
    add({cta_legend("parts by CTA")});
  }
  if (std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.numbered; })) {
    add({number_entry()});
  }
  for (const Column& c : columns) {
    if (is_shared(c)) {
      add(rank_legend(band_of(c, end_us), c.p.ranks, c.p.plan.workload.parallel.collective));
      continue;
    }
    if (shows(c, ScheduleView::Grid)) {
      add(assignment_legend(c.p.plan, c.units, c.p.report.proof.missing_count));
    }
    if (shows(c, ScheduleView::KBars)) add(k_bars_legend(c.p.plan, c.units));
    if (shows(c, ScheduleView::Gantt)) add(gantt_legend(std::vector<Gantt>{gantt_of(c, end_us)}));
  }
  return all;
}

// Times and k-steps have no axis in common.
void require_one_unit(const std::vector<PredictedSchedule>& schedules) {
  const PredictedSchedule& first = schedules.front();
  for (const PredictedSchedule& p : schedules) {
    if (p.counts_k_steps == first.counts_k_steps) continue;
    throw usage_error(format("{} and {} cannot share an axis: {}", first.report.device,
                             p.report.device, kWhyNoTime));
  }
}

std::string title_of(const Plan& s) {
  const std::vector<GemmShape>& shapes = s.workload.shapes;
  if (is_batch(s.workload)) {
    return format("{} problems of {}", shapes.size(), to_string(shapes.front()));
  }
  return shapes.size() > 4 ? format("{} problems", shapes.size()) : shapes_text(s.workload);
}

// The value with that name among `names`, which are in the order of the values.
template <class Value, size_t kCount>
Value parse_named(std::string_view text, const std::string_view (&names)[kCount],
                  std::string_view noun, std::string_view option) {
  const auto* const found = std::find(std::begin(names), std::end(names), text);
  if (found != std::end(names)) return static_cast<Value>(found - std::begin(names));
  throw usage_error(format("unknown {} '{}': {} takes {}{}", noun, text, option,
                           join_words(names, "or"), did_you_mean(text, names)));
}

}  // namespace

ScheduleView parse_schedule_view(std::string_view text) {
  return parse_named<ScheduleView>(text, kScheduleViews, "view", "--view");
}

UnitColor parse_unit_color(std::string_view text) {
  return parse_named<UnitColor>(text, kUnitColors, "colour", "--color");
}

Scene schedule_diagram(const std::vector<PredictedSchedule>& schedules, const ScheduleLook& look,
                       const AvailableSize& available) {
  require_one_unit(schedules);
  std::vector<Column> columns;
  int64_t most_ctas = 0;
  double end_us = 0;
  for (const PredictedSchedule& p : schedules) {
    columns.push_back({p, dealt_units(p.plan, p.rereads), {}, {}, {}});
    most_ctas = std::max(most_ctas, p.report.ctas);
    end_us = std::max({end_us, last_end_us(p.spans), last_end_us(p.ranks)});
  }
  for (Column& c : columns) {
    c.width = columns.size() == 1 ? 1000 : 680;
  }
  if (look.color && is_shared(columns.front())) {
    throw usage_error("tiles across GPUs have the colour of the owner of their rows: omit --color");
  }
  choose_views(look, columns);
  const bool is_small = most_ctas <= palette::kHues;
  choose_colors(look.color.value_or(is_small ? UnitColor::Cta : UnitColor::Wave), columns);
  const TileConfig& q = schedules.front().plan.config;
  const auto other_tile = [&](const PredictedSchedule& p) { return p.plan.config.cta != q.cta; };
  const Plan& first = schedules.front().plan;
  Page page{.title = title_of(first) + to_string(first.workload.parallel), .available = available};
  if (std::none_of(schedules.begin(), schedules.end(), other_tile)) {
    page.title += format(" in tiles of {}", to_string(q.cta));
  }
  if (columns.size() == 1) {
    page.lines = {mapping_text(schedules.front().plan)};
    for (const std::string& line : lines_of(columns.front())) page.lines.push_back(line);
  }
  if (columns.size() == 1) {
    place_single(columns.front(), end_us, page);
  } else {
    place_side_by_side(columns, end_us, page);
  }
  page.legend = legend_of(columns, end_us);
  return page_scene(std::move(page));
}

}  // namespace tilewright
