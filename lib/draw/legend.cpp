#include "draw/legend.hpp"

#include <algorithm>

#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"

namespace tilewright {

namespace {

constexpr double kLegendTextSize = 12;
constexpr double kSymbolGap = 7;
constexpr double kEntryGap = 22;
constexpr double kLine = 24;
constexpr double kTextLine = 17;     // line height of texts that take several lines
constexpr double kMinBesides = 150;  // least width in pixels of a text beside its symbol

// An entry's text broken into lines, relative to the entry's top left.
struct WrappedEntry {
  std::vector<std::string> lines;
  Point text_at;
  double width = 0;
  double height = kLegendSymbolHeight;
};

WrappedEntry wrap(const LegendEntry& entry, double width) {
  WrappedEntry wrapped{.lines = {}, .text_at = {entry.symbol_width + kSymbolGap, 0}};
  double room = 0;
  if (width > 0 && wrapped.text_at.x + text_width(entry.text, kLegendTextSize) > width) {
    room = width - wrapped.text_at.x;
    if (room < kMinBesides) {
      wrapped.text_at = {0, kLegendSymbolHeight + 4};
      room = width;
    }
  }
  wrapped.lines = text_lines(entry.text, kLegendTextSize, false, room);
  wrapped.width = entry.symbol_width;
  for (const std::string& line : wrapped.lines) {
    wrapped.width = std::max(wrapped.width, wrapped.text_at.x + text_width(line, kLegendTextSize));
  }
  wrapped.height += wrapped.text_at.y + kTextLine * static_cast<double>(wrapped.lines.size() - 1);
  return wrapped;
}

void move_item(RectangleItem& r, Point by) {
  r.at = {r.at.x + by.x, r.at.y + by.y};
}

void move_item(PathItem& p, Point by) {
  for (Point& at : p.points) at = {at.x + by.x, at.y + by.y};
}

void move_item(LabelItem& l, Point by) {
  l.at = {l.at.x + by.x, l.at.y + by.y};
}

void move_item(TooltipItem& h, Point by) {
  h.at = {h.at.x + by.x, h.at.y + by.y};
}

Box box(const RectangleItem& r) {
  return {r.at.x, r.at.y, r.at.x + r.width, r.at.y + r.height};
}

Box box(const PathItem& p) {
  Box all{1e9, 1e9, -1e9, -1e9};
  for (const Point at : p.points) {
    all = {std::min(all.left, at.x), std::min(all.top, at.y), std::max(all.right, at.x),
           std::max(all.bottom, at.y)};
  }
  return all;
}

Box box(const LabelItem& l) {
  const double width = text_width(l.text, l.size, l.bold);
  const double left = l.anchor == Anchor::Start    ? l.at.x
                      : l.anchor == Anchor::Middle ? l.at.x - width / 2
                                                   : l.at.x - width;
  return {left, l.at.y - capital_height(l.size), left + width, l.at.y};
}

Box box(const TooltipItem& h) {
  return {h.at.x, h.at.y, h.at.x + h.width, h.at.y + h.height};
}

}  // namespace

SceneItem moved(SceneItem item, Point by) {
  std::visit([by](auto& it) { move_item(it, by); }, item);
  return item;
}

LegendBlock flow_legend(const std::vector<LegendEntry>& entries, Point at, double width) {
  LegendBlock block;
  Point pen;
  for (const LegendEntry& entry : entries) {
    const WrappedEntry wrapped = wrap(entry, width);
    if (pen.x > 0 && pen.x + wrapped.width > width) pen = {0, pen.y + kLine};
    const Point corner = {at.x + pen.x, at.y + pen.y};
    for (const SceneItem& item : entry.symbol) {
      block.items.push_back(moved(item, corner));
      std::visit([](auto& it) { it.role = "legend"; }, block.items.back());
    }
    for (size_t i = 0; i < wrapped.lines.size(); ++i) {
      block.items.push_back(
          LabelItem{.role = "legend",
                    .at = {corner.x + wrapped.text_at.x,
                           corner.y + wrapped.text_at.y + kTextLine * static_cast<double>(i) +
                               (kLegendSymbolHeight + capital_height(kLegendTextSize)) / 2},
                    .text = wrapped.lines[i],
                    .size = kLegendTextSize,
                    .color = palette::kInk});
    }
    block.width = std::max(block.width, pen.x + wrapped.width);
    block.height = pen.y + wrapped.height;
    pen.x += wrapped.width + kEntryGap;
    pen.y += wrapped.height - kLegendSymbolHeight;
  }
  return block;
}

Box box_of(const SceneItem& item) {
  return std::visit([](const auto& it) { return box(it); }, item);
}

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

}  // namespace tilewright
