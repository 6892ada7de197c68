// Compiled kernels on disk, addressed by everything that they were compiled from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/cache_folder.hpp"
#include "gpu/compile/nvrtc.hpp"

namespace tilewright {

/// One compiled kernel as bytes: a checksum over all that follows it, the format's version, what
/// the kernel was compiled from, the log and the machine code. The checksum shows whether the bytes
/// are whole.
std::string encode_entry(std::string_view identity, const CompiledKernel& kernel);

/// The kernel of encode_entry(identity, kernel). Empty for bytes of another identity or version,
/// damaged bytes, and a kernel without machine code.
std::optional<CompiledKernel> decode_entry(std::string_view identity, std::string_view bytes);

/// The most bytes that the files of a cache may take together.
inline constexpr int64_t kCacheBytes = int64_t{512} << 20;

/// The files of a cache and their total size.
struct CacheUsage {
  int64_t files = 0;
  int64_t bytes = 0;
};

/// A folder of <key>.kernel files. Entries appear by an atomic rename, so several processes may
/// share the folder. An entry that cannot be read or written, that is damaged, or that another user
/// could have written is only a miss.
class CubinCache {
 public:
  /// Without a folder the cache keeps nothing.
  explicit CubinCache(CacheFolder folder);
  explicit CubinCache(std::filesystem::path folder);

  /// The kernel compiled from `identity`, all text that it depends on; marks the entry as used.
  std::optional<CompiledKernel> find(const std::string& identity) const;
  /// Replaces the entry. Kernels that did not compile are not kept: the next run tries again.
  void store(const std::string& identity, const CompiledKernel& kernel) const;
  /// Removes the least recently used entries beyond `most_bytes`, and temporary files of killed
  /// writers; no file of another kind.
  void trim(int64_t most_bytes = kCacheBytes) const;
  CacheUsage usage() const;
  const CacheFolder& folder() const { return folder_; }

 private:
  std::filesystem::path entry(const std::string& identity) const;

  CacheFolder folder_;
};

}  // namespace tilewright
