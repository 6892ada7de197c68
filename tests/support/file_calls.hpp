// What the program asks of the file system: the test's own open(), fsync(), fdatasync() and
// rename() stand before libc's and pass each call on.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilewright::testing {

struct FileCall {
  std::string name;  // "open", "fsync", "fdatasync" or "rename"
  std::string path;  // of the file or folder; of rename the old name
  int flags = 0;     // of open
};

/// Lists this process's calls while it lives, one at a time.
class FileCalls {
 public:
  /// `before_open` sees the path and flags of each open() before the system does.
  explicit FileCalls(std::function<void(const FileCall&)> before_open = nullptr);
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;
  ~FileCalls();

  std::vector<FileCall> listed() const;
};

}  // namespace tilewright::testing
