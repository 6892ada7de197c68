// Scenes as files: SVG, PNG and PDF.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "draw/picture_look.hpp"
#include "draw/scene.hpp"

namespace tilewright {

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
