#include "draw/diagram_page.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr const char* kTitleRole = "title";
constexpr double kTitleSize = 19;
constexpr double kTitleLine = 25;
constexpr double kLineSize = 13;
constexpr double kLineHeight = 20;
constexpr double kHeaderGap = 18;
constexpr double kMaxWidth = 2000;  // pixels of a line of blocks

double width_of(std::span<const PageBlock> line, double gap) {
  double width = 0;
  for (const PageBlock& block : line) width += std::ceil(block.width) + gap;
  return width - gap;
}

// Splits the blocks into lines of at most `per_line`.
std::vector<std::vector<PageBlock>> lines_of(std::vector<PageBlock> blocks, int per_line) {
  std::vector<std::vector<PageBlock>> lines;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i % static_cast<size_t>(per_line) == 0) lines.emplace_back();
    lines.back().push_back(std::move(blocks[i]));
  }
  return lines;
}

// Reorders lines into columns, each column from top to bottom.
std::vector<PageBlock> by_columns(std::vector<std::vector<PageBlock>> lines) {
  std::vector<PageBlock> blocks;
  for (size_t column = 0; column < lines.front().size(); ++column) {
    for (std::vector<PageBlock>& line : lines) {
      if (column < line.size()) blocks.push_back(std::move(line[column]));
    }
  }
  return blocks;
}

// Where the lines are wider than the page, keeps the blocks of a column or of a line together.
PageBlock placed_lines(std::vector<PageBlock> blocks, int per_line, bool compared, double width) {
  const double gap = compared ? kGutter : kBlockGap;
  std::vector<std::vector<PageBlock>> lines = lines_of(std::move(blocks), per_line);
  const bool wide = std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
    return line.size() > 1 && width_of(line, gap) > width;
  });
  if (wide && compared) return stack_blocks(by_columns(std::move(lines)), kBlockGap);
  const double rule = std::ceil(lines.front().front().width) + gap / 2;
  std::vector<PageBlock> placed;
  placed.reserve(lines.size());
  for (std::vector<PageBlock>& line : lines) {
    const int count = wide ? 0 : per_line;
    placed.push_back(flow_blocks(std::move(line), width, count, gap));
  }
  PageBlock body = stack_blocks(std::move(placed), kBlockGap);
  if (compared && per_line == 2) {
    body.items.push_back(PathItem{.role = "gutter",
                                  .points = {{rule, 0}, {rule, body.height}},
                                  .style = {.stroke = palette::kFaint, .stroke_width = 1}});
  }
  return body;
}

PageBlock body_of(Page& page, double width) {
  PageBlock body = page.per_line > 0 && !page.blocks.empty()
                       ? placed_lines(std::move(page.blocks), page.per_line, page.compared, width)
                       : flow_blocks(std::move(page.blocks), width);
  if (page.below.empty()) return body;
  return stack_blocks({std::move(body), flow_blocks(std::move(page.below), width)}, kBlockGap);
}

}  // namespace

std::string counted(int64_t count, std::string_view noun) {
  return format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

double round_step(double least) {
  // Beyond these, a power of ten would vanish or overflow.
  least = least > 1e-300 ? std::min(least, 1e300) : 1e-300;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= least) return power * factor;
  }
  return power * 10;
}

double fitting_side(double width, double height, double most) {
  constexpr double kMinSide = 0.5;
  const double side = std::max(std::min({width, height, most}), kMinSide);
  return side < 2 ? side : std::floor(side);
}

