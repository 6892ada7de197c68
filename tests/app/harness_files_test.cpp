// The path at which a gate finds the other build of a suite's harness.
#include "host/harness_files.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

TEST_CASE("a folder holds the other build at the suite's path; a file is the other build") {
  const testing::TemporaryFolder folder;
  const std::string old = folder.path().string();
  CHECK(other_build_of("build/my.so", old) == old + "/build/my.so");
  CHECK(other_build_of("my.so", old) == old + "/my.so");
  CHECK(other_build_of("/somewhere/my.so", old) == old + "/my.so");
  CHECK(other_build_of("build/my.so", old + "/other.so") == old + "/other.so");
}

}  // namespace
}  // namespace tilewright
