#include "base/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Waits until the file is on disk; 0 or the errno. Some file systems do not support it.
int sync_file(int file) {
  if (::fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS) return 0;
  return errno;
}

Error cannot_write(const fs::path& path, int error) {
  return file_error("write", path, error);
}

// True for paths of devices and open files, which are no places in a file system.
bool is_special(const fs::path& path) {
  const std::string text = path.string();
  return text.rfind("/dev/", 0) == 0 || text.rfind("/proc/", 0) == 0;
}

// The path that `path` links to, whether or not it exists.
fs::path follow_links(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // as many as Linux follows
  fs::path place = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    std::error_code no_link;
    const fs::path target = is_special(place) ? fs::path() : fs::read_symlink(place, no_link);
    if (target.empty()) return place;
    place = place.parent_path() / target;
  }
  throw cannot_write(path, ELOOP);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

void write_in_place(const fs::path& path, std::string_view content) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  if (!out.write(content.data(), static_cast<std::streamsize>(content.size())).flush()) {
    throw cannot_write(path, errno);
  }
}

Error too_long(const fs::path& path, int64_t most_bytes) {
  return usage_error(format("'{}' holds more than {} MiB, the limit: use a smaller file",
                            path.string(), most_bytes >> 20));
}

// Prints one note while an input is waited for: the command looks as if it hung.
class PatienceNote {
 public:
  explicit PatienceNote(const fs::path& path) : path_(path) {}

  void wait() {
    constexpr auto kPatience = std::chrono::seconds(2);
    if (is_said_ || Clock::now() - began_ < kPatience) return;
    is_said_ = true;
    const std::string name =
        path_ == "-" ? "standard input" : format("'{}'", one_line(path_.string()));
    std::cerr << log_line(format("waits for {}, which has delivered nothing in 2 s", name)) + '\n'
              << std::flush;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const fs::path& path_;
  Clock::time_point began_ = Clock::now();
  bool is_said_ = false;
};

// Reads until the end; waits for bytes that a pipe or a terminal does not have yet.
std::string read_to_end(int file, const fs::path& path, int64_t most_bytes) {
  constexpr int kListenMs = 100;
  constexpr int64_t kMaxStreamBytes = int64_t{128} << 20;  // of what has no size of its own
  std::string content;
  struct stat about {};
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
    if (about.st_size > most_bytes) throw too_long(path, most_bytes);
    content.reserve(static_cast<size_t>(about.st_size));
  } else {
    most_bytes = std::min(most_bytes, kMaxStreamBytes);
  }
  std::array<char, 1 << 16> part{};
  PatienceNote note(path);
  while (true) {
    throw_if_interrupted();
    pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kListenMs);
    if (ready == 0 && content.empty()) note.wait();
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(file, part.data(), part.size());
    if (count == 0) return content;
    if (count > 0) {
      content.append(part.data(), static_cast<size_t>(count));
      if (std::ssize(content) > most_bytes) throw too_long(path, most_bytes);
    } else if (errno != EINTR && errno != EAGAIN) {
      throw file_error("read", path, errno);
    }
  }
}

// Removes the byte order mark that some editors write at the start of a file.
std::string without_mark(std::string text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  return text;
}

}  // namespace

// A process id would not do: ids repeat where several
// containers share a folder.
fs::path temporary_beside(const fs::path& path) {
  constexpr size_t kMaxName = 200;  // leaves room for the suffix
  std::random_device random;
  const std::string name = path.filename().string().substr(0, kMaxName);
  return path.parent_path() / format("{}.{:08x}{:08x}.part", name, random(), random());
}

Error file_error(std::string_view act, const fs::path& path, int error) {
  const std::string message =
      format("cannot {} '{}': {}", act, path.string(), std::strerror(error));
  // The user can fix these only on the machine, not with another path.
  const bool machine = error == ENOSPC || error == EDQUOT || error == EIO || error == EMFILE ||
                       error == ENFILE || error == ENOMEM;
  return machine ? environment_error(message) : usage_error(message);
}

std::string read_file(const fs::path& path, int64_t most_bytes) {
  if (path == "-") return without_mark(read_to_end(STDIN_FILENO, path, most_bytes));
  // With O_NONBLOCK, open() does not wait for a pipe's writer: read_to_end() waits, interruptibly.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw file_error("read", path, errno);
  const std::unique_ptr<const int, void (*)(const int*)> closer(
      &file, [](const int* open_file) { ::close(*open_file); });
  return without_mark(read_to_end(file, path, most_bytes));
}

