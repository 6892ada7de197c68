// Kernels in the form of a shipped folder: nvcc compiles each alone.

#include "ship/source_tree.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu/compile/nvrtc.hpp"
#include "ship/shipment.hpp"
#include "support/shipped_table.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

TEST_CASE("a kernel's file compiles alone, free of spills") {
  const std::string nvcc = "/usr/local/cuda/bin/nvcc";
  if (!std::filesystem::exists(nvcc)) {
    MESSAGE("skipped: there is no nvcc");
    return;
  }
  const std::vector<ShippedProgram> programs = programs_of(testing::shipped_table());
  const testing::TemporaryFolder folder;
  // Some programs of every kind.
  std::map<std::string, int> taken;
  constexpr int kOfEach = 3;
  for (const ShippedProgram& program : programs) {
    if (++taken[program.source.file] > kOfEach) continue;
    const std::string stem = (folder.path() / "kernel").string();
    write_file(stem + ".cu", standalone_text(program.source));
    const std::string command = nvcc + " -arch=sm_90a -std=c++20 -Xptxas -v -cubin -o " + stem +
                                ".cubin " + stem + ".cu 2> " + stem + ".log";
    INFO(program.source.file, " of ", program.config);
    REQUIRE(std::system(command.c_str()) == 0);
    const CompilerLog alone = parse_compiler_log(read_file(stem + ".log"));
    CHECK(alone.spill_bytes == 0);
    CHECK(alone.warning.empty());
  }
  CHECK(taken.size() > 2);
}

TEST_CASE("the host sources of a library include only each other") {
  const std::map<std::string, std::string> sources = library_sources();
  CHECK(sources.count("lib/serve/c_interface.cpp") == 1);
  CHECK(sources.count("lib/tile/plan/plan_walk.cpp") == 1);
  CHECK(sources.count("lib/serve/api.h") == 1);
  // A library only answers; it has no code that searches.
  for (const char* const name : {"tuner", "race", "runner", "result", "enumerate"}) {
    CHECK_MESSAGE(sources.count(format("lib/search/{}.hpp", name)) == 0, name);
  }
  for (const auto& [path, text] : sources) {
    CHECK_MESSAGE(text.find("<yaml-cpp") == std::string::npos, path);
    CHECK_MESSAGE(text.find("nvrtc.h") == std::string::npos, path);
  }
}

}  // namespace
}  // namespace tilewright
