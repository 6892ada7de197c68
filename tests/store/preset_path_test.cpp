#include "store/preset_path.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / "tilewright_preset_path_test";
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path / "bin");
  }
  ~Folder() { fs::remove_all(path); }
};

TEST_CASE("presets are found in the installation, a bundle or the source tree") {
  const Folder folder;
  const fs::path bin = folder.path / "bin";
  // Without presets beside the program: those of the source tree.
  CHECK(fs::exists(presets_folder(bin) / "devices" / "h200.yaml"));
  // The search tries these layouts in reverse order, so each new one hides the layouts before it.
  for (const fs::path& layout :
       {folder.path / "presets", bin / "presets", bin / "share" / "tilewright" / "presets",
        folder.path / "share" / "tilewright" / "presets"}) {
    fs::create_directories(layout / "devices");
    CHECK(presets_folder(bin) == layout);
  }
}

TEST_CASE("an existing path is used itself, others are looked up, unknown ones are unchanged") {
  const Folder folder;
  const fs::path mine = folder.path / "smoke.yaml";
  write_file(mine, "mine");
  CHECK(find_preset(mine.string(), "suites") == mine);
  CHECK(find_preset("-", "suites") == "-");
  const fs::path known = presets_folder() / "suites" / "smoke.yaml";
  // Run from the source tree, this one is a plain path.
  CHECK(fs::equivalent(find_preset("presets/suites/smoke.yaml", "suites"), known));
  CHECK(fs::equivalent(find_preset("suites/smoke.yaml", "suites"), known));
  CHECK(fs::equivalent(find_preset("smoke", "suites"), known));
  CHECK(find_preset("smoke", "problems") == "smoke");
  CHECK(find_preset("no/such.yaml", "suites") == "no/such.yaml");
  CHECK(find_preset("/no/such.yaml", "suites") == "/no/such.yaml");
}

}  // namespace
}  // namespace tilewright
