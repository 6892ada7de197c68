#include "draw/cell_panel.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/grid_frame.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr double kCaptionSize = 13;
constexpr double kCaptionLine = 17;
constexpr double kBestText = 10.5;
constexpr double kMinText = 6;
constexpr double kTextPadding = 6;  // space left and right of a text in its cell, together
constexpr double kMaxPanel = 1900;  // pixels to which texts may stretch a panel
constexpr double kPanelEdge = 2;    // space right of the cells and below them
constexpr double kMaxSide = 40;     // most side of a cell without texts
constexpr const char* kFillRole = "cell";

double text_unit_width(const std::string& text) {
  double widest = 0;
  for (const std::string_view line : split(text, '\n')) {
    widest = std::max(widest, text_width(line, 1));
  }
  return widest;
}

struct TextNeed {
  double width = 0;  // at size 1
  int lines = 1;
};

TextNeed text_need(const CellPanel& p) {
  TextNeed need;
  for (const std::string& text : p.texts) {
    need.width = std::max(need.width, text_unit_width(text));
    need.lines =
        std::max(need.lines, 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')));
  }
  return need;
}

// The size of the texts in the panel's cells; 0 for none.
double text_size(const CellPanel& p) {
  const TextNeed need = text_need(p);
  if (need.width == 0) return 0;
  const double across = (p.cell_width - kTextPadding * 0.6) / need.width;
  const double along = p.cell_height / (need.lines * 1.15 + 0.35);
  const double size = std::min({kBestText, across, along});
  return size < kMinText ? 0 : size;
}

double label_width(const std::vector<std::string>& labels, int count) {
  if (labels.empty()) return text_width(format("{}", std::max(0, count - 1)), kTickSize);
  double widest = 0;
  for (const std::string& label : labels) widest = std::max(widest, text_width(label, kTickSize));
  return widest;
}

std::vector<std::string> caption_lines(const CellPanel& p) {
  return text_lines(p.caption, kCaptionSize, true, p.caption_width);
}

// The side of square cells without texts that fit into `most` pixels.
double side_of(const CellPanel& p, const AvailableSize& available, Point most) {
  const int longest = std::max({p.rows, p.columns, 1});
  const double target = longest > 48 ? 900 : 640;
  const double natural = std::clamp(std::floor(target / longest), 2.0, kMaxSide);
  if (available.width == 0) return natural;
  const double high = available.height > 0 ? most.y : std::max(most.x, natural * p.rows);
  return fitting_side(most.x / p.columns, high / p.rows, kMaxSide);
}

class CellPainter {
 public:
  explicit CellPainter(const CellPanel& panel) : p_(panel), origin_(panel_margin(panel)) {}

  PageBlock draw() {
    add_caption();
    add_fills();
    add_splits();
    add_lines();
    add_texts();
    add_marks();
    add_flags();
    add_ticks();
    add_names();
    double caption_width = 0;
    for (const std::string& line : caption_lines(p_)) {
      caption_width = std::max(caption_width, text_width(line, kCaptionSize, true));
    }
    return {std::max(origin_.x + p_.columns * p_.cell_width + kPanelEdge, caption_width),
            origin_.y + p_.rows * p_.cell_height + kPanelEdge, std::move(items_)};
  }

 private:
  Point corner(int row, int column) const {
    return {origin_.x + column * p_.cell_width, origin_.y + row * p_.cell_height};
  }
  Point corner_of(int cell) const { return corner(cell / p_.columns, cell % p_.columns); }
  double cell_size() const { return std::min(p_.cell_width, p_.cell_height); }

  void add_label(const char* role, Point at, const std::string& text, double size, bool bold,
                 Anchor anchor, Color color) {
    items_.push_back(LabelItem{.role = role,
                               .at = at,
                               .text = text,
                               .size = size,
                               .bold = bold,
                               .anchor = anchor,
                               .color = color});
  }

  void add_line(const char* role, Point from, Point to, Color color, double width) {
    items_.push_back(PathItem{
        .role = role, .points = {from, to}, .style = {.stroke = color, .stroke_width = width}});
  }

  void add_caption() {
    if (p_.caption.empty()) return;
    double y = capital_height(kCaptionSize) + 2;
    for (const std::string& line : caption_lines(p_)) {
      add_label("caption", {0, y}, line, kCaptionSize, true, Anchor::Start, palette::kInk);
      y += kCaptionLine;
    }
  }

  void add_fills() {
    for (const TileArea& area : merge_areas(p_.fills, p_.columns)) {
      if (area.value == kNoFill) continue;
      RectangleItem item{.role = "uncovered",
                         .at = corner(area.m, area.n),
                         .width = area.columns * p_.cell_width,
                         .height = area.rows * p_.cell_height};
      if (area.value == kHatchedFill) {
        item.style = {.fill = palette::kOverhang, .hatch = palette::kHatch};
      } else if (area.value == kWastedFill) {
        item.role = "wasted";
        item.style = {.fill = palette::kWaste, .hatch = palette::kWasteHatch};
      } else {
        item.role = format("{}.{}", kFillRole, area.value);
        item.style = {.fill = p_.colors[static_cast<size_t>(area.value)]};
      }
      items_.push_back(std::move(item));
    }
  }

  void add_splits() {
    for (const SplitCell& one : p_.splits) {
      const Point at = corner_of(one.cell);
      const double width = p_.cell_width / static_cast<double>(one.fills.size());
      for (size_t i = 0; i < one.fills.size(); ++i) {
        items_.push_back(
            RectangleItem{.role = format("part.{}", one.fills[i]),
                          .at = {at.x + width * static_cast<double>(i), at.y},
                          .width = width,
                          .height = p_.cell_height,
                          .style = {.fill = p_.colors[static_cast<size_t>(one.fills[i])]}});
      }
    }
  }

  void add_lines() {
    if (cell_size() >= 5) add_cell_lines();
    add_tile_lines();
    items_.push_back(RectangleItem{.role = "outline",
                                   .at = origin_,
                                   .width = or_all(p_.outlined_columns, p_.columns) * p_.cell_width,
                                   .height = or_all(p_.outlined_rows, p_.rows) * p_.cell_height,
                                   .style = {.stroke = palette::kInk, .stroke_width = 1.8}});
  }

  static int or_all(int some, int all) { return some > 0 ? some : all; }
  // Lines of level 2 and up end with the outlined part.
  static int end_of(const PanelLine& line, int all, int outlined) {
    return line.level >= 2 ? or_all(outlined, all) : all;
  }

  void add_cell_lines() {
    const Color paper = palette::with_alpha(palette::kPaper, cell_size() >= 12 ? 255 : 150);
    const double width = cell_size() >= 12 ? 1.2 : 0.6;
    for (int r = 1; r < p_.rows; ++r) {
      add_line("cell-line", corner(r, 0), corner(r, p_.columns), paper, width);
    }
    for (int c = 1; c < p_.columns; ++c) {
      add_line("cell-line", corner(0, c), corner(p_.rows, c), paper, width);
    }
  }

  void add_tile_lines() {
    // The highest levels come last, over the others.
    const double extent = std::max(p_.rows * p_.cell_height, p_.columns * p_.cell_width);
    const double scale = cell_size() < 8 ? 0.6 : extent > 900 ? 1.5 : 1;
    for (const int level : {1, 2, 3}) {
      const Color color =
          palette::with_alpha(level == 1 ? palette::kMuted : palette::kInk, level == 1 ? 170 : 225);
      const double width = (level == 1 ? 1.1 : level == 2 ? 1.7 : 2.6) * scale;
      const auto has_level = [level](int l) { return std::min(l, 3) == level; };
      for (const PanelLine& line : p_.row_lines) {
        if (!has_level(line.level)) continue;
        add_line("tile-line", corner(line.at, 0),
                 corner(line.at, end_of(line, p_.columns, p_.outlined_columns)), color, width);
      }
      for (const PanelLine& line : p_.column_lines) {
        if (!has_level(line.level)) continue;
        add_line("tile-line", corner(0, line.at),
                 corner(end_of(line, p_.rows, p_.outlined_rows), line.at), color, width);
      }
    }
  }

  void add_texts() {
    const double size = text_size(p_);
    for (size_t i = 0; i < std::max(p_.texts.size(), p_.tooltips.size()); ++i) {
      const Point at = corner_of(static_cast<int>(i));
      if (i < p_.tooltips.size() && !p_.tooltips[i].empty()) {
        items_.push_back(TooltipItem{.role = kFillRole,
                                     .at = at,
                                     .width = p_.cell_width,
                                     .height = p_.cell_height,
                                     .text = p_.tooltips[i]});
      }
      if (size > 0 && i < p_.texts.size() && !p_.texts[i].empty()) add_text(at, p_.texts[i], size);
    }
  }

  void add_text(Point at, const std::string& text, double size) {
    const double line_height = size * 1.15;
    const std::vector<std::string_view> lines = split(text, '\n');
    const double used = capital_height(size) + line_height * static_cast<double>(lines.size() - 1);
    double y = std::round(2 * (at.y + (p_.cell_height - used) / 2 + capital_height(size))) / 2;
    for (const std::string_view line : lines) {
      add_label("text", {at.x + p_.cell_width / 2, y}, std::string(line), size, false,
                Anchor::Middle, palette::kInk);
      y += line_height;
    }
  }

  void add_flags() {
    if (cell_size() < 8) return;
    const double side = std::min(9.0, cell_size() * 0.36);
    for (const int cell : p_.flagged) {
      const Point at = corner_of(cell);
      const double right = at.x + p_.cell_width;
      items_.push_back(
          PathItem{.role = "flag",
                   .points = {{right - side, at.y}, {right, at.y}, {right, at.y + side}},
                   .closed = true,
                   .style = {.fill = palette::kInk}});
    }
  }

  void add_marks() {
    const bool tiny = cell_size() < 8;
    const double inset = tiny ? 0 : 1;
    for (const int cell : p_.marked) {
      const Point at = corner_of(cell);
      RectangleItem item{.role = "mark",
                         .at = {at.x + inset, at.y + inset},
                         .width = p_.cell_width - 2 * inset,
                         .height = p_.cell_height - 2 * inset};
      if (tiny) {
        item.style = {.fill = palette::kInk};
      } else {
        item.style = {.stroke = palette::kInk, .stroke_width = cell_size() < 24 ? 1.7 : 2.2};
      }
      items_.push_back(std::move(item));
    }
  }

  // The first power of two at which labels fit.
  static int tick_step(double cell, double pitch) {
    int step = 1;
    while (step * cell < pitch) step *= 2;
    return step;
  }

  void add_ticks() {
    const auto text = [](const std::vector<std::string>& labels, int i) {
      return labels.empty() ? format("{}", i) : labels[static_cast<size_t>(i)];
    };
    const double pitch = label_width(p_.column_labels, p_.columns) + 6;
    const int across = tick_step(p_.cell_width, pitch);
    for (int c = 0; c < p_.columns; c += across) {
      add_label("axis", {corner(0, c).x + p_.cell_width / 2, origin_.y - 6},
                text(p_.column_labels, c), kTickSize, false, Anchor::Middle, palette::kMuted);
    }
    const int along = tick_step(p_.cell_height, kTickSize + 2);
    for (int r = 0; r < p_.rows; r += along) {
      const double y = corner(r, 0).y + p_.cell_height / 2 + capital_height(kTickSize) / 2;
      add_label("axis", {origin_.x - 7, y}, text(p_.row_labels, r), kTickSize, false, Anchor::End,
                palette::kMuted);
    }
  }

  void add_arrow(Point from, Point to) {
    add_line("axis", from, to, palette::kInk, 1.3);
    const Point d = {to.x > from.x ? 1.0 : 0.0, to.y > from.y ? 1.0 : 0.0};
    const Point tip = {to.x + d.x * 5, to.y + d.y * 5};
    items_.push_back(
        PathItem{.role = "axis",
                 .points = {tip,
                            {tip.x - d.x * 7 - d.y * 3.6, tip.y - d.y * 7 + d.x * 3.6},
                            {tip.x - d.x * 7 + d.y * 3.6, tip.y - d.y * 7 - d.x * 3.6}},
                 .closed = true,
                 .style = {.fill = palette::kInk}});
  }

  void add_names() {
    if (!p_.column_name.empty()) {
      const Point at = {origin_.x, origin_.y - 21};
      add_label("axis", at, p_.column_name, kNameSize, true, Anchor::Start, palette::kInk);
      const double x = at.x + text_width(p_.column_name, kNameSize, true) + 6;
      add_arrow({x, at.y - 4}, {x + 18, at.y - 4});
    }
    if (!p_.row_name.empty()) {
      const Point at = {0, origin_.y - 6};
      add_label("axis", at, p_.row_name, kNameSize, true, Anchor::Start, palette::kInk);
      if (p_.rows * p_.cell_height >= 30) add_arrow({5, at.y + 8}, {5, at.y + 26});
    }
  }

  const CellPanel& p_;
  Point origin_;
  std::vector<SceneItem> items_;
};

// All panels get one cell size: without an available size the largest one needed, with one the
// smallest.
std::vector<PageBlock> draw_alike(std::vector<CellPanel> panels, const AvailableSize& available) {
  Point cell;
  for (CellPanel& panel : panels) {
    set_cell_size(panel, available);
    const Point own = {panel.cell_width, panel.cell_height};
    if (&panel == &panels.front()) {
      cell = own;
    } else if (available.width == 0) {
      cell = {std::max(cell.x, own.x), std::max(cell.y, own.y)};
    } else {
      cell = {std::min(cell.x, own.x), std::min(cell.y, own.y)};
    }
  }
  std::vector<PageBlock> blocks;
  blocks.reserve(panels.size());
  for (CellPanel& panel : panels) {
    panel.cell_width = cell.x;
    panel.cell_height = cell.y;
    blocks.push_back(draw_panel(std::move(panel)));
  }
  return blocks;
}

}  // namespace

