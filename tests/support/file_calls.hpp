// Records the program's calls to the file system: the test's own open(), fsync(), fdatasync() and
// rename() replace libc's and pass each call on.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilewright::testing {

struct FileCall {
  std::string name;  // "open", "fsync", "fdatasync" or "rename"
  std::string path;  // of the file or folder; for rename the old name
  int flags = 0;     // of open
};

/// Records this process's calls during its lifetime. Only one may exist at a time.
class FileCalls {
 public:
  /// `before_open` is called with the path and flags before each open().
  explicit FileCalls(std::function<void(const FileCall&)> before_open = nullptr);
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;
  ~FileCalls();

  std::vector<FileCall> listed() const;
};

}  // namespace tilewright::testing
