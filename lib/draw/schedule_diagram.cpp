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

bool waits(const PredictedSchedule& p) {
  return p.report.fix_up.parts > 0 && is_turnstile(p.plan.reduction);
}

std::string group_text(const Plan& plan) {
  if (plan.problems.size() == 1) return {};
  return format(", {}, order {}", to_string(plan.config.group_schedule),
                to_string(plan.config.problem_order));
}

// The order in which GPUs visit blocks.
std::string peers_text(const Plan& plan) {
  if (!is_across_gpus(plan.workload)) return {};
  const PeerOptions& keys = plan.config.peers;
  const std::string of_k =
      keys.k_chunks == 1 ? "" : format(", each in {} parts of K", keys.k_chunks);
  return format(", rank order {}, {} of each owner{}", to_string(keys.order),
                counted(keys.chunks, "chunk"), of_k);
}

std::string mapping_text(const Plan& plan) {
  const TileConfig& q = plan.config;
  if (plan.options.external) return format("from {}", plan.options.external->name);
  if (is_triangular(plan.workload)) {
    return format("{} of the {} triangle{}, {} scheduler, {}{}", to_string(plan.workload.op),
                  to_string(tw::computed_triangle(plan.workload.uplo)),
                  is_mirrored(plan.workload) ? ", mirrored" : "", to_string(plan.config.visitor),
                  to_string(q.decomposition), group_text(plan));
  }
  const std::string cluster =
      q.cluster == ClusterShape{} ? "" : format(", cluster {}", to_string(q.cluster));
  return format("{}, {}{}{}{}", to_string(q.raster), to_string(q.decomposition), cluster,
                group_text(plan), peers_text(plan));
}

// What crosses links, and whether all of it arrives.
std::string exchange_text(const Column& c) {
  const Workload& w = c.p.plan.workload;
  const PeerProof& proof = *c.p.report.peers;
  const std::string crosses = gathers_rows(w.parallel)
                                  ? format("{} of A cross links", counted(proof.parts, "block"))
                                  : format("{} cross links", counted(proof.parts, "part"));
  const double busiest = static_cast<double>(busiest_link(proof).bytes);
  return format("each GPU computes {}; {}, {} on the busiest{}", to_string(w.shapes.front()),
                crosses, human_bytes(busiest),
                !proof.ends       ? "; DEADLOCK: GPUs wait for each other's parts"
                : !proof.complete ? "; NOT COMPLETE: parts are missing"
                                  : "");
}

// "CTAs 1, 5 never compute".
std::string idle_text(const Column& c) {
  constexpr size_t kNamed = 8;
  std::vector<bool> works(static_cast<size_t>(c.p.report.ctas));
  for (const DealtUnit& dealt : c.units) {
    if (dealt.unit.kind == UnitKind::Work) works[static_cast<size_t>(dealt.unit.cta)] = true;
  }
  std::vector<std::string> idle;
  for (size_t cta = 0; cta < works.size(); ++cta) {
    if (!works[cta]) idle.push_back(format("{}", cta));
  }
  if (idle.empty()) return {};
  if (idle.size() > kNamed) return format("{} CTAs never compute", idle.size());
  return format("CTA{} {} never compute{}", idle.size() == 1 ? "" : "s", join(idle, ", "),
                idle.size() == 1 ? "s" : "");
}

std::string units_text(const Column& c) {
  const ScheduleReport& r = c.p.report;
  std::string text = format("{} on {} in {}, imbalance {:.2f}", counted(r.units, "unit"),
                            counted(r.ctas, "CTA"), counted(r.waves, "wave"), r.imbalance);
  if (r.early_exit > 0) text += format(", {}", counted(r.early_exit, "early exit"));
  if (r.padded > 0) text += format(", {} for nothing", counted(r.padded, "unit"));
  return text;
}

// Consecutive places lie on consecutive multiprocessors, wrapping around after the last one.
std::vector<int64_t> sms_of_lanes(const Column& c) {
  const Plan& plan = c.p.plan;
  const int64_t sms = std::max<int64_t>(plan.resident / plan.ctas_per_sm, 1);
  std::vector<int64_t> of_lane;
  for (int64_t place = 0; place < std::min(plan.ctas(), plan.resident); ++place) {
    of_lane.resize(of_lane.size() + static_cast<size_t>(c.p.lanes_per_cta), place % sms);
  }
  return of_lane;
}

std::string_view unit_of(const PredictedSchedule& p) {
  return p.counts_k_steps ? "k-steps" : "us";
}

std::string time_text(const Column& c) {
  const ScheduleReport& r = c.p.report;
  if (!r.ends) return "DEADLOCK: a part waits for one that cannot start";
  const std::string_view unit = unit_of(c.p);
  std::string text = r.predicted_us ? format("{}: {:.1f} us predicted", r.device, *r.predicted_us)
                                    : format("{}: no time is predicted", r.device);
  if (!c.p.spans.empty()) {
    const Tail tail = tail_of(c.p.spans, sms_of_lanes(c));
    text += format(", tail {:.1f} {}", tail.end_us - tail.begin_us, unit);
  }
  if (waits(c.p)) text += format(", waiting {:.1f} {} over all CTAs", c.p.waiting_us, unit);
  return text;
}

