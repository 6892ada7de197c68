#include "support/file_calls.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <mutex>
#include <utility>

namespace tilewright::testing {
namespace {

struct Log {
  std::mutex mutex;
  bool is_on = false;
  std::vector<FileCall> calls;
  std::function<void(const FileCall&)> before_open;
};

Log& log() {
  static Log one;
  return one;
}

void note(FileCall call) {
  std::function<void(const FileCall&)> before;
  {
    const std::lock_guard held(log().mutex);
    if (!log().is_on) return;
    if (call.name == "open") before = log().before_open;
    log().calls.push_back(call);
  }
  if (before) before(call);
}

std::string path_of(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return size < 0 ? "" : std::string(path.data(), static_cast<size_t>(size));
}

}  // namespace

FileCalls::FileCalls(std::function<void(const FileCall&)> before_open) {
  const std::lock_guard held(log().mutex);
  log().calls.clear();
  log().before_open = std::move(before_open);
  log().is_on = true;
}

FileCalls::~FileCalls() {
  const std::lock_guard held(log().mutex);
  log().is_on = false;
  log().before_open = nullptr;
}

std::vector<FileCall> FileCalls::listed() const {
  const std::lock_guard held(log().mutex);
  return log().calls;
}

}  // namespace tilewright::testing

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const bool creates = (flags & (O_CREAT | O_TMPFILE)) != 0;
  const mode_t mode = creates ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  tilewright::testing::note({"open", path, flags});
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int fsync(int file) {
  tilewright::testing::note({"fsync", tilewright::testing::path_of(file)});
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int fdatasync(int file) {
  tilewright::testing::note({"fdatasync", tilewright::testing::path_of(file)});
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

int rename(const char* from, const char* to) noexcept {
  tilewright::testing::note({"rename", from});
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

}  // extern "C"
