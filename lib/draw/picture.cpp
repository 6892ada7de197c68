#include "draw/picture.hpp"

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "draw/cairo_painter.hpp"
#include "draw/svg_writer.hpp"

namespace tilewright {
namespace {

constexpr double kPngScale = 2;

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

std::string render(const Scene& scene, ImageFormat kind, std::optional<PictureSize> size) {
  const double scale = size ? size->width / scene.width : kind == ImageFormat::Png ? kPngScale : 1;
  const double width = scene.width * scale;
  const double height = size && size->height > 0 ? size->height : scene.height * scale;
  if (!(std::max(width, height) <= kMostPixels)) {
    throw usage_error(format("a picture of {:.0f}x{:.0f} pixels is larger than {} a side", width,
                             height, kMostPixels));
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

}  // namespace tilewright
