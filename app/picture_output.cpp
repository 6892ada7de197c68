#include "picture_output.hpp"

#include "base/files.hpp"
#include "draw/picture.hpp"

namespace tilewright {

ExitCode write_scene(const std::string& output, const std::function<Scene()>& make,
                     Console& console) {
  image_format_of(output);
  require_writable(output);
  write_picture(make(), output);
  if (output != "-") console.err << "wrote " << output << '\n';
  return ExitCode::Good;
}

}  // namespace tilewright
