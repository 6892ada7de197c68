#include "base/trusted_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a file is read as a whole if only its owner can write it and it is short enough") {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  const std::string content(100'000, 'x');
  write_file(path, content);
  for (const int mode : {0600, 0644, 0400}) {
    fs::permissions(path, fs::perms(mode));
    CHECK(TrustedFile(path).read(100'000) == content);
    CHECK(!TrustedFile(path).read(99'999));
  }
  for (const int mode : {0620, 0602, 0666}) {
    fs::permissions(path, fs::perms(mode));
    CHECK(!TrustedFile(path).read(100'000));
  }
  if (::geteuid() == 0) {
    fs::permissions(path, fs::perms(0600));
    REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
    CHECK(!TrustedFile(path).read(100'000));
  }
}

TEST_CASE("links are not followed, and what is no regular file is not read") {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  write_file(path, "x");
  fs::create_symlink(path, folder.path() / "link");
  CHECK(!TrustedFile(folder.path() / "link").is_open());
  CHECK(!TrustedFile(folder.path() / "missing").is_open());
  CHECK(!TrustedFile(folder.path()).read(100));
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  CHECK(!TrustedFile(folder.path() / "pipe").read(100));
}

}  // namespace
}  // namespace tilewright
