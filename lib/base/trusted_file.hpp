// A file that only this user and root can have written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tilewright {

/// An open file of a cache, closed on destruction.
class TrustedFile {
 public:
  /// Follows no link, and does not wait for the writer of a pipe.
  explicit TrustedFile(const std::filesystem::path& path);
  TrustedFile(const TrustedFile&) = delete;
  TrustedFile& operator=(const TrustedFile&) = delete;
  ~TrustedFile();

  bool is_open() const { return descriptor_ >= 0; }

  /// The whole file. Empty unless it is a regular one of at most `most_bytes` that no other user
  /// can have written.
  std::optional<std::string> read(int64_t most_bytes) const;

  void set_used_now() const;

 private:
  int descriptor_;
};

}  // namespace tilewright
