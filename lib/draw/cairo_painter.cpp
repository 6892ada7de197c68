// The only file that uses Cairo and FreeType.
#include "draw/cairo_painter.hpp"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "draw/font_metrics.hpp"
#include "draw/machine_font.hpp"

namespace tilewright {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

constexpr double kHatchStep = 6;
constexpr Color kNoColor = {0, 0, 0, 0};

void require_good(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw internal_error(format("cairo: {}", cairo_status_to_string(status)));
}

void require_good(FT_Error error) {
  if (error != 0) throw internal_error(format("freetype: error {} of the built-in font", error));
}

// A font opened by FreeType; Cairo keeps it as long as its face.
struct Typeface {
  FT_Library library = nullptr;
  FT_Face face = nullptr;

  // The built-in font.
  explicit Typeface(bool bold) {
    require_good(FT_Init_FreeType(&library));
    const std::span<const unsigned char> file = font_file(bold);
    require_good(
        FT_New_Memory_Face(library, file.data(), static_cast<FT_Long>(file.size()), 0, &face));
  }
  // Leaves the face empty where the file cannot be read.
  explicit Typeface(const MachineFont& font) {
    require_good(FT_Init_FreeType(&library));
    if (FT_New_Face(library, font.file.c_str(), font.face, &face) != 0) face = nullptr;
  }
  bool has(char32_t code) const {
    return face != nullptr && FT_Get_Char_Index(face, static_cast<FT_ULong>(code)) != 0;
  }
  Typeface(const Typeface&) = delete;
  Typeface& operator=(const Typeface&) = delete;
  ~Typeface() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }
};

using FontFace = std::unique_ptr<cairo_font_face_t, decltype(&cairo_font_face_destroy)>;

FontFace make_font_face(std::unique_ptr<Typeface> typeface) {
  static const cairo_user_data_key_t key = {};
  FontFace font(cairo_ft_font_face_create_for_ft_face(typeface->face, FT_LOAD_NO_HINTING),
                cairo_font_face_destroy);
  require_good(cairo_font_face_set_user_data(
      font.get(), &key, typeface.get(), [](void* old) { delete static_cast<Typeface*>(old); }));
  static_cast<void>(typeface.release());
  return font;
}

// The built-in font of one weight, and fonts of the machine for the letters that it lacks.
class FontSet {
 public:
  explicit FontSet(bool bold)
      : bold_(bold), own_(bold), own_face_(make_font_face(std::make_unique<Typeface>(bold))) {}

  // The built-in font, which draws a box, where no font has the letter.
  cairo_font_face_t* face_of(char32_t code) {
    if (own_.has(code)) return own_face_.get();
    const std::optional<MachineFont> font = font_of(code);
    return font ? faces_.at(*font).get() : own_face_.get();
  }

  bool has(char32_t code) { return own_.has(code) || font_of(code); }

 private:
  // Fonts are opened when they are first needed.
  std::optional<MachineFont> font_of(char32_t code) {
    const auto [known, is_new] = fonts_.emplace(code, std::nullopt);
    if (!is_new) return known->second;
    std::optional<MachineFont> font = machine_font(code, bold_);
    if (!font) return std::nullopt;
    if (faces_.find(*font) == faces_.end()) {
      auto typeface = std::make_unique<Typeface>(*font);
      if (!typeface->has(code)) return std::nullopt;
      faces_.emplace(*font, make_font_face(std::move(typeface)));
    }
    known->second = font;
    return font;
  }

  bool bold_;
  Typeface own_;
  FontFace own_face_;
  std::map<char32_t, std::optional<MachineFont>> fonts_;
  std::map<MachineFont, FontFace> faces_;
};

// A piece of a text in one font.
struct TextRun {
  std::string text;
  cairo_font_face_t* face = nullptr;
};

std::vector<TextRun> runs_of(std::string_view text, FontSet& fonts) {
  std::vector<TextRun> runs;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    cairo_font_face_t* const face = fonts.face_of(point.code);
    if (runs.empty() || runs.back().face != face) runs.push_back({.text = {}, .face = face});
    runs.back().text += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return runs;
}

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

// Lines x + y = c at multiples of the step, so that the hatches of neighbouring areas line up.
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

void stroke_lines(cairo_t* cr, Color color, double width) {
  set_color(cr, color);
  cairo_set_line_width(cr, width);
  cairo_stroke_preserve(cr);
}

