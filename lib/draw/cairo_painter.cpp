// The one user of Cairo.

#include "draw/cairo_painter.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "draw/stroke_font.hpp"
#include "draw/svg_text.hpp"

namespace tilewright {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

constexpr double kPngScale = 2;
constexpr double kMostPixels = 32'000;  // a side; Cairo's images end at 32767
constexpr double kHatchStep = 6;
constexpr double kHaloWidth = 3.6;  // in pen widths
constexpr Color kNoColor = {0, 0, 0, 0};

cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void set_color(cairo_t* cr, Color c) {
  cairo_set_source_rgba(cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

void add_rectangle(cairo_t* cr, const RectangleItem& r) {
  const double radius = std::min({r.radius, r.width / 2, r.height / 2});
  if (radius <= 0) {
    cairo_rectangle(cr, r.at.x, r.at.y, r.width, r.height);
    return;
  }
  constexpr double kQuarter = std::numbers::pi / 2;
  const double right = r.at.x + r.width - radius;
  const double bottom = r.at.y + r.height - radius;
  cairo_new_sub_path(cr);
  cairo_arc(cr, right, r.at.y + radius, radius, -kQuarter, 0);
  cairo_arc(cr, right, bottom, radius, 0, kQuarter);
  cairo_arc(cr, r.at.x + radius, bottom, radius, kQuarter, 2 * kQuarter);
  cairo_arc(cr, r.at.x + radius, r.at.y + radius, radius, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cr);
}

void add_path(cairo_t* cr, const PathItem& p) {
  cairo_new_sub_path(cr);
  for (const Point at : p.points) cairo_line_to(cr, at.x, at.y);
  if (p.closed) cairo_close_path(cr);
}

// Lines x + y = c at multiples of the step, so that neighbouring areas continue each other.
void add_hatch(cairo_t* cr, const RectangleItem& r) {
  const double left = r.at.x;
  const double top = r.at.y;
  const double right = left + r.width;
  const double bottom = top + r.height;
  const int first_line = static_cast<int>(std::ceil((left + top) / kHatchStep));
  const int end_line = static_cast<int>(std::ceil((right + bottom) / kHatchStep));
  for (int i = first_line; i < end_line; ++i) {
    const double c = i * kHatchStep;
    const double x0 = std::max(left, c - bottom);
    const double x1 = std::min(right, c - top);
    cairo_move_to(cr, x0, c - x0);
    cairo_line_to(cr, x1, c - x1);
  }
}

// Where the straight part ends beside a rounded corner.
Point toward(const StrokeCorner& corner, Point other) {
  const double length = std::hypot(other.x - corner.at.x, other.y - corner.at.y);
  if (length == 0) return corner.at;
  const double t = corner.radius / length;
  return {corner.at.x + (other.x - corner.at.x) * t, corner.at.y + (other.y - corner.at.y) * t};
}

void add_corner(cairo_t* cr, const StrokeCorner& corner, Point before, Point after) {
  if (corner.radius <= 0) {
    cairo_line_to(cr, corner.at.x, corner.at.y);
    return;
  }
  constexpr double kArc = 0.5523;  // Bezier handles of a quarter circle
  const Point in = toward(corner, before);
  const Point out = toward(corner, after);
  const auto handle = [&](Point p) {
    return Point{p.x + (corner.at.x - p.x) * kArc, p.y + (corner.at.y - p.y) * kArc};
  };
  cairo_line_to(cr, in.x, in.y);
  cairo_curve_to(cr, handle(in).x, handle(in).y, handle(out).x, handle(out).y, out.x, out.y);
}

void add_stroke(cairo_t* cr, const Stroke& stroke) {
  const std::vector<StrokeCorner>& corners = stroke.corners;
  const size_t count = corners.size();
  cairo_new_sub_path(cr);
  for (size_t i = 0; i < count; ++i) {
    add_corner(cr, corners[i], corners[(i + count - 1) % count].at, corners[(i + 1) % count].at);
  }
  if (stroke.closed || count == 1) cairo_close_path(cr);
}

void add_label(cairo_t* cr, const LabelItem& l) {
  const double width = text_width(l.text, l.size, l.bold);
  const double shift = l.anchor == Anchor::Start    ? 0
                       : l.anchor == Anchor::Middle ? width / 2
                                                    : width;
  for (const Stroke& stroke : text_strokes(l.text, {l.at.x - shift, l.at.y}, l.size, l.bold)) {
    add_stroke(cr, stroke);
  }
}

void stroke_lines(cairo_t* cr, Color color, double width) {
  set_color(cr, color);
  cairo_set_line_width(cr, width);
  cairo_stroke_preserve(cr);
}

// One path for a run of items that look the same: small files, and no seams between neighbours.
class Batch {
 public:
  explicit Batch(cairo_t* cr) : cr_(cr) {}

  void operator()(const RectangleItem& r) {
    if (r.style.hatch) {
      finish();
      if (r.style.fill) fill(r);
      add_hatch(cr_, r);
      stroke_lines(cr_, *r.style.hatch, 0.9);
      cairo_new_path(cr_);
      if (!r.style.stroke) return;
    }
    start({.stroke = r.style.stroke.value_or(kNoColor),
           .stroke_width = r.style.stroke_width,
           .fill_color = r.style.hatch ? kNoColor : r.style.fill.value_or(kNoColor)});
    add_rectangle(cr_, r);
  }

  void operator()(const PathItem& p) {
    start({.stroke = p.style.stroke.value_or(kNoColor),
           .stroke_width = p.style.stroke_width,
           .fill_color = p.style.fill.value_or(kNoColor),
           .round = true});
    add_path(cr_, p);
  }

  void operator()(const LabelItem& l) {
    start({.stroke = l.color,
           .stroke_width = pen_width(l.size, l.bold),
           .fill_color = kNoColor,
           .round = true,
           .halo = l.halo.value_or(kNoColor)});
    add_label(cr_, l);
  }

  void finish() {
    if (look_.fill_color.a > 0) {
      set_color(cr_, look_.fill_color);
      cairo_fill_preserve(cr_);
    }
    if (look_.stroke.a > 0) {
      const bool round = look_.round;
      cairo_set_line_cap(cr_, round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
      cairo_set_line_join(cr_, round ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER);
      if (look_.halo.a > 0) stroke_lines(cr_, look_.halo, look_.stroke_width * kHaloWidth);
      stroke_lines(cr_, look_.stroke, look_.stroke_width);
    }
    cairo_new_path(cr_);
    look_ = {};
  }

 private:
  struct Look {
    Color stroke = kNoColor;
    double stroke_width = 0;
    Color fill_color = kNoColor;
    bool round = false;
    Color halo = kNoColor;
    bool operator==(const Look&) const = default;
  };

  void start(const Look& look) {
    if (look == look_) return;
    finish();
    look_ = look;
  }

  void fill(const RectangleItem& r) {
    set_color(cr_, *r.style.fill);
    add_rectangle(cr_, r);
    cairo_fill(cr_);
  }

  cairo_t* cr_;
  Look look_;
};

void require_good(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw internal_error(format("cairo: {}", cairo_status_to_string(status)));
}

Surface make_surface(const Scene& scene, ImageFormat kind, std::string& bytes) {
  if (kind == ImageFormat::Svg) {
    Surface svg(cairo_svg_surface_create_for_stream(append, &bytes, scene.width, scene.height),
                cairo_surface_destroy);
    cairo_svg_surface_set_document_unit(svg.get(), CAIRO_SVG_UNIT_PX);
    return svg;
  }
  if (kind == ImageFormat::Pdf) {
    Surface pdf(cairo_pdf_surface_create_for_stream(append, &bytes, scene.width, scene.height),
                cairo_surface_destroy);
    cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_TITLE, scene.title.c_str());
    // The same picture is the same file, whenever it is drawn.
    cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                   "2000-01-01T00:00:00Z");
    return pdf;
  }
  const auto pixels = [](double size) { return static_cast<int>(std::ceil(size * kPngScale)); };
  return {cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(scene.width), pixels(scene.height)),
          cairo_surface_destroy};
}

void paint(const Scene& scene, cairo_t* cr) {
  set_color(cr, scene.background);
  cairo_paint(cr);
  Batch batch(cr);
  for (const SceneItem& item : scene.items) {
    throw_if_interrupted();
    std::visit([&batch](const auto& it) { batch(it); }, item);
  }
  batch.finish();
}

}  // namespace

