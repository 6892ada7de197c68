// Compiled kernels on disk, addressed by everything that they were compiled from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/compile/nvrtc.hpp"

namespace tilewright {

/// One compiled kernel as bytes that say whether they are whole. A checksum over all that follows
/// it: the format's version, what the kernel was compiled from, the log and the machine code.
std::string encode_entry(std::string_view identity, const CompiledKernel& kernel);

/// The kernel of encode_entry(identity, kernel); nothing from bytes of another one or version, from
/// damaged ones, or from a kernel without machine code.
std::optional<CompiledKernel> decode_entry(std::string_view identity, std::string_view bytes);

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