// Paints a run of items of one look as one path: small files, and no seams between neighbours.
class Batch {
 public:
  explicit Batch(cairo_t* cr) : cr_(cr), fonts_{FontSet(false), FontSet(true)} {}

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
    finish();
    const std::vector<TextRun> runs = runs_of(shown_text(l.text), fonts_[l.bold ? 1 : 0]);
    cairo_set_font_size(cr_, l.size);
    std::vector<double> advances;
    advances.reserve(runs.size());
    for (const TextRun& run : runs) {
      cairo_text_extents_t extents;
      cairo_set_font_face(cr_, run.face);
      cairo_text_extents(cr_, run.text.c_str(), &extents);
      advances.push_back(extents.x_advance);
    }
    const double all = std::accumulate(advances.begin(), advances.end(), 0.0);
    const double shift = l.anchor == Anchor::Start ? 0 : l.anchor == Anchor::Middle ? all / 2 : all;
    const auto for_each_run = [&](auto paint_run) {
      double x = l.at.x - shift;
      for (size_t i = 0; i < runs.size(); ++i) {
        cairo_set_font_face(cr_, runs[i].face);
        cairo_move_to(cr_, x, l.at.y);
        paint_run(runs[i].text.c_str());
        x += advances[i];
      }
    };
    if (l.halo) {
      for_each_run([this](const char* text) { cairo_text_path(cr_, text); });
      cairo_set_line_join(cr_, CAIRO_LINE_JOIN_ROUND);
      stroke_lines(cr_, *l.halo, l.size * kHaloWidth);
      cairo_new_path(cr_);
    }
    set_color(cr_, l.color);
    for_each_run([this](const char* text) { cairo_show_text(cr_, text); });
    cairo_new_path(cr_);
  }

  void operator()(const TooltipItem&) {}

  void finish() {
    if (look_.fill_color.a > 0) {
      set_color(cr_, look_.fill_color);
      cairo_fill_preserve(cr_);
    }
    if (look_.stroke.a > 0) {
      const bool round = look_.round;
      cairo_set_line_cap(cr_, round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
      cairo_set_line_join(cr_, round ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER);
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
  std::array<FontSet, 2> fonts_;  // regular, bold
  Look look_;
};

using Options = std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)>;

// Turns hinting off, so that letters keep their shapes and widths at every size.
void leave_letters_alone(cairo_t* cr) {
  const Options options(cairo_font_options_create(), cairo_font_options_destroy);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cr, options.get());
}

void paint(const Scene& scene, cairo_surface_t* surface, double width, double height) {
  require_good(cairo_surface_status(surface));
  const Context context(cairo_create(surface), cairo_destroy);
  cairo_t* const cr = context.get();
  set_color(cr, scene.background);
  cairo_paint(cr);
  const double scale = std::min(width / scene.width, height / scene.height);
  cairo_translate(cr, (width - scene.width * scale) / 2, (height - scene.height * scale) / 2);
  cairo_scale(cr, scale, scale);
  leave_letters_alone(cr);
  Batch batch(cr);
  for (const SceneItem& item : scene.items) {
    throw_if_interrupted();
    std::visit([&batch](const auto& it) { batch(it); }, item);
  }
  batch.finish();
  require_good(cairo_status(cr));
}

}  // namespace

std::string letters_without_glyph(const Scene& scene) {
  std::string letters;
  std::array<FontSet, 2> fonts = {FontSet(false), FontSet(true)};
  for (const SceneItem& item : scene.items) {
    const auto* const label = std::get_if<LabelItem>(&item);
    if (label == nullptr) continue;
    const std::string shown = shown_text(label->text);
    for (std::string_view text = shown; !text.empty();) {
      const CodePoint point = first_code_point(text);
      const std::string_view bytes = text.substr(0, point.bytes);
      text.remove_prefix(point.bytes);
      if (fonts[label->bold ? 1 : 0].has(point.code)) continue;
      if (letters.find(bytes) == std::string::npos) letters += bytes;
    }
  }
  return letters;
}

std::string png_image(const Scene& scene, double width, double height) {
  const Surface image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width)),
                                 static_cast<int>(std::ceil(height))),
      cairo_surface_destroy);
  paint(scene, image.get(), width, height);
  std::string bytes;
  require_good(cairo_surface_write_to_png_stream(image.get(), append, &bytes));
  return bytes;
}

std::string pdf_document(const Scene& scene, double width, double height) {
  std::string bytes;
  const Surface pdf(cairo_pdf_surface_create_for_stream(append, &bytes, width, height),
                    cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_TITLE,
                                 shown_text(scene.title).c_str());
  cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  paint(scene, pdf.get(), width, height);
  cairo_surface_finish(pdf.get());
  require_good(cairo_surface_status(pdf.get()));
  return bytes;
}

}  // namespace tilewright
