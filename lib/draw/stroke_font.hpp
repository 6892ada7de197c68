// The project's own letters, drawn as strokes: text looks the same on every host, with fonts or
// without.
#pragma once

#include <string_view>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// A corner of a stroke; `radius` > 0 rounds it, in the units of the point.
struct StrokeCorner {
  Point at;
  double radius = 0;
  bool operator==(const StrokeCorner&) const = default;
};

/// One movement of the pen. A single point is a dot.
struct Stroke {
  std::vector<StrokeCorner> corners;
  bool closed = false;
  bool operator==(const Stroke&) const = default;
};

/// Pen width for letters of a size, pixels.
double pen_width(double size, bool bold);

/// Height of capitals and digits of a size, pixels.
double capital_height(double size);

/// Advance of a line of text, pixels. Bytes outside of ASCII 32..126 count as one box each.
double text_width(std::string_view text, double size, bool bold = false);

/// The strokes of a line of text that starts at `at`, on the baseline.
std::vector<Stroke> text_strokes(std::string_view text, Point at, double size, bool bold = false);

}  // namespace tilewright
