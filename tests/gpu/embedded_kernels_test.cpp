#include "gpu/compile/embedded_kernels.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/files.hpp"

namespace tilewright {
namespace {

std::map<std::string, std::string> files_on_disk() {
  const std::filesystem::path root = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernels";
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".cu" && path.extension() != ".cuh") continue;
    files[path.lexically_relative(root).string()] = read_file(path);
  }
  return files;
}

// CMakeLists.txt may leave out a kernel file; only NVRTC, on some GPU, would notice it later.
TEST_CASE("the embedded kernels are exactly the files of kernels/") {
  std::map<std::string, std::string> embedded;
  for (const EmbeddedFile& file : embedded_kernels()) embedded[file.path] = file.text;
  CHECK(embedded.size() == embedded_kernels().size());
  for (const auto& file : files_on_disk()) {
    CAPTURE(file.first);
    REQUIRE(embedded.count(file.first) == 1);
    CHECK((embedded[file.first] == file.second));
    embedded.erase(file.first);
  }
  CHECK(embedded.empty());
}

}  // namespace
}  // namespace tilewright
