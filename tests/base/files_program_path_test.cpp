#include <doctest/doctest.h>

#include <string>

#include "base/files.hpp"

namespace tilewright {
namespace {

TEST_CASE("the program's folder is found, whatever path started the program") {
  const std::filesystem::path folder = program_folder();
  CHECK(folder.is_absolute());
  CHECK(std::filesystem::exists(folder / "tilewright_tests"));
  CHECK(std::filesystem::equivalent(folder / "tilewright_tests", "/proc/self/exe"));
}

}  // namespace
}  // namespace tilewright
