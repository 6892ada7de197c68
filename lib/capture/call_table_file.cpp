#include "capture/call_table_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// Maps a new file of the table's size, with all of its blocks, so that no later write can fail.
// Returns null with errno set.
void* map_new_file(std::string& path) {
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return nullptr;
  void* mapped = MAP_FAILED;
  if (const int error = posix_fallocate(file, 0, sizeof(CallTable)); error != 0) {
    errno = error;
  } else {
    mapped = mmap(nullptr, sizeof(CallTable), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  const int error = errno;
  close(file);
  if (mapped != MAP_FAILED) return mapped;
  unlink(path.c_str());
  errno = error;
  return nullptr;
}

}  // namespace

CallTableFile::CallTableFile() {
  std::error_code none;
  std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  if (none) folder = "/tmp";
  // The recorded program may have another working folder.
  path_ = (std::filesystem::absolute(folder, none) / "tilewright-record-XXXXXX").string();
  table_ = static_cast<CallTable*>(map_new_file(path_));
  if (table_ == nullptr) {
    throw environment_error(format("cannot make a temporary file in {} for the counts: {}",
                                   folder.string(), std::strerror(errno)));
  }
  table_->magic = kCallTableMagic;
}

CallTableFile::~CallTableFile() {
  munmap(table_, sizeof(CallTable));
  unlink(path_.c_str());
}

}  // namespace tilewright
