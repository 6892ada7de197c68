#include "gpu/compile/cubin_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gpu/compile/cache_entry.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryEnding = ".part";
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

  void set_used_now() const { ::futimens(descriptor_, nullptr); }

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

// One file of the cache as it lies in the folder.
struct StoredFile {
  fs::path path;
  int64_t bytes = 0;
  int64_t used_ns = 0;  // since 1970
};

int64_t nanoseconds(const timespec& time) {
  constexpr int64_t kPerSecond = 1'000'000'000;
  return time.tv_sec * kPerSecond + time.tv_nsec;
}

// A key and an ending of ours; earlier versions wrote a .cubin and a .log.
bool is_own_name(const fs::path& name) {
  constexpr size_t kKeyDigits = 32;
  constexpr size_t kOldKeyDigits = 16;
  constexpr std::array<std::string_view, 4> kEndings = {".kernel", kTemporaryEnding, ".cubin",
                                                        ".log"};
  const std::string text = name.string();
  const size_t digits = text.find_first_not_of("0123456789abcdef");
  const std::string ending = name.extension().string();
  return (digits == kKeyDigits || digits == kOldKeyDigits) && text[digits] == '.' &&
         std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

// Least recently used first.
std::vector<StoredFile> own_files(const fs::path& folder) {
  std::vector<StoredFile> files;
  std::error_code failed;
  fs::directory_iterator at(folder, failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
    struct stat facts {};
    const bool is_file = is_own_name(at->path().filename()) &&
                         ::lstat(at->path().c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    if (is_file) files.push_back({at->path(), facts.st_size, nanoseconds(facts.st_mtim)});
  }
  std::sort(files.begin(), files.end(), [](const StoredFile& a, const StoredFile& b) {
    return std::tie(a.used_ns, a.path) < std::tie(b.used_ns, b.path);
  });
  return files;
}

CacheUsage usage_of(const std::vector<StoredFile>& files) {
  CacheUsage usage;
  for (const StoredFile& file : files) {
    ++usage.files;
    usage.bytes += file.bytes;
  }
  return usage;
}

}  // namespace

CubinCache::CubinCache(CacheFolder folder) : folder_(std::move(folder)) {}

CubinCache::CubinCache(std::filesystem::path folder)
    : CubinCache(CacheFolder{std::move(folder), ""}) {}

std::filesystem::path CubinCache::entry(const std::string& identity) const {
  return folder_.path / (hash_text(identity) + ".kernel");
}

std::optional<CompiledKernel> CubinCache::find(const std::string& identity) const {
  if (folder_.path.empty()) return std::nullopt;
  // Not through a link, and without waiting for the writer of a pipe.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const OpenFile file(::open(entry(identity).c_str(), kFlags));
  if (!file.is_open()) return std::nullopt;
  const std::optional<std::string> bytes = file.read_trusted();
  if (!bytes) return std::nullopt;
  std::optional<CompiledKernel> kernel = decode_entry(identity, *bytes);
  if (kernel) file.set_used_now();
  return kernel;
}

// A full or read-only disk costs compile time, not the run.
void CubinCache::store(const std::string& identity, const CompiledKernel& kernel) const {
  if (folder_.path.empty() || kernel.cubin.empty()) return;
  // Process numbers repeat where several containers share a folder; this name does not.
  std::string temporary =
      (folder_.path / (hash_text(identity) + ".XXXXXX")).string().append(kTemporaryEnding);
  const OpenFile file(
      ::mkostemps(temporary.data(), static_cast<int>(kTemporaryEnding.size()), O_CLOEXEC));
  if (!file.is_open()) return;
  const bool is_written = file.write(encode_entry(identity, kernel)) &&
                          std::rename(temporary.c_str(), entry(identity).c_str()) == 0;
  if (!is_written) ::unlink(temporary.c_str());
}

void CubinCache::trim(int64_t most_bytes) const {
  constexpr int64_t kLongestWriteNs = 600'000'000'000;  // a write takes milliseconds
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::vector<StoredFile> files = own_files(folder_.path);
  int64_t bytes = usage_of(files).bytes;
  for (const StoredFile& file : files) {
    const bool goes = file.path.extension() == kTemporaryEnding
                          ? nanoseconds(now) - file.used_ns > kLongestWriteNs
                          : bytes > most_bytes;
    if (!goes) continue;
    ::unlink(file.path.c_str());
    bytes -= file.bytes;
  }
}

CacheUsage CubinCache::usage() const {
  return usage_of(own_files(folder_.path));
}

}  // namespace tilewright
