#include "base/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/text.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = S_IRWXU;

CacheFolder no_folder(const fs::path& path, const std::string& why) {
  return {{},
          format("'{}' {}; set TILEWRIGHT_CACHE_DIR to a folder that you own", path.string(), why)};
}

// Makes the folder for its owner alone unless it exists. An existing one may be open to others,
// since the user chose it.
CacheFolder named_folder(const fs::path& name) {
  fs::path path = name.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (::mkdir(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    return no_folder(path, format("cannot be created: {}", std::strerror(errno)));
  }
  if (!fs::is_directory(path, failed)) return no_folder(path, "is not a folder");
  return {path, ""};
}

// The folder `tilewright` in `parent`. If an earlier version left it open to others, it is closed.
CacheFolder own_folder(const fs::path& parent) {
  CacheFolder folder = named_folder(parent / "tilewright");
  if (!folder.path.empty()) ::chmod(folder.path.c_str(), kOwnerOnly);  // fails if not ours
  return folder;
}

// Every user can make folders in `parent`, so another user may already have made ours.
CacheFolder shared_folder(const fs::path& parent) {
  const fs::path path = parent / format("tilewright-{}", ::geteuid());
  if (::mkdir(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    return no_folder(path, format("cannot be created: {}", std::strerror(errno)));
  }
  struct stat facts {};
  const bool is_folder = ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  const bool is_open = (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  if (!is_folder || facts.st_uid != ::geteuid() || is_open) {
    return no_folder(path, "is not a folder that only this user can access, and HOME is not set");
  }
  return {path, ""};
}

}  // namespace

std::string process_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

CacheFolder open_cache_folder(const Variables& variable) {
  const fs::path named = variable("TILEWRIGHT_CACHE_DIR");
  if (!named.empty()) return named_folder(named);
  // The XDG specification requires relative paths to be ignored.
  const fs::path caches = variable("XDG_CACHE_HOME");
  if (caches.is_absolute()) return own_folder(caches);
  const fs::path home = variable("HOME");
  if (home.is_absolute()) return own_folder(home / ".cache");
  const fs::path temporary = variable("TMPDIR");
  return shared_folder(temporary.empty() ? "/tmp" : temporary);
}

}  // namespace tilewright
