// Files: whole reads, and writes that leave either the old file or the new one, never a half.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.hpp"

namespace tilewright {

/// The whole file but a byte order mark; "-" is standard input. Throws a usage error that names the
/// path, also where it holds more than `most_bytes`.
std::string read_file(const std::filesystem::path& path, int64_t most_bytes = kMostFileBytes);

/// True where nothing has this name; false also where one cannot tell, so that reading will say
/// why.
bool is_missing(const std::filesystem::path& path);

/// True where write_file leaves the newest content alone: not for standard output, a device or a
/// pipe, which cannot be renamed over.
bool is_replaceable(const std::filesystem::path& path);

/// Replaces `path`, or what it links to, by `content` through a temporary file and a rename, both
/// on disk when it returns; "-" is standard output. Throws a usage error that names the path, an
/// environment error where the disk is full.
void write_file(const std::filesystem::path& path, std::string_view content);

/// How a file is put in the place of another.
struct Replacement {
  mode_t created = 0666;            // permissions, less the umask
  std::optional<mode_t> kept = {};  // in their place
  bool is_synced = true;            // on disk before it has its name, and its name, too
};

/// The same for a path that is no link and no device: through a new file of a random name beside
/// it, which no process has open and no link leads to. Returns 0, or the errno of what failed; then
/// nothing is left behind.
int replace_file(const std::filesystem::path& path, std::string_view content,
                 const Replacement& how);

/// Writes all of it to an open file, or returns the errno.
int write_all(int file, std::string_view content);

/// Puts on disk that the folder of `path` has this name, where the file system can.
void sync_folder_of(const std::filesystem::path& path);

/// While one lives, other processes and threads wait to make one for a file of the same folder, so
/// that each reads, changes and writes what the one before it left. Where the file system locks
/// nothing, or another process holds the lock for 10 s, it holds none off.
class FileTurn {
 public:
  explicit FileTurn(const std::filesystem::path& path);
  ~FileTurn();
  FileTurn(const FileTurn&) = delete;
  FileTurn& operator=(const FileTurn&) = delete;

 private:
  int folder_ = -1;
};

/// True where write_file() of both paths would leave one file: links are followed. Not of standard
/// output, devices and empty paths.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws a usage error unless write_file(path) could succeed; creates nothing that stays.
void require_writable(const std::filesystem::path& path);

/// Throws an environment error when standard output did not take all that was written to it.
void flush_standard_output();

}  // namespace tilewright
