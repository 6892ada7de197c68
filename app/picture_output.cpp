#include "picture_output.hpp"

#include <filesystem>

#include "base/escape.hpp"
#include "base/files.hpp"
#include "draw/picture.hpp"

namespace tilewright {

namespace {

PictureLook look_of(const PictureOptions& o) {
  PictureLook look{.title = o.title, .legend = !o.no_legend, .theme = parse_theme(o.theme)};
  if (!o.size.empty()) look.size = parse_picture_size(o.size);
  return look;
}

}  // namespace

ExitCode write_scene(const PictureOptions& options, const std::function<Scene()>& make,
                     Console& console) {
  image_format_of(options.output);
  const PictureLook look = look_of(options);
  require_writable(options.output);
  write_picture(with_look(make(), look), options.output, look.size);
  if (options.output != "-") console.say("wrote " + options.output);
  return ExitCode::Good;
}

bool is_picture(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".svg" || extension == ".png" || extension == ".pdf";
}

}  // namespace tilewright
