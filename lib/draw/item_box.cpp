#include "draw/item_box.hpp"

#include <algorithm>

#include "draw/font_metrics.hpp"

namespace tilewright {
namespace {

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

Box box(const HoverItem& h) {
  return {h.at.x, h.at.y, h.at.x + h.width, h.at.y + h.height};
}

}  // namespace

Box box_of(const SceneItem& item) {
  return std::visit([](const auto& it) { return box(it); }, item);
}

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

}  // namespace tilewright