bool is_missing(const fs::path& path) {
  return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
}

bool is_replaceable(const fs::path& path) {
  if (path == "-") return false;
  const fs::path place = follow_links(path);
  std::error_code unknown;
  return !is_special(place) && (is_missing(place) || fs::is_regular_file(place, unknown));
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  if (a.empty() || b.empty() || !is_replaceable(a) || !is_replaceable(b)) return false;
  return fs::weakly_canonical(a) == fs::weakly_canonical(b);
}

void write_file(const fs::path& path, std::string_view content) {
  if (path == "-") {
    std::cout << content;
    flush_standard_output();
    return;
  }
  if (!is_replaceable(path)) {
    write_in_place(path, content);
    return;
  }
  const fs::path place = follow_links(path);
  std::error_code unknown;
  const fs::file_status old = fs::status(place, unknown);
  Replacement how;
  if (fs::exists(old)) how.kept = static_cast<mode_t>(old.permissions());
  const int error = replace_file(place, content, how);
  if (error != 0) throw cannot_write(path, error);
}

bool ends_in_a_cut_line(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat about {};
  char last = '\n';
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    if (::pread(file, &last, 1, about.st_size - 1) != 1) last = '\n';
  }
  ::close(file);
  return last != '\n';
}

void append_file(const fs::path& path, std::string_view content) {
  std::string text{ends_in_a_cut_line(path) ? "\n" : ""};
  text += content;
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) throw cannot_write(path, errno);
  struct stat before {};
  ::fstat(file, &before);
  int error = write_all(file, text);
  if (error == 0) error = sync_file(file);
  if (error != 0 && S_ISREG(before.st_mode)) {
    // Nothing can be done where this fails too.
    [[maybe_unused]] const int failed = ::ftruncate(file, before.st_size);
  }
  if (::close(file) != 0 && error == 0) error = errno;
  if (error != 0) throw cannot_write(path, error);
}

int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    content.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

int replace_file(const fs::path& path, std::string_view content, const Replacement& how) {
  constexpr int kMaxNames = 100;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  fs::path temporary;
  int file = -1;
  for (int i = 0; i < kMaxNames && file < 0; ++i) {
    temporary = temporary_beside(path);
    file = ::open(temporary.c_str(), kFlags, how.created);
    if (file < 0 && errno != EEXIST) return errno;
  }
  if (file < 0) return EEXIST;
  if (how.kept) ::fchmod(file, *how.kept);
  int error = write_all(file, content);
  if (error == 0 && how.is_synced) error = sync_file(file);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return error;
  }
  if (how.is_synced) sync_folder_of(path);
  return 0;
}

void sync_folder_of(const fs::path& path) {
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

FileLock::FileLock(const fs::path& path, std::chrono::milliseconds most) {
  constexpr auto kStep = std::chrono::milliseconds(5);
  if (!is_replaceable(path)) return;
  folder_ = ::open(folder_of(follow_links(path)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return;
  for (auto waited = std::chrono::milliseconds(0); waited < most; waited += kStep) {
    is_locked_ = ::flock(folder_, LOCK_EX | LOCK_NB) == 0;
    if (is_locked_ || (errno != EWOULDBLOCK && errno != EINTR)) return;
    std::this_thread::sleep_for(kStep);
  }
}

FileLock::~FileLock() {
  if (folder_ >= 0) ::close(folder_);
}

void require_writable(const fs::path& path) {
  if (path == "-") return;
  const fs::path place = follow_links(path);
  std::error_code unknown;
  if (fs::is_directory(place, unknown)) throw cannot_write(path, EISDIR);
  if (::access(place.c_str(), W_OK) != 0 && errno != ENOENT) throw cannot_write(path, errno);
  if (!is_replaceable(path)) return;
  if (::access(folder_of(place).c_str(), W_OK | X_OK) != 0) throw cannot_write(path, errno);
}

void flush_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::cout && std::ferror(stdout) == 0) return;
  // An earlier failure has left an error flag on the stream, but not its errno.
  throw environment_error(format("cannot write standard output: {}",
                                 errno != 0 ? std::strerror(errno) : "it is full or closed"));
}

std::filesystem::path program_folder() {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path(".") : program.parent_path();
}

}  // namespace tilewright
