// Writes scenes to files: SVG, PNG and PDF.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "draw/scene.hpp"

namespace tilewright {

/// Most pixels of a picture's side: Cairo's images end at 32767.
inline constexpr int kMaxPixels = 32'000;

/// Pixels for SVG and PNG, points for PDF.
struct PictureSize {
  int width = 0;
  int height = 0;  // 0: keeps the picture's aspect ratio
  bool operator==(const PictureSize&) const = default;
};

/// Parses "800x600" or "800". Throws a usage error.
PictureSize parse_picture_size(std::string_view text);

enum class Theme { Light, Dark };

inline constexpr std::string_view kThemes[] = {"light", "dark"};

/// Parses one of kThemes. Throws a usage error.
Theme parse_theme(std::string_view text);

struct PictureLook {
  std::string title = {};  // empty: the picture's own
  bool legend = true;
  Theme theme = Theme::Light;
  std::optional<PictureSize> size = std::nullopt;  // none: the picture's own
  bool operator==(const PictureLook&) const = default;
};

/// The dark theme's version of a light colour: the distances from black and white are swapped, the
/// hue stays.
Color dark_color(Color light);

/// The scene with another title, without its legend, or dark. The page grows for a longer title and
/// shrinks when the legend is removed.
Scene with_look(Scene scene, const PictureLook& look);

/// Draws a picture laid out for a size.
using Drawing = std::function<Scene(const AvailableSize&)>;

/// The drawing laid out for the size in `look`. Letters keep their size as long as parts can
/// shrink, break lines, move below each other or omit their numbers.
Scene laid_out(const Drawing& drawing, const PictureLook& look);

enum class ImageFormat { Svg, Png, Pdf };

/// The format by the file's extension; "-" means SVG. Otherwise a usage error names the three
/// formats.
ImageFormat image_format_of(const std::filesystem::path& path);

/// The bytes of the whole file. Without a size, PNG has two pixels per scene pixel, the other
/// formats one. With a size of another shape, the scene is centred in it. Throws a usage error for
/// a scene larger than Cairo can paint.
std::string render(const Scene& scene, ImageFormat format, std::optional<PictureSize> size = {});

/// Renders by the extension and replaces the file, which stays as it was on an error. Throws a
/// usage error.
void write_picture(const Scene& scene, const std::filesystem::path& path,
                   std::optional<PictureSize> size = {});

}  // namespace tilewright
