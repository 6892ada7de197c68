// The folder of caches: the one that the environment names, and none that another user made.
#include "base/cache_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <string>

#include "base/text.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

CacheFolder open_with(const std::map<std::string, std::string>& variables) {
  return open_cache_folder([&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::string() : at->second;
  });
}

mode_t mode_of(const fs::path& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

TEST_CASE("the first variable that is set names the folder, which only its owner may open") {
  const TemporaryFolder top;
  const std::string t = top.path();
  std::map<std::string, std::string> variables{{"TMPDIR", t}};
  const auto check = [&](const std::string& folder) {
    const CacheFolder opened = open_with(variables);
    CHECK(opened.path == folder);
    CHECK(opened.why_not.empty());
    CHECK(mode_of(folder) == 0700);
  };
  check(t + "/tilewright-" + std::to_string(::geteuid()));
  variables["HOME"] = t + "/home";
  check(t + "/home/.cache/tilewright");
  variables["XDG_CACHE_HOME"] = "relative";  // must be ignored
  check(t + "/home/.cache/tilewright");
  variables["XDG_CACHE_HOME"] = t + "/xdg";
  check(t + "/xdg/tilewright");
  variables["TILEWRIGHT_CACHE_DIR"] = t + "/deep/own";
  check(t + "/deep/own");
  variables["TILEWRIGHT_CACHE_DIR"] = t + "/deep/slash/";
  check(t + "/deep/slash");
}

TEST_CASE("a default folder is closed to others; a folder named by the user keeps its mode") {
  const TemporaryFolder top;
  const fs::path ours = top.path() / "tilewright";
  const fs::path named = top.path() / "named";
  for (const fs::path& path : {ours, named}) {
    fs::create_directory(path);
    fs::permissions(path, fs::perms(0755));
  }
  CHECK(open_with({{"XDG_CACHE_HOME", top.path()}}).path == ours);
  CHECK(mode_of(ours) == 0700);
  CHECK(open_with({{"TILEWRIGHT_CACHE_DIR", named}}).path == named);
  CHECK(mode_of(named) == 0755);
}

TEST_CASE("in the temporary folder only a private folder of this user is used") {
  const TemporaryFolder top;
  const std::map<std::string, std::string> variables{{"TMPDIR", top.path()}};
  const fs::path path = top.path() / format("tilewright-{}", ::geteuid());
  const auto check_refused = [&] {
    const CacheFolder opened = open_with(variables);
    CHECK(opened.path.empty());
    CHECK(opened.why_not.find(path.string()) != std::string::npos);
    CHECK(opened.why_not.find("TILEWRIGHT_CACHE_DIR") != std::string::npos);
    fs::remove(path);
  };
  fs::create_directory(path);
  fs::permissions(path, fs::perms(0755));
  check_refused();
  const fs::path elsewhere = top.path() / "elsewhere";
  fs::create_directory(elsewhere);
  fs::permissions(elsewhere, fs::perms(0700));
  fs::create_directory_symlink(elsewhere, path);
  check_refused();
  std::ofstream(path) << "a file";
  check_refused();
  if (::geteuid() == 0) {
    constexpr uid_t kOtherUser = 65534;
    fs::create_directory(path);
    fs::permissions(path, fs::perms(0700));
    REQUIRE(::chown(path.c_str(), kOtherUser, kOtherUser) == 0);
    check_refused();
  }
  CHECK(open_with(variables).path == path);
}

TEST_CASE("without a usable folder there is no cache, with the reason and a remedy") {
  const TemporaryFolder top;
  const std::string file = top.path() / "file";
  std::ofstream(file) << "a file";
  const auto check = [](const char* name, const std::string& value, const std::string& reason) {
    const CacheFolder opened = open_with({{name, value}});
    CHECK(opened.path.empty());
    CHECK_MESSAGE(opened.why_not.find(reason) != std::string::npos, opened.why_not);
    CHECK(opened.why_not.find("set TILEWRIGHT_CACHE_DIR") != std::string::npos);
  };
  check("TILEWRIGHT_CACHE_DIR", file, "is not a folder");
  check("TILEWRIGHT_CACHE_DIR", file + "/below", "Not a directory");
  check("HOME", "/proc/none", "cannot be created");
  check("TMPDIR", "/proc/none", "cannot be created");
}

}  // namespace
}  // namespace tilewright