ImageFormat image_format_of(const std::filesystem::path& path) {
  if (path == "-") return ImageFormat::Svg;
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".svg") return ImageFormat::Svg;
  if (extension == ".png") return ImageFormat::Png;
  if (extension == ".pdf") return ImageFormat::Pdf;
  throw usage_error(format("'{}': a picture's name ends in .svg, .png or .pdf", path.string()));
}

std::string render(const Scene& scene, ImageFormat kind) {
  const double scale = kind == ImageFormat::Png ? kPngScale : 1;
  if (!(std::max(scene.width, scene.height) * scale <= kMostPixels)) {
    throw usage_error(format("a picture of {:.0f}x{:.0f} pixels is larger than {:.0f} a side",
                             scene.width * scale, scene.height * scale, kMostPixels));
  }
  std::string bytes;
  const Surface surface = make_surface(scene, kind, bytes);
  require_good(cairo_surface_status(surface.get()));
  {
    const Context context(cairo_create(surface.get()), cairo_destroy);
    cairo_scale(context.get(), scale, scale);
    paint(scene, context.get());
    require_good(cairo_status(context.get()));
  }
  if (kind == ImageFormat::Png) {
    require_good(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  } else {
    cairo_surface_finish(surface.get());
    require_good(cairo_surface_status(surface.get()));
  }
  return kind == ImageFormat::Svg ? settled_svg(bytes, scene.title) : bytes;
}

void write_picture(const Scene& scene, const std::filesystem::path& path) {
  const std::string bytes = render(scene, image_format_of(path));
  throw_if_interrupted();
  write_file(path, bytes);
}

}  // namespace tilewright
