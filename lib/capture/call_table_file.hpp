// CallTableFile: a table of calls in a temporary file, which other processes open by its path.
#pragma once

#include <string>

#include "capture/call_table.hpp"

namespace tilewright {

class CallTableFile {
 public:
  /// Makes an empty table. Throws an environment error where the folder of temporary files has no
  /// room for it.
  CallTableFile();
  /// Removes the file.
  ~CallTableFile();
  CallTableFile(const CallTableFile&) = delete;
  CallTableFile& operator=(const CallTableFile&) = delete;

  const std::string& path() const { return path_; }
  CallTable& table() { return *table_; }

 private:
  std::string path_;
  CallTable* table_ = nullptr;
};

}  // namespace tilewright
