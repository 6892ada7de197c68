// Files: whole reads, and writes that leave either the old file or the new one, never a part.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace tilewright {

/// "cannot ACT 'PATH': REASON" of an errno: an environment error where the user can mend it only on
/// the machine, as a full disk, else a usage error.
Error file_error(std::string_view act, const std::filesystem::path& path, int error);

/// The whole file without a byte order mark; "-" is standard input. A pipe that delivers nothing
/// for 2 s is named on standard error, and waited for. Throws a usage error with the path, also
/// where the file holds more than `most_bytes`.
std::string read_file(const std::filesystem::path& path, int64_t most_bytes = kMaxFileBytes);

/// True where no file has this name; false also where access() fails otherwise, so that reading the
/// file reports the reason.
bool is_missing(const std::filesystem::path& path);

/// True where write_file() replaces the old content as a whole: not for standard output, a device
/// or a pipe, which cannot be replaced by a rename.
bool is_replaceable(const std::filesystem::path& path);

/// Replaces `path`, or the file that it links to, by `content` through a temporary file and a
/// rename, both on disk when it returns; "-" is standard output. Throws a usage error with the
/// path, or an environment error where the disk is full.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Appends to the file in place, on a line of its own, so that processes which have it open lose
/// nothing; creates a missing file. On an error the file keeps its old content. Throws like
/// write_file().
void append_file(const std::filesystem::path& path, std::string_view content);

/// True for a regular file with an incomplete last line: a process was killed while it wrote the
/// line.
bool ends_in_a_cut_line(const std::filesystem::path& path);

/// An unpredictable name beside `path`, for a file or folder that is renamed to it once complete.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

/// How a file replaces another.
struct Replacement {
  mode_t created = 0666;            // permissions of a new file, less the umask
  std::optional<mode_t> kept = {};  // permissions to set instead
  bool is_synced = true;            // sync the file before the rename, and its folder after it
};

/// The same for a path that is no link and no device, through a new file with a random name beside
/// it, which no other process has open and no link refers to. Returns 0, or the errno of the
/// failure; then no file is left behind.
int replace_file(const std::filesystem::path& path, std::string_view content,
                 const Replacement& how);

/// Writes all of it to an open file; returns 0 or the errno.
int write_all(int file, std::string_view content);

/// Syncs the folder of `path`, where the file system can, so that the name is on disk.
void sync_folder_of(const std::filesystem::path& path);

/// A lock on the folder of a file: other processes and threads wait for it, so that each reads the
/// file, changes it and writes it after the previous one. It does not lock where the file system
/// cannot, or where another process holds the lock for as long as `most`.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path,
                    std::chrono::milliseconds most = std::chrono::seconds(10));
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool is_locked() const { return is_locked_; }

 private:
  int folder_ = -1;
  bool is_locked_ = false;
};

/// True where write_file() to both paths would write one file: links are followed. False for
/// standard output, devices and empty paths.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws a usage error unless write_file(path) could succeed; leaves no new files.
void require_writable(const std::filesystem::path& path);

/// Throws an environment error where standard output did not accept everything written to it.
void flush_standard_output();

/// The folder of the program's file, links resolved; "." where it cannot be read.
std::filesystem::path program_folder();

}  // namespace tilewright
