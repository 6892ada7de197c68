// A picture before it is painted: rectangles, paths and labels in pixels, x right, y down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {

/// sRGB, alpha not premultiplied.
struct Color {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
  uint8_t a = 255;
  bool operator==(const Color&) const = default;
};

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

/// How an area and its edge are painted; unset parts are not.
struct Style {
  std::optional<Color> fill = std::nullopt;
  std::optional<Color> hatch = std::nullopt;  // diagonal lines over the fill
  std::optional<Color> stroke = std::nullopt;
  double stroke_width = 1;
  bool operator==(const Style&) const = default;
};

/// `radius` rounds the corners; half of the width makes a disc.
struct RectangleItem {
  std::string role;  // what the item stands for, such as "wave.3"
  Point at = {};
  double width = 0;
  double height = 0;
  double radius = 0;
  Style style = {};
  bool operator==(const RectangleItem&) const = default;
};

struct PathItem {
  std::string role;
  std::vector<Point> points = {};
  bool closed = false;
  Style style = {};
  bool operator==(const PathItem&) const = default;
};

/// Where `at` lies along a label; vertically it is the baseline.
enum class Anchor { Start, Middle, End };

struct LabelItem {
  std::string role;
  Point at = {};
  std::string text = {};
  double size = 12;  // 1.5 times the height of capitals, as font sizes are measured
  bool bold = false;
  Anchor anchor = Anchor::Start;
  Color color = {};
  std::optional<Color> halo = std::nullopt;  // outline of the letters, over the items below
  bool operator==(const LabelItem&) const = default;
};

/// An area with a text that appears under the pointer, in formats that support it. The labels that
/// directly follow and lie inside belong to it.
struct TooltipItem {
  std::string role;
  Point at = {};
  double width = 0;
  double height = 0;
  std::string text = {};
  bool operator==(const TooltipItem&) const = default;
};

using SceneItem = std::variant<RectangleItem, PathItem, LabelItem, TooltipItem>;

/// Items are painted in order, later ones over earlier ones.
struct Scene {
  double width = 0;
  double height = 0;
  std::string title = {};
  Color background = {255, 255, 255};
  std::vector<SceneItem> items = {};
  bool operator==(const Scene&) const = default;
};

/// "#rrggbb", or "#rrggbbaa" where it is not opaque.
std::string to_string(const Color& color);

/// One line per item, coordinates with at most two decimals: the same on every host.
std::string dump(const Scene& scene);

PathItem line_item(const char* role, Point from, Point to, Color color, double width);

/// A filled arrow head in the middle of a line, which must be longer than 0.
PathItem arrow_head(const char* role, Point from, Point to, double size);

/// The size that a picture is laid out for, in pixels; 0: as many as the content needs.
struct AvailableSize {
  double width = 0;   // width of the page, margins included
  double height = 0;  // height between the header and the legend
  bool operator==(const AvailableSize&) const = default;
};

}  // namespace tilewright
