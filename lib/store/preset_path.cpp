#include "store/preset_path.hpp"

#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/files.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

bool is_presets_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path / "devices", ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

}  // namespace

fs::path presets_folder(const fs::path& bin) {
  for (const char* const candidate :
       {"../share/tilewright/presets", "share/tilewright/presets", "presets", "../presets"}) {
    fs::path folder = (bin / candidate).lexically_normal();
    if (is_presets_folder(folder)) return folder;
  }
  const fs::path source = TILEWRIGHT_SOURCE_PRESETS;
  return is_presets_folder(source) ? source : fs::path();
}

fs::path presets_folder() {
  fs::path folder = presets_folder(program_folder());
  if (!folder.empty()) return folder;
  throw environment_error(
      "the presets folder is missing: its place is ../share/tilewright/presets beside the program; "
      "install or unpack tilewright again");
}

fs::path find_preset(std::string_view path, std::string_view kind) {
  if (path == "-" || is_file(path)) return path;
  if (fs::path(path).is_absolute()) return path;
  std::string_view inside = path;
  if (constexpr std::string_view kPrefix = "presets/"; inside.substr(0, 8) == kPrefix) {
    inside.remove_prefix(kPrefix.size());
  }
  const fs::path folder = presets_folder();
  for (const fs::path& base : {folder / inside, folder / kind / inside}) {
    for (const char* const ending : {"", ".yaml"}) {
      fs::path candidate = base;
      candidate += ending;
      if (is_file(candidate)) return candidate;
    }
  }
  return path;
}

}  // namespace tilewright