void append_items(std::vector<SceneItem>& items, std::vector<SceneItem> more) {
  items.insert(items.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

PageHeader page_header(const std::string& title, const std::vector<std::string>& lines,
                       double width) {
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
  header.height = capital_height(kTitleSize) - kTitleLine;
  for (const std::string& line : text_lines(title, kTitleSize, true, width)) {
    header.height += kTitleLine;
    add(kTitleRole, line, kTitleSize, true, palette::kInk);
  }
  header.height += 4;
  for (const std::string& text : lines) {
    for (const std::string& line : text_lines(text, kLineSize, false, width)) {
      header.height += kLineHeight;
      add("subtitle", line, kLineSize, false, palette::kMuted);
    }
  }
  return header;
}

AvailableSize block_size(const AvailableSize& page, size_t count, double width, size_t columns) {
  const double content = content_width(page);
  if (content == 0 || count == 0) return {};
  const double gap = columns > 0 ? kGutter : kBlockGap;
  const auto most = static_cast<double>(columns > 0 ? columns : count);
  double in_line = std::clamp(std::floor((content + gap) / (width + gap)), 1.0, most);
  if (columns > 0 && in_line < most) in_line = 1;
  const double lines = std::ceil(static_cast<double>(count) / in_line);
  const double high = (page.height - (lines - 1) * kBlockGap) / lines;
  return {std::floor((content - (in_line - 1) * gap) / in_line),
          page.height > 0 ? std::max(high, 1.0) : 0};
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

PageBlock text_block(const std::vector<std::string>& lines, double width) {
  PageBlock block;
  for (const std::string& text : lines) {
    const bool first = &text == &lines.front();
    for (const std::string& line : text_lines(text, kLineSize, first, width)) {
      block.height += block.items.empty() ? capital_height(kLineSize) + 2 : kLineHeight;
      block.width = std::max(block.width, text_width(line, kLineSize, first));
      block.items.push_back(LabelItem{.role = first ? "caption" : "subtitle",
                                      .at = {0, block.height},
                                      .text = line,
                                      .size = kLineSize,
                                      .bold = first,
                                      .color = first ? palette::kInk : palette::kMuted});
    }
  }
  block.height += 4;
  return block;
}

double content_width(const AvailableSize& available) {
  return available.width > 0 ? std::max(available.width - 2 * kPageMargin, 1.0) : 0;
}

Scene page_scene(Page page) {
  Scene scene{.title = page.title, .background = palette::kPaper};
  const double wide = content_width(page.available);
  PageHeader header = page_header(page.title, page.lines, wide);
  append_items(scene.items, std::move(header.items));
  const double top = std::ceil(kPageMargin + header.height + kHeaderGap);
  PageBlock body = body_of(page, wide > 0 ? wide : kMaxWidth);
  for (SceneItem& item : body.items) {
    scene.items.push_back(moved(std::move(item), {kPageMargin, top}));
  }
  const double content = wide > 0 ? wide : std::max({body.width, header.width, kMinContent});
  const double bottom = top + body.height;
  LegendBlock legend = flow_legend(page.legend, {kPageMargin, bottom + kLegendGap}, content);
  append_items(scene.items, std::move(legend.items));
  const double legend_bottom = page.legend.empty() ? bottom : bottom + kLegendGap + legend.height;
  scene.width = std::ceil(std::max({body.width, header.width, legend.width}) + 2 * kPageMargin);
  scene.height = std::ceil(legend_bottom + kPageMargin);
  return scene;
}

void change_title(Scene& scene, const std::string& title, double width) {
  scene.title = title;
  const auto is_title = [](const SceneItem& item) {
    const auto* const label = std::get_if<LabelItem>(&item);
    return label != nullptr && label->role == kTitleRole;
  };
  const auto first = std::find_if(scene.items.begin(), scene.items.end(), is_title);
  if (first == scene.items.end()) return;
  const auto old_lines = std::count_if(scene.items.begin(), scene.items.end(), is_title);
  LabelItem label = std::get<LabelItem>(*first);
  scene.items.erase(std::remove_if(scene.items.begin(), scene.items.end(), is_title),
                    scene.items.end());
  const std::vector<std::string> lines =
      text_lines(title, label.size, true, content_width({.width = width}));
  const double by =
      kTitleLine * (static_cast<double>(lines.size()) - static_cast<double>(old_lines));
  for (SceneItem& item : scene.items) item = moved(std::move(item), {0, by});
  scene.height += by;
  std::vector<SceneItem> labels;
  for (const std::string& line : lines) {
    label.text = line;
    scene.width = std::max(scene.width, std::ceil(box_of(label).right + kPageMargin));
    labels.emplace_back(label);
    label.at.y += kTitleLine;
  }
  scene.items.insert(scene.items.begin(), labels.begin(), labels.end());
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
