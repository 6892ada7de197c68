// A store's text taken apart: its lines checked, read as records, and gathered run by run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/record_store.hpp"

namespace tilewright {

/// What a head names, with a version behind it.
inline constexpr std::string_view kStoreSchema = "tilewright.store/";
inline constexpr int64_t kStoreVersion = 1;

/// Long names stand once, where a contender is introduced; its many times name it by this.
std::string contender_id(const std::string& contender);

/// What a record names its problem by.
std::string problem_id(const Workload& problem);

/// What a text holds of a run behind one of its heads.
struct RunCopy {
  StoredRun run;
  bool is_checked = false;              // the head has a checksum; then every line has to
  std::string problem = {};             // that the last records are of, by its id
  std::vector<std::string_view> lines;  // of the text, those that are whole, the head first

  /// Of two copies the one that holds more; of as much, either, but the same one in every order.
  bool holds_less(const RunCopy& other) const {
    if (lines.size() != other.lines.size()) return lines.size() < other.lines.size();
    return lines < other.lines;
  }
};

/// Contenders by their ids.
using ContenderNames = std::map<std::string, std::string>;

/// Adds the names that a text's lines introduce.
void read_names(std::string_view text, ContenderNames& names);

/// Throws a usage error unless runs may be written behind the text: it is empty, cut within its
/// first head, or has a head, and none of a newer schema.
void require_store(std::string_view text, const std::string& source);

/// Reads a text, which has to outlive what it returns, with names that another text may introduce.
class RecordReader {
 public:
  /// Throws a usage error for a run of a newer schema.
  RecordReader(std::string_view text, std::string source, const ContenderNames& names);

  /// Of each run the copy that holds most, in the order of their heads. To be called once.
  std::vector<RunCopy> take_runs();

  // As RecordStore has them.
  int64_t unread() const { return unread_; }
  int64_t first_unread() const { return first_unread_; }
  int64_t unchecked() const { return unchecked_; }
  const std::string& newer_schema() const { return newer_schema_; }

 private:
  bool take(std::string_view text);
  bool begin_run(const Document& line, bool is_checked);
  bool add(const Document& line, bool is_checked);
  std::optional<Record> record_of(const Document& line);
  std::optional<Record> measurement_of(const Document& line);

  std::string source_;
  const ContenderNames& names_;
  int64_t number_ = 0;  // of the line, from 1
  std::vector<RunCopy> copies_;
  std::map<std::string, size_t> places_;  // of each run's last copy
  // Of the line that was taken last.
  size_t last_ = 0;  // its copy
  bool is_read_ = false;
  bool is_nameless_ = false;  // nothing introduces its contender

  int64_t unread_ = 0;
  int64_t first_unread_ = 0;
  int64_t unchecked_ = 0;
  std::string newer_schema_;
};

}  // namespace tilewright
