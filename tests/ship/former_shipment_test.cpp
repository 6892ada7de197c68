// Shipments without a manifest are known by their library and header, and by nothing less.
#include "ship/former_shipment.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/files.hpp"
#include "support/former_shipment.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a library with answers beside its header is a shipment, with all files of its kinds") {
  const testing::TemporaryFolder place;
  const fs::path folder = place.path();
  testing::write_former_shipment(folder, "gem");
  const auto found = former_shipment(folder);
  REQUIRE(found);
  CHECK(found->name == "gem");
  CHECK(found->digests == std::map<std::string, std::string>{{"README.md", ""},
                                                             {"include/gem.h", ""},
                                                             {"lib/libgem.so", ""},
                                                             {"python/gem/_torch.py", ""},
                                                             {"src/host/lib/a.cpp", ""},
                                                             {"src/kernels/12.cu", ""}});
}

TEST_CASE("a folder that lacks one of its marks is no shipment") {
  const testing::TemporaryFolder place;
  const auto without = [&](const std::string& path, const std::string& text) {
    const fs::path folder = place.path() / "one";
    fs::remove_all(folder);
    testing::write_former_shipment(folder, "gem");
    fs::remove(folder / path);
    if (!text.empty()) write_file(folder / path, text);
    return former_shipment(folder);
  };
  const std::string image = testing::former_library();
  CHECK(without("README.md", ""));
  CHECK(!without("include/gem.h", ""));
  CHECK(!without("include/gem.h", "int mine;\n"));
  CHECK(!without("lib/libgem.so", ""));
  CHECK(!without("lib/libgem.so",
                 "\x7f"
                 "ELF of another program"));
  // A payload whose answers are cut.
  for (size_t bytes = 0; bytes + 16 < image.size(); bytes += 7) {
    CAPTURE(bytes);
    CHECK(!without("lib/libgem.so", image.substr(0, bytes) + "?"));
  }
  CHECK(!former_shipment(place.path() / "absent"));
}

}  // namespace
}  // namespace tilewright
