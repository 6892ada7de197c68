// Stores the measurements of tuning as lines of JSON in a file that only grows: schema
// `tilewright.store/2`.
//
// Every run begins with a head line; every other line names its run and its device. Lines of
// several runs may alternate, and files may be concatenated. A process that is killed leaves at
// most one incomplete line. Every line ends with a checksum: incomplete or damaged lines are
// counted and skipped. Stores of earlier versions have no checksums and are read as they are.
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
  std::string run;          // unique, 32 hexadecimal digits
  std::string device_uuid;  // times are only comparable within one run on one device
  DeviceFingerprint device;
  std::string tool_version;
  std::string environment;  // driver, runtime, compiler, reference library
  std::string session;      // hash of all inputs of a search except its measurements
  std::string began = {};   // "2026-11-23T20:31:07.250000Z"; empty in early stores
  bool operator==(const RunHead&) const = default;
};

/// The position of a problem in the list of its command, which several runs or ranks may share.
struct ProblemPosition {
  int64_t index = -1;  // from 0; -1: not recorded
  int64_t count = 0;   // number of the command's problems
  bool operator==(const ProblemPosition&) const = default;
};

/// An artefact's entry, which always has an origin.
struct StoredAnswer {
  TuneEntry entry;
  ProblemPosition place;
};

/// The answer of a harness.
struct StoredForeignAnswer {
  ForeignEntry entry;
  ProblemPosition place;
};

/// A run with its records in the order in which they were written.
struct StoredRun {
  RunHead head;
  std::vector<Record> records;
  std::vector<StoredAnswer> answers;
  std::vector<StoredForeignAnswer> foreign = {};
  int64_t dropped = 0;  // number of records that were not kept
};

/// The records that a reader keeps: all, or those of problems that have no answer yet, which are
/// what a resumed run needs: a thousand problems have over 10 million times.
enum class KeptRecords { All, Unanswered };

/// The contents of a store, each run once. `unread`: lines that are not records, for example
/// incomplete ones; `unchecked`: records on lines without a checksum.
struct RecordStore {
  std::vector<StoredRun> runs;
  int64_t unread = 0;
  int64_t first_unread = 0;  // line number, from 1
  // Schema of a head with a wrong checksum, which is newer or damaged
  std::string newer_schema = {};
  int64_t unchecked = 0;
};

/// Throws a usage error for a text that has lines but no run, and for a run of a newer schema.
RecordStore parse_records(std::string_view text, const std::string& source,
                          KeptRecords kept = KeptRecords::All);

/// Messages about skipped lines and about unchecked lines; empty if all lines were read and are
/// correct.
std::vector<std::string> reading_notes(const RecordStore& store, const std::string& source);

/// The records of all runs of this session on this device.
RunLog log_of(const RecordStore& store, const std::string& session, const std::string& device_uuid);

/// The runs of this session on any device of the same architecture.
RecordStore runs_like(const RecordStore& store, const std::string& session,
                      const DeviceFingerprint& device);

/// Several stores joined: every run once, from the store that has most of its lines; runs in the
/// order of their begin.
struct MergedStores {
  std::string text;   // the unchanged lines, without incomplete or damaged ones
  RecordStore store;  // the runs of the text, without counts
  std::map<std::string, std::string> sources;  // for each run the first store (by name) that has it
  std::vector<std::string> notes;              // reading_notes() of each store
};

/// Joins stores. The text does not depend on the order of the stores, nor on earlier joins.
/// `sources` are the stores' names in messages.
MergedStores merge_stores(const std::vector<std::string>& texts,
                          const std::vector<std::string>& sources);

/// Adds the runs of another store; if both have a run, keeps the longer copy.
void add_runs(RecordStore& store, RecordStore other);

/// Appends a run's lines to a file, each with one write, so two processes may write to one file.
/// Synchronised to disk are the head, every answer, and races that ended more than a second ago.
class RecordFile {
 public:
  /// Writes the head. Throws like write_file(), and a usage error for a pipe or a socket.
  RecordFile(std::filesystem::path path, RunHead head);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Appends a record. Throws an environment error if the line cannot be written, for example on a
  /// full disk; earlier lines stay readable.
  void append(const Record& record);
  void append_answer(const TuneEntry& entry, const ProblemPosition& place);
  void append_answer(const ForeignEntry& entry, const ProblemPosition& place);

 private:
  void sync();
  void write_answer(Document line, const ProblemPosition& place);
  void write_line(const Document& line) const;
  Document line_of_run() const;

  std::filesystem::path path_;
  RunHead head_;
  std::string problem_;  // id of the problem of the next records
  int file_ = -1;
  std::chrono::steady_clock::time_point synced_;
};

/// A random name for a new run.
std::string new_run_name();

}  // namespace tilewright