void require_drawable_cells(int64_t rows, int64_t columns, const char* what) {
  if (std::max(rows, columns) <= kMaxDrawnCells) return;
  throw usage_error(format("a picture holds {} cells a side, and {} has {}x{}: draw a part of it",
                           kMaxDrawnCells, what, rows, columns));
}

Point panel_margin(const CellPanel& p) {
  const double caption =
      p.caption.empty() ? 0
                        : 24 + kCaptionLine * (static_cast<double>(caption_lines(p).size()) - 1);
  const double names = p.column_name.empty() ? 0 : 18;
  const double name_width = text_width(p.row_name, kNameSize, true);
  const double labels = std::max(p.label_room, label_width(p.row_labels, p.rows));
  // Whole pixels keep edges sharp and files short.
  return {std::ceil(std::max(labels + (p.row_name.empty() ? 0 : 18), name_width) + 8),
          caption + names + 20};
}

void set_cell_size(CellPanel& p, const AvailableSize& available) {
  p.caption_width = available.width;
  const Point margin = panel_margin(p);
  const auto room_of = [](double all, double taken) {
    return all > 0 ? std::max(all - taken - kPanelEdge, 1.0) : kMaxPanel;
  };
  const Point most = {room_of(available.width, margin.x), room_of(available.height, margin.y)};
  const double side = side_of(p, available, most);
  p.cell_width = side;
  p.cell_height = side;
  const TextNeed need = text_need(p);
  if (need.width == 0) return;
  const auto wanted = [&](double size) {
    return Point{std::ceil(need.width * size + kTextPadding),
                 std::ceil(size * (need.lines * 1.15 + 0.55))};
  };
  for (const double size : {kBestText, 9.0, 8.0, 7.0}) {
    const Point cell = wanted(size);
    if (cell.x * p.columns > most.x || cell.y * p.rows > most.y) continue;
    p.cell_width = std::max(side, cell.x);
    p.cell_height = std::max(std::min(side, p.cell_width), cell.y);
    return;
  }
}

