#include "base/trusted_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright {

TrustedFile::TrustedFile(const std::filesystem::path& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}

TrustedFile::~TrustedFile() {
  if (is_open()) ::close(descriptor_);
}

std::optional<std::string> TrustedFile::read(int64_t most_bytes) const {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  const bool is_own = facts.st_uid == ::geteuid() || facts.st_uid == 0;
  const bool others_write = (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!is_own || others_write || facts.st_size > most_bytes) return std::nullopt;
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count = ::read(descriptor_, &bytes[at], bytes.size() - at);
    if (count <= 0) return std::nullopt;
    at += static_cast<size_t>(count);
  }
  return bytes;
}

void TrustedFile::set_used_now() const {
  ::futimens(descriptor_, nullptr);
}

}  // namespace tilewright
