// Compiled kernels on disk, addressed by everything that they were compiled from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gpu/cache_folder.hpp"
#include "gpu/nvrtc.hpp"

namespace tilewright {

/// A folder of <key>.kernel files. Entries appear by an atomic rename, so several processes may
/// share the folder. An entry that cannot be read or written, that is damaged, or that another user
/// could have written is only a miss.
class CubinCache {
 public:
  /// Keeps nothing where there is no folder.
  explicit CubinCache(CacheFolder folder);
  explicit CubinCache(std::filesystem::path folder);

  std::optional<CompiledKernel> find(const std::string& key) const;
  /// Replaces the entry. Kernels that did not compile are not kept: the next run tries again.
  void store(const std::string& key, const CompiledKernel& kernel) const;
  const CacheFolder& folder() const { return folder_; }

 private:
  std::filesystem::path entry(const std::string& key) const;

  CacheFolder folder_;
};

}  // namespace tilewright
