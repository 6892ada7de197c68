#include "draw/picture.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "draw/cairo_painter.hpp"
#include "draw/diagram_page.hpp"
#include "draw/legend.hpp"
#include "draw/palette.hpp"
#include "draw/svg_writer.hpp"

namespace tilewright {

namespace {

constexpr double kPngScale = 2;

constexpr int kMinPixels = 64;

std::optional<int> pixels(std::string_view text) {
  const std::optional<int64_t> count = parse_count(text);
  if (!count || *count < kMinPixels || *count > kMaxPixels) return std::nullopt;
  return static_cast<int>(*count);
}

bool is_legend(const SceneItem& item) {
  return std::visit([](const auto& it) { return it.role == "legend"; }, item);
}

void remove_legend(Scene& scene) {
  auto& items = scene.items;
  items.erase(std::remove_if(items.begin(), items.end(), is_legend), items.end());
  double right = 0;
  double bottom = 0;
  for (const SceneItem& item : items) {
    const Box box = box_of(item);
    right = std::max(right, box.right);
    bottom = std::max(bottom, box.bottom);
  }
  scene.width = std::min(scene.width, std::ceil(right + kPageMargin));
  scene.height = std::min(scene.height, std::ceil(bottom + kPageMargin));
}

void darken(std::optional<Color>& color) {
  if (color) color = dark_color(*color);
}

void darken(Style& style) {
  darken(style.fill);
  darken(style.hatch);
  darken(style.stroke);
}

struct Darken {
  void operator()(RectangleItem& r) const { darken(r.style); }
  void operator()(PathItem& p) const { darken(p.style); }
  void operator()(LabelItem& l) const {
    l.color = dark_color(l.color);
    darken(l.halo);
  }
  void operator()(TooltipItem&) const {}
};

using Triple = std::array<double, 3>;

// Oklab (Ottosson 2020): lightness and two colour axes, in which a hue keeps its look.
Triple oklab(Color c) {
  const auto linear = [](uint8_t value) {
    const double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double r = linear(c.r);
  const double g = linear(c.g);
  const double b = linear(c.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// Linear light; values outside of [0, 1] where the screen cannot show the colour.
Triple linear_rgb(const Triple& lab) {
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2]);
  const double m = cube(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2]);
  const double s = cube(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2]);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// The colour, made greyer until the screen can show it.
Color nearest_color(Triple lab, uint8_t alpha) {
  constexpr double kRounding = 1e-6;
  Triple rgb = linear_rgb(lab);
  const auto outside = [](double v) { return v < -kRounding || v > 1 + kRounding; };
  while (std::any_of(rgb.begin(), rgb.end(), outside)) {
    lab[1] *= 0.97;
    lab[2] *= 0.97;
    rgb = linear_rgb(lab);
  }
  const auto byte = [](double v) {
    v = std::clamp(v, 0.0, 1.0);
    const double s = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    return static_cast<uint8_t>(std::lround(255 * s));
  };
  return {byte(rgb[0]), byte(rgb[1]), byte(rgb[2]), alpha};
}

}  // namespace

ImageFormat image_format_of(const std::filesystem::path& path) {
  if (path == "-") return ImageFormat::Svg;
  const std::string extension = lower_case(path.extension().string());
  if (extension == ".svg") return ImageFormat::Svg;
  if (extension == ".png") return ImageFormat::Png;
  if (extension == ".pdf") return ImageFormat::Pdf;
  throw usage_error(
      format("'{}': the name of a picture ends in .svg, .png or .pdf", path.string()));
}

Scene laid_out(const Drawing& drawing, const PictureLook& look) {
  if (!look.size) return with_look(drawing({}), look);
  constexpr double kMinWidth = 380;  // width of the widest legend; below it, letters shrink
  constexpr double kAround = 140;    // height of header and legend, as a first guess
  constexpr int kTries = 4;
  const double width = std::max<double>(look.size->width, kMinWidth);
  const double height = look.size->height * width / look.size->width;
  AvailableSize available{width, height > 0 ? std::max(height - kAround, 1.0) : 0};
  Scene scene = with_look(drawing(available), look);
  for (int i = 0; i < kTries && height > 0; ++i) {
    const double excess = scene.height * std::min(1.0, width / scene.width) - height;
    if (excess <= 0) break;
    available.height = std::max(available.height - std::ceil(excess), 1.0);
    Scene lower = with_look(drawing(available), look);
    if (lower.height >= scene.height) break;
    scene = std::move(lower);
  }
  return scene;
}

std::string render(const Scene& scene, ImageFormat kind, std::optional<PictureSize> size) {
  const double scale = size ? size->width / scene.width : kind == ImageFormat::Png ? kPngScale : 1;
  const double width = scene.width * scale;
  const double height = size && size->height > 0 ? size->height : scene.height * scale;
  if (!(std::max(width, height) <= kMaxPixels)) {
    throw usage_error(format("a picture of {:.0f}x{:.0f} pixels is larger than {} a side", width,
                             height, kMaxPixels));
  }
  switch (kind) {
    case ImageFormat::Svg: return svg_document(scene, width, height);
    case ImageFormat::Png: return png_image(scene, width, height);
    case ImageFormat::Pdf: return pdf_document(scene, width, height);
  }
  return {};
}

void write_picture(const Scene& scene, const std::filesystem::path& path,
                   std::optional<PictureSize> size) {
  const std::string bytes = render(scene, image_format_of(path), size);
  throw_if_interrupted();
  write_file(path, bytes);
}

PictureSize parse_picture_size(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() <= 2) {
    const std::optional<int> width = pixels(parts.front());
    const std::optional<int> height = pixels(parts.back());
    if (width && parts.size() == 1) return {*width, 0};
    if (width && height) return {*width, *height};
  }
  throw usage_error(format(
      "'{}' is no picture size: --size takes WIDTH or WIDTHxHEIGHT, each from {} to {} pixels",
      text, kMinPixels, kMaxPixels));
}