PageBlock draw_panel(CellPanel panel, const AvailableSize& available) {
  if (panel.cell_width == 0) set_cell_size(panel, available);
  return CellPainter(panel).draw();
}

std::vector<PageBlock> draw_panels(std::vector<CellPanel> panels, const AvailableSize& page,
                                   size_t columns) {
  std::vector<PageBlock> blocks = draw_alike(panels, {});
  if (page.width == 0) return blocks;
  double width = 0;
  for (const PageBlock& block : blocks) width = std::max(width, block.width);
  const AvailableSize available = block_size(page, panels.size(), width, columns);
  return draw_alike(std::move(panels), available);
}

std::vector<PanelLine> nested_lines(const std::vector<int64_t>& extents) {
  std::vector<PanelLine> lines;
  int64_t total = 1;
  for (const int64_t extent : extents) total *= extent;
  int64_t step = 1;
  int level = 0;
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    step *= extents[i];
    if (extents[i] == 1) continue;
    if (step == total) break;
    ++level;
    for (int64_t at = step; at < total; at += step) {
      lines.push_back({static_cast<int>(at), level});
    }
  }
  // A single level gets the weight of level 2, because level 1 is thin.
  if (level == 1) {
    for (PanelLine& line : lines) line.level = 2;
  }
  return lines;
}

LegendEntry legend_mark(const std::string& text) {
  return legend_patch(text, {.stroke = palette::kInk, .stroke_width = 2.4});
}

LegendEntry legend_flag(const std::string& text) {
  LegendEntry entry = legend_patch(text, {.stroke = palette::kFaint});
  entry.symbol.push_back(PathItem{.role = "legend",
                                  .points = {{10, 0}, {18, 0}, {18, 8}},
                                  .closed = true,
                                  .style = {.fill = palette::kInk}});
  return entry;
}

LegendEntry legend_hatch(const std::string& text) {
  return legend_patch(text, {.fill = palette::kOverhang, .hatch = palette::kHatch});
}

}  // namespace tilewright
