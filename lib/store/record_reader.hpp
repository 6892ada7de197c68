// Reads a store's text: checks its lines, reads them as records, and collects them by run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/record_line.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// One copy of a run: the lines of the text that follow one of the run's heads.
struct RunCopy {
  StoredRun run;
  bool is_checked = false;              // the head has a checksum, so every line must have one
  std::string problem = {};             // id of the problem of the last records
  std::vector<std::string_view> lines;  // the complete lines in the text, the head first

  /// Orders copies by their number of lines; the text of the lines decides between equals, so that
  /// the order in which copies are read does not matter.
  bool is_shorter_than(const RunCopy& other) const {
    if (lines.size() != other.lines.size()) return lines.size() < other.lines.size();
    return lines < other.lines;
  }
};

/// Contenders by their ids.
using ContenderNames = std::map<std::string, std::string>;

/// Adds the names that a text's lines introduce.
void read_names(std::string_view text, ContenderNames& names);

/// Throws a usage error unless a run may be appended to the text: the text is empty, or cut within
/// its first head, or has a head, and no head is of a newer schema.
void require_store(std::string_view text, const std::string& source);

/// Reads a text, which must outlive the returned copies. `names` are those of contenders that this
/// or another text introduces.
class RecordReader {
 public:
  /// Throws a usage error for a run of a newer schema.
  RecordReader(std::string_view text, std::string source, const ContenderNames& names,
               KeptRecords kept = KeptRecords::All);

  /// Returns the longest copy of each run, in the order of their heads. May be called once.
  std::vector<RunCopy> take_runs();

  // The same counts as in RecordStore.
  int64_t unread() const { return unread_; }
  int64_t first_unread() const { return first_unread_; }
  int64_t unchecked() const { return unchecked_; }
  const std::string& newer_schema() const { return newer_schema_; }

 private:
  bool take(std::string_view text);
  bool begin_run(const Node& line, bool is_checked);
  bool add(const Node& line, bool is_checked);
  bool name_contenders(Record& record) const;

  std::string source_;
  const ContenderNames& names_;
  KeptRecords kept_;
  int64_t number_ = 0;  // of the current line, from 1
  std::vector<RunCopy> copies_;
  std::map<std::string, size_t> places_;  // index of each run's last copy
  // State of the line that was read last.
  size_t last_ = 0;  // index of its copy
  bool is_read_ = false;

  int64_t unread_ = 0;
  int64_t first_unread_ = 0;
  int64_t unchecked_ = 0;
  std::string newer_schema_;
};

}  // namespace tilewright
