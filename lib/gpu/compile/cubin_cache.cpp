#include "gpu/compile/cubin_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"

namespace tilewright {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryEnding = ".part";
constexpr int64_t kMaxEntryBytes = int64_t{64} << 20;  // many times the largest kernel

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

  // The whole file, if it is a regular one that only this user and root can have written.
  std::optional<std::string> read_trusted() const {
    struct stat facts {};
    if (::fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
    const bool is_own = facts.st_uid == ::geteuid() || facts.st_uid == 0;
    const bool others_write = (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (!is_own || others_write || facts.st_size > kMaxEntryBytes) return std::nullopt;
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

// One file of the cache.
struct StoredFile {
  fs::path path;
  int64_t bytes = 0;
  int64_t used_ns = 0;  // since 1970
};

int64_t nanoseconds(const timespec& time) {
  constexpr int64_t kPerSecond = 1'000'000'000;
  return time.tv_sec * kPerSecond + time.tv_nsec;
}

// True for a key with an ending of this cache; earlier versions wrote a .cubin and a .log.
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

constexpr size_t kChecksumDigits = 32;

std::string head_of(std::string_view identity) {
  return format("tilewright kernel, version 2\n{}\n{}\n", identity.size(), identity);
}

// Takes the text before the first `separator`, and the separator, off the front of `bytes`.
std::optional<std::string_view> take_until(std::string_view& bytes, char separator) {
  const size_t end = bytes.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return taken;
}

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = S_IRWXU;

CacheFolder no_folder(const fs::path& path, const std::string& why) {
  return {{},
          format("'{}' {}; set TILEWRIGHT_CACHE_DIR to a folder that you own", path.string(), why)};
}

// Makes the folder for its owner alone unless it exists. An existing one may be open to others,
// since the user chose it.
CacheFolder named_folder(const fs::path& name) {
  fs::path path = name.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (::mkdir(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    return no_folder(path, format("cannot be created: {}", std::strerror(errno)));
  }
  if (!fs::is_directory(path, failed)) return no_folder(path, "is not a folder");
  return {path, ""};
}

// The folder `tilewright` in `parent`. If an earlier version left it open to others, it is closed.
CacheFolder own_folder(const fs::path& parent) {
  CacheFolder folder = named_folder(parent / "tilewright");
  if (!folder.path.empty()) ::chmod(folder.path.c_str(), kOwnerOnly);  // fails if not ours
  return folder;
}

// Every user can make folders in `parent`, so another user may already have made ours.
CacheFolder shared_folder(const fs::path& parent) {
  const fs::path path = parent / format("tilewright-{}", ::geteuid());
  if (::mkdir(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    return no_folder(path, format("cannot be created: {}", std::strerror(errno)));
  }
  struct stat facts {};
  const bool is_folder = ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  const bool is_open = (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  if (!is_folder || facts.st_uid != ::geteuid() || is_open) {
    return no_folder(path, "is not a folder that only this user can access, and HOME is not set");
  }
  return {path, ""};
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
  // Follows no link, and does not wait for the writer of a pipe.
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
  constexpr mode_t kOwnReadWrite = S_IRUSR | S_IWUSR;
  // Not synced: an entry that a power cut truncates fails its checksum, which is a miss.
  replace_file(entry(identity), encode_entry(identity, kernel),
               {.created = kOwnReadWrite, .is_synced = false});
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

std::string encode_entry(std::string_view identity, const CompiledKernel& kernel) {
  const std::string content =
      format("{}{}\n{}{}", head_of(identity), kernel.log.size(), kernel.log, kernel.cubin);
  return hash_text(content) + "\n" + content;
}

std::optional<CompiledKernel> decode_entry(std::string_view identity, std::string_view bytes) {
  const std::optional<std::string_view> checksum = take_until(bytes, '\n');
  if (!checksum || checksum->size() != kChecksumDigits || hash_text(bytes) != *checksum) {
    return std::nullopt;
  }
  const std::string head = head_of(identity);
  if (!bytes.starts_with(head)) return std::nullopt;
  bytes.remove_prefix(head.size());
  const std::optional<std::string_view> digits = take_until(bytes, '\n');
  const std::optional<int64_t> log_bytes = digits ? parse_count(*digits) : std::nullopt;
  if (!log_bytes || static_cast<uint64_t>(*log_bytes) >= bytes.size()) return std::nullopt;
  const auto log_size = static_cast<size_t>(*log_bytes);
  return CompiledKernel{.cubin = std::string(bytes.substr(log_size)),
                        .log = std::string(bytes.substr(0, log_size))};
}

std::string process_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

CacheFolder open_cache_folder(const Variables& variable) {
  const fs::path named = variable("TILEWRIGHT_CACHE_DIR");
  if (!named.empty()) return named_folder(named);
  // The XDG specification requires relative paths to be ignored.
  const fs::path caches = variable("XDG_CACHE_HOME");
  if (caches.is_absolute()) return own_folder(caches);
  const fs::path home = variable("HOME");
  if (home.is_absolute()) return own_folder(home / ".cache");
  const fs::path temporary = variable("TMPDIR");
  return shared_folder(temporary.empty() ? "/tmp" : temporary);
}

}  // namespace tilewright
