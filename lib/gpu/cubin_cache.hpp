// Compiled kernels on disk, addressed by everything that they were compiled from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gpu/nvrtc.hpp"

namespace tilewright {

/// A folder of <key>.kernel files. Entries appear by an atomic rename, so several processes may
/// share the folder. An entry that cannot be read or written, that is damaged, or that another user
/// could have written is only a miss.
class CubinCache {
 public:
  explicit CubinCache(std::filesystem::path folder);

  std::optional<CompiledKernel> find(const std::string& key) const;
  /// Replaces the entry. Kernels that did not compile are not kept: the next run tries again.
  void store(const std::string& key, const CompiledKernel& kernel) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path entry(const std::string& key) const { return folder_ / (key + ".kernel"); }

  std::filesystem::path folder_;
};

/// TILEWRIGHT_CACHE_DIR, or tilewright under the user's cache folder, or under the temporary
/// folder.
std::filesystem::path default_cache_folder();

}  // namespace tilewright