Theme parse_theme(std::string_view text) {
  for (size_t i = 0; i < std::size(kThemes); ++i) {
    if (text == kThemes[i]) return static_cast<Theme>(i);
  }
  throw usage_error(format("unknown theme '{}'{}: --theme takes {}", text,
                           did_you_mean(text, kThemes), join_words(kThemes, "or")));
}

Color dark_color(Color light) {
  constexpr double kPaper = 0.19;    // lightness of former white
  constexpr double kColored = 0.11;  // added for any colour, however pale
  constexpr double kFullChroma = 0.05;
  constexpr double kSlope = 0.75;
  constexpr double kFills = 0.6;  // fills are lighter than this, lines and letters darker
  constexpr double kInk = 0.27;
  constexpr double kWhitest = 0.97;
  Triple lab = oklab(light);
  const double chroma = std::min(1.0, std::hypot(lab[1], lab[2]) / kFullChroma);
  const auto fill = [&](double l) { return kPaper + kColored * chroma + kSlope * (1 - l); };
  if (lab[0] >= kFills) {
    lab[0] = fill(lab[0]);
  } else {
    const double t = std::min(1.0, (kFills - lab[0]) / (kFills - kInk));
    lab[0] = fill(kFills) + (kWhitest - fill(kFills)) * t;
  }
  return nearest_color(lab, light.a);
}

Scene with_look(Scene scene, const PictureLook& look) {
  if (!look.legend) remove_legend(scene);
  if (!look.title.empty()) change_title(scene, look.title, look.size ? look.size->width : 0);
  if (look.theme == Theme::Dark) {
    scene.background = dark_color(scene.background);
    for (SceneItem& item : scene.items) std::visit(Darken(), item);
  }
  return scene;
}

}  // namespace tilewright
