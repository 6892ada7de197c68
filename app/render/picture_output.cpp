#include "render/picture_output.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "draw/cairo_painter.hpp"
#include "host/output_files.hpp"

namespace tilewright {

namespace {

// Names the letters that PNG and PDF cannot show; the picture has boxes in their place.
std::string boxes_note(const std::string& letters) {
  return format(
      "no font of this host has {}: the picture shows boxes instead; install a font that has them, "
      "such as Debian's fonts-noto-cjk, or write SVG",
      letters);
}

}  // namespace

std::vector<std::string> write_scene(const PictureOptions& options,
                                     const std::function<Drawing()>& make) {
  const bool has_boxes = image_format_of(options.output) != ImageFormat::Svg;
  const PictureLook& look = options.look;
  require_own_picture(options.output);
  const Scene scene = laid_out(make(), look);
  write_picture(scene, options.output, look.size);
  std::vector<std::string> notes;
  const std::string boxes = has_boxes ? letters_without_glyph(scene) : std::string();
  if (!boxes.empty()) notes.push_back(boxes_note(boxes));
  if (options.output != "-") notes.push_back("wrote " + options.output);
  return notes;
}

}  // namespace tilewright
