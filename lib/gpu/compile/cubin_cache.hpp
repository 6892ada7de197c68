// Compiled kernels on disk, addressed by everything that they were compiled from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "gpu/compile/cache_folder.hpp"
#include "gpu/compile/nvrtc.hpp"

namespace tilewright {

/// What the files of a cache may take together.
inline constexpr int64_t kCacheBytes = int64_t{512} << 20;

/// What they take.
struct CacheUsage {
  int64_t files = 0;
  int64_t bytes = 0;
};

/// A folder of <key>.kernel files. Entries appear by an atomic rename, so several processes may
/// share the folder. An entry that cannot be read or written, that is damaged, or that another user
/// could have written is only a miss.
class CubinCache {
 public:
  /// Keeps nothing where there is no folder.
  explicit CubinCache(CacheFolder folder);
  explicit CubinCache(std::filesystem::path folder);

  /// The kernel that was compiled from `identity`, all text that it depends on; then it counts as
  /// used.
  std::optional<CompiledKernel> find(const std::string& identity) const;
  /// Replaces the entry. Kernels that did not compile are not kept: the next run tries again.
  void store(const std::string& identity, const CompiledKernel& kernel) const;
  /// Removes the least recently used entries beyond `most_bytes`, and what writers that were killed
  /// left behind; no file of another kind.
  void trim(int64_t most_bytes = kCacheBytes) const;
  CacheUsage usage() const;
  const CacheFolder& folder() const { return folder_; }

 private:
  std::filesystem::path entry(const std::string& identity) const;

  CacheFolder folder_;
};

}  // namespace tilewright
