// Where compiled kernels are kept between runs: the user's own place, closed to others.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tilewright {

/// A folder that is there, or none and why.
struct CacheFolder {
  std::filesystem::path path;
  std::string why_not;  // one sentence with a way out where `path` is empty
};

/// The value of an environment variable; empty where it is not set.
using Variables = std::function<std::string(const char* name)>;

/// The variables of this process.
std::string process_variable(const char* name);

/// TILEWRIGHT_CACHE_DIR, or tilewright in XDG_CACHE_HOME, or in HOME's .cache; without all of them
/// tilewright-<user number> in TMPDIR or /tmp, where nobody else may have made it. Made for this
/// user alone (0700) unless it is there.
CacheFolder open_cache_folder(const Variables& variable = process_variable);

}  // namespace tilewright
