// What tuning measured, as lines of JSON in a file that only grows: schema `tilewright.store/1`.
//
// Every run begins with a line of its own, its head; every other line names its run and its device.
// Lines of several runs may mix, and files may be joined end to end. A process that is killed
// leaves at most one cut line. Every line ends in a checksum: what is cut or damaged is counted and
// left out. Stores of earlier versions have no checksums and are read as they are.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/recorder.hpp"
#include "search/result.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// Where the records of a run come from.
struct RunHead {
  std::string run;          // 32 hexadecimal digits, no two runs have the same
  std::string device_uuid;  // times are compared within one run on one device only
  DeviceFingerprint device;
  std::string tool_version;
  std::string environment;  // driver, runtime, compiler, reference library
  std::string session;      // hash of what decides a search beside its measurements
  std::string began = {};   // "2026-11-23T20:31:07.250000Z"; empty in early stores
  bool operator==(const RunHead&) const = default;
};

/// Where a problem stood among those of the command that its run, or its rank, had a share of.
struct AnswerPlace {
  int64_t index = -1;  // from 0; -1: nobody said
  int64_t count = 0;   // of the command's problems
  bool operator==(const AnswerPlace&) const = default;
};

/// An entry of an artefact, which has an origin.
struct StoredAnswer {
  TuneEntry entry;
  AnswerPlace place;
};

/// A run with its records in the order in which they were told.
struct StoredRun {
  RunHead head;
  std::vector<Record> records;
  std::vector<StoredAnswer> answers;
};

/// A store as it was read, each run once. `unread`: lines that are no records, such as one that was
/// cut; `unchecked`: records whose lines have no checksum.
struct RecordStore {
  std::vector<StoredRun> runs;
  int64_t unread = 0;
  int64_t first_unread = 0;       // its line, from 1
  std::string newer_schema = {};  // in a head that has no right checksum: newer, or damaged
  int64_t unchecked = 0;
};

/// Throws a usage error for a text that holds lines and no run at all, and for a run of a newer
/// schema.
RecordStore parse_records(std::string_view text, const std::string& source);

/// A sentence on what was left out and one on what could not be checked; none where all lines were
/// read and are right.
std::vector<std::string> reading_notes(const RecordStore& store, const std::string& source);

/// Everything that runs of this session on this device were told.
RunLog log_of(const RecordStore& store, const std::string& session, const std::string& device_uuid);

/// Those runs alone that belong to a session on devices like this one, whichever they were.
RecordStore runs_like(const RecordStore& store, const std::string& session,
                      const DeviceFingerprint& device);

/// Stores joined: every run once, from the store that holds most of it, the runs in the order in
/// which they began.
struct JoinedStores {
  std::string text;   // their lines as they are, and none that is cut or damaged
  RecordStore store;  // what the text holds, without counts
  std::map<std::string, std::string> sources;  // of each run's name the first store that holds it
  std::vector<std::string> notes;              // reading_notes() of each store
};

/// The same text, whichever order the stores are in and however they were joined before. `sources`
/// are the stores' names in messages.
JoinedStores join_stores(const std::vector<std::string>& texts,
                         const std::vector<std::string>& sources);

/// Adds the runs of another store; of a run that is in both stands what holds more.
void add_runs(RecordStore& store, RecordStore other);

/// Appends a run's lines to a file, each whole and at once: two processes may write one file. On
/// disk are the head, every answer, and races that ended a second ago.
class RecordFile {
 public:
  /// Writes the head. Throws like write_file(), and a usage error for a pipe or a socket.
  RecordFile(std::filesystem::path path, RunHead head);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Throws an environment error where the line cannot be written, a full disk say; what was
  /// written before stays readable.
  void tell(const Record& record);
  void answer(const TuneEntry& entry, const AnswerPlace& place);

 private:
  void sync();
  void write_line(const Document& line) const;
  Document line_of_run() const;

  std::filesystem::path path_;
  RunHead head_;
  std::string problem_;  // that the next records are of, by its id
  int file_ = -1;
  std::chrono::steady_clock::time_point synced_;
};

/// What to_document() wrote. Throws Document::exception or a usage error for anything else.
Workload workload_from(const Document& node);

/// The name of a new run.
std::string new_run_name();

}  // namespace tilewright
