#include "base/files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// An empty folder that goes with its end.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / format("tilewright_files.{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  size_t size() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
};

TEST_CASE("what is written is read again, whatever its size and bytes") {
  const Scratch folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65535}, size_t{65536}, size_t{200'000}}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 % 256);
    write_file(folder / "bytes", bytes);
    CHECK(read_file(folder / "bytes") == bytes);
  }
  CHECK(folder.size() == 1);
}

TEST_CASE("a byte order mark is no part of a text, elsewhere the same bytes are") {
  const Scratch folder;
  const std::string mark = "\xef\xbb\xbf";
  write_file(folder / "marked", mark + "m,n\n" + mark);
  CHECK(read_file(folder / "marked") == "m,n\n" + mark);
  write_file(folder / "short", mark.substr(0, 2));
  CHECK(read_file(folder / "short") == mark.substr(0, 2));
}

TEST_CASE("a link is written through, also to what is not there yet; the link stays") {
  const Scratch folder;
  fs::create_symlink("real", folder / "near");
  fs::create_symlink(folder / "near", folder / "far");
  for (const char* const text : {"first", "second"}) {
    require_writable(folder / "far");
    write_file(folder / "far", text);
    CHECK(fs::is_symlink(folder / "far"));
    CHECK(fs::is_symlink(folder / "near"));
    CHECK(read_file(folder / "real") == text);
  }
}

TEST_CASE("a path that cannot be used is a usage error and no other exception") {
  const Scratch folder;
  const std::string long_name(300, 'n');
  write_file(folder / "file", "");
  fs::create_symlink("round", folder / "about");
  fs::create_symlink("about", folder / "round");
  for (const fs::path& path : {folder / long_name, folder / "file/below", folder / "round",
                               folder / (long_name + "/below"), folder / ""}) {
    CAPTURE(path);
    for (const auto act : {+[](const fs::path& p) { read_file(p); },
                           +[](const fs::path& p) { write_file(p, "text"); },
                           +[](const fs::path& p) { require_writable(p); }}) {
      try {
        act(path);
        FAIL("was taken");
      } catch (const Error& error) {
        CHECK(error.code() == ExitCode::Usage);
      }
    }
  }
  CHECK(folder.size() == 3);
}

TEST_CASE("only what certainly has no such name is missing") {
  const Scratch folder;
  CHECK(is_missing(folder / "gone"));
  write_file(folder / "here", "");
  CHECK_FALSE(is_missing(folder / "here"));
  CHECK_FALSE(is_missing(folder / std::string(300, 'n')));
}

TEST_CASE("devices, pipes and open files are written in place") {
  const Scratch folder;
  CHECK_FALSE(is_replaceable("-"));
  CHECK_FALSE(is_replaceable("/dev/null"));
  CHECK_FALSE(is_replaceable("/dev/stdout"));
  CHECK_FALSE(is_replaceable("/proc/self/fd/1"));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_FALSE(is_replaceable(folder / "pipe"));
  CHECK(is_replaceable(folder / "new"));
}

TEST_CASE("a full disk is the environment's fault") {
  try {
    write_file("/dev/full", "text");
    FAIL("was taken");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Environment);
    CHECK(std::string(error.what()) == "cannot write '/dev/full': No space left on device");
  }
}

}  // namespace
}  // namespace tilewright
