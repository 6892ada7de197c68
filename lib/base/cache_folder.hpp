// The folder in which a user's caches lie.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tilewright {

/// An existing folder, or the reason why there is none.
struct CacheFolder {
  std::filesystem::path path;
  std::string why_not;  // if `path` is empty: one sentence with a remedy
};

/// The value of an environment variable; empty if it is not set.
using Variables = std::function<std::string(const char* name)>;

/// The variables of this process.
std::string process_variable(const char* name);

/// The first of these that is set: TILEWRIGHT_CACHE_DIR, tilewright in XDG_CACHE_HOME, tilewright
/// in HOME's .cache; otherwise tilewright-<user number> in TMPDIR or /tmp, which must belong to
/// this user. Makes the folder for this user alone (0700) unless it exists.
CacheFolder open_cache_folder(const Variables& variable = process_variable);

}  // namespace tilewright
