#include "base/program_path.hpp"

#include <doctest/doctest.h>

#include <string>

namespace tilewright {
namespace {

TEST_CASE("the program's folder holds the program that runs, by whatever path it was started") {
  const std::filesystem::path folder = program_folder();
  CHECK(folder.is_absolute());
  CHECK(std::filesystem::exists(folder / "tilewright_tests"));
  CHECK(std::filesystem::equivalent(folder / "tilewright_tests", "/proc/self/exe"));
}

}  // namespace
}  // namespace tilewright
