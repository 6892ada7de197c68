#include "draw/scene.hpp"

#include <cmath>

#include "base/text.hpp"
#include "draw/palette.hpp"

namespace tilewright {

namespace {

// 12, 12.5 or 12.25, never 12.00 nor -0.
std::string number(double value) {
  std::string text = format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string point(Point p) {
  return format("{},{}", number(p.x), number(p.y));
}

std::string style_text(const Style& s) {
  std::string text;
  if (s.fill) text += format(" fill={}", to_string(*s.fill));
  if (s.hatch) text += format(" hatch={}", to_string(*s.hatch));
  if (s.stroke) text += format(" stroke={}/{}", to_string(*s.stroke), number(s.stroke_width));
  return text;
}

std::string dump_item(const RectangleItem& r) {
  const std::string radius = r.radius > 0 ? format(" radius={}", number(r.radius)) : "";
  return format("rect {} {} {}x{}{}{}", r.role, point(r.at), number(r.width), number(r.height),
                radius, style_text(r.style));
}

std::string dump_item(const PathItem& p) {
  std::string text = format("path {}{}{}", p.role, p.closed ? " closed" : "", style_text(p.style));
  for (const Point at : p.points) text += format(" {}", point(at));
  return text;
}

std::string dump_item(const LabelItem& l) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  const std::string halo = l.halo ? format(" halo={}", to_string(*l.halo)) : "";
  return format("label {} {} {} {}{} {}{} '{}'", l.role, point(l.at),
                kAnchors[static_cast<int>(l.anchor)], number(l.size), l.bold ? " bold" : "",
                to_string(l.color), halo, l.text);
}

std::string dump_item(const TooltipItem& h) {
  return format("tooltip {} {} {}x{} '{}'", h.role, point(h.at), number(h.width), number(h.height),
                h.text);
}

}  // namespace

std::string to_string(const Color& c) {
  if (c.a == 255) return format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
  return format("#{:02x}{:02x}{:02x}{:02x}", c.r, c.g, c.b, c.a);
}

std::string dump(const Scene& scene) {
  std::string text = format("scene {}x{} background={} '{}'\n", number(scene.width),
                            number(scene.height), to_string(scene.background), scene.title);
  for (const SceneItem& item : scene.items) {
    text += std::visit([](const auto& it) { return dump_item(it); }, item);
    text += '\n';
  }
  return text;
}

PathItem line_item(const char* role, Point from, Point to, Color color, double width) {
  return {.role = role, .points = {from, to}, .style = {.stroke = color, .stroke_width = width}};
}

PathItem arrow_head(const char* role, Point from, Point to, double size) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const Point d = {(to.x - from.x) / length * size, (to.y - from.y) / length * size};
  const Point tip = {(from.x + to.x) / 2 + d.x * 0.6, (from.y + to.y) / 2 + d.y * 0.6};
  return {.role = role,
          .points = {tip,
                     {tip.x - d.x - d.y * 0.55, tip.y - d.y + d.x * 0.55},
                     {tip.x - d.x + d.y * 0.55, tip.y - d.y - d.x * 0.55}},
          .closed = true,
          .style = {.fill = palette::kInk}};
}

}  // namespace tilewright
