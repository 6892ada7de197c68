#include "gpu/cubin_cache.hpp"

#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"

namespace tilewright {

CubinCache::CubinCache(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code ignored;  // a folder that cannot be made is a cache that always misses
  std::filesystem::create_directories(folder_, ignored);
}

std::optional<CompiledKernel> CubinCache::find(const std::string& key) const {
  const std::filesystem::path cubin = folder_ / (key + ".cubin");
  const std::filesystem::path log = folder_ / (key + ".log");
  std::error_code ignored;
  if (!std::filesystem::exists(cubin, ignored) || !std::filesystem::exists(log, ignored)) {
    return std::nullopt;
  }
  try {
    return CompiledKernel{.cubin = read_file(cubin), .log = read_file(log)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

void CubinCache::store(const std::string& key, const CompiledKernel& kernel) const {
  try {
    write_file(folder_ / (key + ".cubin"), kernel.cubin);
    write_file(folder_ / (key + ".log"), kernel.log);
  } catch (const Error&) {
    // A full or read-only disk costs compile time, not the run.
  }
}

std::filesystem::path default_cache_folder() {
  if (const char* const own = std::getenv("TILEWRIGHT_CACHE_DIR"); own != nullptr && *own != 0) {
    return own;
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != 0) {
    return std::filesystem::path(home) / ".cache" / "tilewright";
  }
  return std::filesystem::temp_directory_path() / "tilewright";
}

}  // namespace tilewright