std::string fix_up_text(const Column& c) {
  const FixUp& f = c.p.report.fix_up;
  if (f.parts == 0) return {};
  std::string text =
      format("{} in {}, ", counted(f.divided_tiles, "divided tile"), counted(f.parts, "part"));
  if (waits(c.p)) text += format("{}, ", counted(c.p.report.turnstiles.waits, "wait"));
  return text + format("{} of workspace, {} of fix-up traffic",
                       human_bytes(static_cast<double>(f.workspace_bytes)),
                       human_bytes(static_cast<double>(f.traffic_bytes)));
}

std::vector<std::string> number_lines(const Column& c) {
  std::vector<std::string> lines = {units_text(c), time_text(c)};
  if (c.p.report.peers) lines.insert(lines.begin(), exchange_text(c));
  if (!c.p.report.not_runnable.empty()) {
    lines.push_back(not_runnable_text(c.p.report.not_runnable));
  }
  for (const std::string& more : {fix_up_text(c), idle_text(c)}) {
    if (!more.empty()) lines.push_back(more);
  }
  const ScheduleProof& proof = c.p.report.proof;
  if (!proof.complete) {
    lines.push_back(format("NOT COMPLETE: {} missing, {} computed twice, {} outside",
                           counted(proof.missing_count, "tile"), proof.duplicated_count,
                           proof.outside_count));
  }
  lines.insert(lines.end(), c.left_out.begin(), c.left_out.end());
  return lines;
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

// All columns get the same colours.
void choose_colors(bool by_cta, std::vector<Column>& columns) {
  WavePairs touching;
  int64_t waves = 0;
  for (const Column& c : columns) {
    for (const DealtUnit& dealt : c.units) waves = std::max(waves, dealt.unit_index + 1);
    if (!by_cta && shows(c, ScheduleView::Grid)) add_touching_waves(c.p.plan, c.units, touching);
  }
  UnitColors colors{.by_cta = by_cta};
  if (!by_cta) colors.of_wave = wave_colors(waves, std::move(touching));
  for (Column& c : columns) c.colors = colors;
}

Gantt gantt_of(const Column& c, double end_us) {
  Gantt g;
  g.caption = c.p.counts_k_steps ? "timeline in k-steps" : "predicted timeline";
  g.unit = unit_of(c.p);
  const int64_t resident = std::min(c.p.report.ctas, c.p.plan.resident);
  g.lanes = resident * c.p.lanes_per_cta;
  g.lane_labels = labels_of_lanes(resident, c.p.lanes_per_cta);
  g.sm_of_lane = sms_of_lanes(c);
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

std::vector<std::string> column_lines(const Column& c) {
  std::vector<std::string> lines = {c.p.name, mapping_text(c.p.plan)};
  for (const std::string& line : number_lines(c)) lines.push_back(line);
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
  const bool by_cta = columns.front().colors.by_cta;
  if (!by_cta && std::any_of(columns.begin(), columns.end(), colored))
    add(wave_legend(columns.front().colors.of_wave));
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
  const auto differs = [&](const GemmShape& shape) { return !(shape == shapes.front()); };
  if (shapes.size() > 1 && std::none_of(shapes.begin(), shapes.end(), differs)) {
    return format("{} problems of {}", shapes.size(), to_string(shapes.front()));
  }
  return shapes.size() > 4 ? format("{} problems", shapes.size()) : shapes_text(s.workload);
}

}  // namespace

ScheduleView parse_schedule_view(std::string_view text) {
  for (size_t i = 0; i < std::size(kScheduleViews); ++i) {
    if (text == kScheduleViews[i]) return static_cast<ScheduleView>(i);
  }
  throw usage_error(format("unknown view '{}': --view takes {}{}", text,
                           join_words(kScheduleViews, "or"), did_you_mean(text, kScheduleViews)));
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
  if (look.by_cta && is_shared(columns.front())) {
    throw usage_error("tiles across GPUs have the colour of the owner of their rows: omit --color");
  }
  choose_views(look, columns);
  choose_colors(look.by_cta.value_or(most_ctas <= palette::kHues), columns);
  const TileConfig& q = schedules.front().plan.config;
  const auto other_tile = [&](const PredictedSchedule& p) { return p.plan.config.cta != q.cta; };
  const Plan& first = schedules.front().plan;
  Page page{.title = title_of(first) + to_string(first.workload.parallel), .available = available};
  if (std::none_of(schedules.begin(), schedules.end(), other_tile)) {
    page.title += format(" in tiles of {}", to_string(q.cta));
  }
  if (columns.size() == 1) {
    page.lines = {mapping_text(schedules.front().plan)};
    for (const std::string& line : number_lines(columns.front())) page.lines.push_back(line);
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
