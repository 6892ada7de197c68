#include "gpu/cubin_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "gpu/cache_entry.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMostEntryBytes = int64_t{64} << 20;  // many times the largest kernel

// Closes the descriptor on every way out.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (is_open()) ::close(descriptor_);
  }
  bool is_open() const { return descriptor_ >= 0; }

  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  // The whole file, if it is a regular one that only this user and root can have written.
  std::optional<std::string> read_trusted() const {
    struct stat facts {};
    if (::fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
    const bool is_own = facts.st_uid == ::geteuid() || facts.st_uid == 0;
    const bool others_write = (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (!is_own || others_write || facts.st_size > kMostEntryBytes) return std::nullopt;
    std::string bytes(static_cast<size_t>(facts.st_size), '\0');
    size_t at = 0;
    while (at < bytes.size()) {
      const ssize_t count = ::read(descriptor_, &bytes[at], bytes.size() - at);
      if (count <= 0) return std::nullopt;
      at += static_cast<size_t>(count);
    }
    return bytes;
  }

 private:
  int descriptor_;
};

}  // namespace

CubinCache::CubinCache(CacheFolder folder) : folder_(std::move(folder)) {}

CubinCache::CubinCache(std::filesystem::path folder)
    : CubinCache(CacheFolder{std::move(folder), ""}) {}

std::filesystem::path CubinCache::entry(const std::string& key) const {
  return folder_.path / (key + ".kernel");
}

std::optional<CompiledKernel> CubinCache::find(const std::string& key) const {
  if (folder_.path.empty()) return std::nullopt;
  // Not through a link, and without waiting for the writer of a pipe.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const OpenFile file(::open(entry(key).c_str(), kFlags));
  if (!file.is_open()) return std::nullopt;
  const std::optional<std::string> bytes = file.read_trusted();
  return bytes ? decode_entry(key, *bytes) : std::nullopt;
}

// A full or read-only disk costs compile time, not the run.
void CubinCache::store(const std::string& key, const CompiledKernel& kernel) const {
  if (folder_.path.empty() || kernel.cubin.empty()) return;
  constexpr std::string_view kEnding = ".part";
  // Process numbers repeat where several containers share a folder; this name does not.
  std::string temporary = (folder_.path / (key + ".XXXXXX")).string().append(kEnding);
  const OpenFile file(::mkostemps(temporary.data(), static_cast<int>(kEnding.size()), O_CLOEXEC));
  if (!file.is_open()) return;
  const bool is_written = file.write(encode_entry(key, kernel)) &&
                          std::rename(temporary.c_str(), entry(key).c_str()) == 0;
  if (!is_written) ::unlink(temporary.c_str());
}

}  // namespace tilewright
