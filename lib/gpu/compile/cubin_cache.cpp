#include "gpu/compile/cubin_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/trusted_file.hpp"

namespace tilewright {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryEnding = ".part";
constexpr int64_t kMaxEntryBytes = int64_t{64} << 20;  // many times the largest kernel

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

}  // namespace

CubinCache::CubinCache(CacheFolder folder) : folder_(std::move(folder)) {}

CubinCache::CubinCache(std::filesystem::path folder)
    : CubinCache(CacheFolder{std::move(folder), ""}) {}

std::filesystem::path CubinCache::entry(const std::string& identity) const {
  return folder_.path / (hash_text(identity) + ".kernel");
}

std::optional<CompiledKernel> CubinCache::find(const std::string& identity) const {
  if (folder_.path.empty()) return std::nullopt;
  const TrustedFile file(entry(identity));
  if (!file.is_open()) return std::nullopt;
  const std::optional<std::string> bytes = file.read(kMaxEntryBytes);
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

}  // namespace tilewright
