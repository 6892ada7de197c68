#include "draw/diagram_page.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr double kTitleSize = 19;
constexpr double kLineSize = 13;
constexpr double kLineHeight = 20;
constexpr double kHeaderGap = 18;
constexpr double kGutter = 76;       // between what is compared
constexpr double kMostWidth = 2000;  // of a line of blocks
constexpr double kLeastContent = 420;

}  // namespace

std::string counted(int64_t count, std::string_view noun) {
  return format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= least) return power * factor;
  }
  return power * 10;
}

void append_items(std::vector<SceneItem>& items, std::vector<SceneItem> more) {
  items.insert(items.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

PageHeader page_header(const std::string& title, const std::vector<std::string>& lines) {
  PageHeader header;
  const auto add = [&](const char* role, const std::string& text, double size, bool bold,
                       Color color) {
    header.items.push_back(LabelItem{.role = role,
                                     .at = {kPageMargin, kPageMargin + header.height},
                                     .text = text,
                                     .size = size,
                                     .bold = bold,
                                     .color = color});
    header.width = std::max(header.width, text_width(text, size, bold));
  };
  header.height = capital_height(kTitleSize);
  add("title", title, kTitleSize, true, palette::kInk);
  header.height += 4;
  for (const std::string& line : lines) {
    header.height += kLineHeight;
    add("subtitle", line, kLineSize, false, palette::kMuted);
  }
  return header;
}

PageBlock stack_blocks(std::vector<PageBlock> blocks, double gap) {
  PageBlock stacked;
  for (PageBlock& block : blocks) {
    if (stacked.height > 0) stacked.height = std::ceil(stacked.height + gap);
    for (SceneItem& item : block.items) {
      stacked.items.push_back(moved(std::move(item), {0, stacked.height}));
    }
    stacked.width = std::max(stacked.width, block.width);
    stacked.height += block.height;
  }
  return stacked;
}

PageBlock flow_blocks(std::vector<PageBlock> blocks, double width, int per_line, double gap) {
  PageBlock placed;
  Point pen = {0, 0};
  double line_height = 0;
  int in_line = 0;
  for (PageBlock& block : blocks) {
    const bool full = per_line > 0 ? in_line == per_line : pen.x + block.width > width;
    if (in_line > 0 && full) {
      pen = {0, std::ceil(pen.y + line_height) + kBlockGap};
      line_height = 0;
      in_line = 0;
    }
    for (SceneItem& item : block.items) placed.items.push_back(moved(std::move(item), pen));
    line_height = std::max(line_height, block.height);
    placed.width = std::max(placed.width, pen.x + block.width);
    placed.height = pen.y + line_height;
    pen.x += std::ceil(block.width) + gap;
    ++in_line;
  }
  return placed;
}

PageBlock text_block(const std::vector<std::string>& lines) {
  PageBlock block;
  for (const std::string& line : lines) {
    const bool first = &line == &lines.front();
    block.height += first ? capital_height(kLineSize) + 2 : kLineHeight;
    block.width = std::max(block.width, text_width(line, kLineSize, first));
    block.items.push_back(LabelItem{.role = first ? "caption" : "subtitle",
                                    .at = {0, block.height},
                                    .text = line,
                                    .size = kLineSize,
                                    .bold = first,
                                    .color = first ? palette::kInk : palette::kMuted});
  }
  block.height += 4;
  return block;
}

Scene page_scene(Page page) {
  Scene scene{.title = page.title, .background = palette::kPaper};
  PageHeader header = page_header(page.title, page.lines);
  append_items(scene.items, std::move(header.items));
  const double top = std::ceil(kPageMargin + header.height + kHeaderGap);
  const double gap = page.compared ? kGutter : kBlockGap;
  const double rule = page.blocks.empty() ? 0 : std::ceil(page.blocks.front().width) + gap / 2;
  PageBlock body = flow_blocks(std::move(page.blocks), kMostWidth, page.per_line, gap);
  if (page.compared && page.per_line == 2) {
    body.items.push_back(PathItem{.role = "gutter",
                                  .points = {{rule, 0}, {rule, body.height}},
                                  .style = {.stroke = palette::kFaint, .stroke_width = 1}});
  }
  if (!page.below.empty()) {
    body =
        stack_blocks({std::move(body), flow_blocks(std::move(page.below), kMostWidth)}, kBlockGap);
  }
  for (SceneItem& item : body.items) {
    scene.items.push_back(moved(std::move(item), {kPageMargin, top}));
  }
  const double content = std::max({body.width, header.width, kLeastContent});
  const double bottom = top + body.height;
  LegendBlock legend = flow_legend(page.legend, {kPageMargin, bottom + kLegendGap}, content);
  append_items(scene.items, std::move(legend.items));
  const double legend_bottom = page.legend.empty() ? bottom : bottom + kLegendGap + legend.height;
  scene.width = std::ceil(std::max({body.width, header.width, legend.width}) + 2 * kPageMargin);
  scene.height = std::ceil(legend_bottom + kPageMargin);
  return scene;
}

LegendEntry legend_patch(const std::string& text, const Style& style) {
  constexpr double kWide = 18;
  return {text,
          kWide,
          {RectangleItem{
              .role = "legend", .width = kWide, .height = kLegendSymbolHeight, .style = style}}};
}

LegendEntry legend_ramp(const std::string& text, const std::vector<Color>& colors) {
  const double step = colors.size() > 16 ? 6 : colors.size() > 8 ? 8 : 12;
  LegendEntry entry{text, step * static_cast<double>(colors.size()), {}};
  double x = 0;
  for (const Color color : colors) {
    entry.symbol.push_back(RectangleItem{.role = "legend",
                                         .at = {x, 0},
                                         .width = step,
                                         .height = kLegendSymbolHeight,
                                         .style = {.fill = color}});
    x += step;
  }
  return entry;
}

}  // namespace tilewright
