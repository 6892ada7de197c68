// Scenes as files: SVG, PNG and PDF.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "draw/room.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Of a picture's side, pixels: Cairo's images end at 32767.
inline constexpr int kMostPixels = 32'000;

/// Pixels of SVG and PNG, points of PDF.
struct PictureSize {
  int width = 0;
  int height = 0;  // 0: as the picture's sides are to each other
  bool operator==(const PictureSize&) const = default;
};

/// "800x600" or "800". Throws a usage error.
PictureSize parse_picture_size(std::string_view text);

enum class Theme { Light, Dark };

inline constexpr std::string_view kThemes[] = {"light", "dark"};

/// One of kThemes. Throws a usage error.
Theme parse_theme(std::string_view text);

struct PictureLook {
  std::string title = {};  // empty: the picture's own
  bool legend = true;
  Theme theme = Theme::Light;
  std::optional<PictureSize> size = std::nullopt;  // none: the picture's own
};

/// A colour of the light theme as the dark one has it: as far from black as it was from white, of
/// the same hue.
Color dark_color(Color light);

/// The scene with another title, without its legend, or dark. The page grows to hold a longer title
/// and gives the legend's room back.
Scene with_look(Scene scene, const PictureLook& look);

/// Draws a picture for a room.
using Drawing = std::function<Scene(const Room&)>;

/// The drawing as the look has it, laid out for its size: letters keep their size as long as parts
/// may be smaller, broken into lines, below each other or without their numbers.
Scene laid_out(const Drawing& drawing, const PictureLook& look);

enum class ImageFormat { Svg, Png, Pdf };

/// By the file's extension, SVG for "-"; a usage error names the three that exist.
ImageFormat image_format_of(const std::filesystem::path& path);

/// The bytes of the whole file. Without a size PNG has two pixels a scene pixel, the others one; a
/// size that is not the scene's shape holds it in its middle. Throws a usage error for a scene
/// larger than Cairo paints.
std::string render(const Scene& scene, ImageFormat format, std::optional<PictureSize> size = {});

/// Renders by the extension and replaces the file, or leaves it as it was. Throws a usage error.
void write_picture(const Scene& scene, const std::filesystem::path& path,
                   std::optional<PictureSize> size = {});

}  // namespace tilewright
