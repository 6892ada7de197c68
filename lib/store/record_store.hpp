// What tuning measured, as lines of JSON in a file that only grows: schema `tilewright.store/1`.
//
// Every run begins with a line of its own, its head; every other line names its run and its device.
// Lines of several runs may mix, and files may be joined end to end. A process that is killed
// leaves at most one cut line, which reading ignores.
#pragma once

#include <cstdint>
#include <filesystem>
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
  bool operator==(const RunHead&) const = default;
};

/// Where a problem stood among those of the command that its run, or its rank, had a share of.
struct AnswerPlace {
  int64_t index = -1;  // from 0; -1: nobody said
  int64_t count = 0;   // of the command's problems
  bool operator==(const AnswerPlace&) const = default;
};

/// An entry of an artefact, and how its times came about.
struct StoredAnswer {
  Document entry;
  MeasuringMethod method;
  int64_t rounds = 0;  // of the final comparison
  AnswerPlace place;
};

/// A run with its records in the order in which they were told.
struct StoredRun {
  RunHead head;
  std::vector<Record> records;
  std::vector<StoredAnswer> answers;
};

/// A store as it was read. `unread`: lines that are no records, such as one that was cut.
struct RecordStore {
  std::vector<StoredRun> runs;
  int64_t unread = 0;
  int64_t first_unread = 0;  // its line, from 1
};

/// Throws a usage error for a text that holds lines and no run at all.
RecordStore parse_records(std::string_view text, const std::string& source);

/// One line for people about the lines that were left out, of which there are some.
std::string unread_lines(const RecordStore& store, const std::string& source);

/// Everything that runs of this session on this device were told.
RunLog log_of(const RecordStore& store, const std::string& session, const std::string& device_uuid);

/// Those runs alone that belong to a session on devices like this one, whichever they were.
RecordStore runs_like(const RecordStore& store, const std::string& session,
                      const DeviceFingerprint& device);

/// Stores joined end to end: every run once, from the store that holds most of it, and no line that
/// is none. `sources` are the stores' names in messages.
std::string join_stores(const std::vector<std::string>& texts,
                        const std::vector<std::string>& sources);

/// Adds the runs of another store; of a run that is in both stands what holds more.
void add_runs(RecordStore& store, RecordStore other);

/// Appends a run's lines to a file, each whole and at once: two processes may write one file.
class RecordFile {
 public:
  /// Writes the head. Throws like write_file().
  RecordFile(std::filesystem::path path, RunHead head);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Throws an environment error where the line cannot be written, a full disk say; what was
  /// written before stays readable.
  void tell(const Record& record) const;
  void answer(const TuneEntry& entry, const MeasuringMethod& method, int64_t rounds,
              const AnswerPlace& place) const;

 private:
  void write_line(const Document& line) const;
  Document line_of_run() const;

  std::filesystem::path path_;
  RunHead head_;
  int file_ = -1;
};

// What to_document() wrote, read back. These throw Document::exception for anything else.
Workload workload_from(const Document& node);
MeasuringMethod method_from(const Document& node);
BuildResult build_from(const Document& node);
Verification verification_from(const Document& node);
/// Joules and microseconds, or `why_not`.
EnergyReading energy_from(const Document& node);
Document to_document(const EnergyReading& reading);
/// `counters` or null, and `why_no_counters`.
CounterReading reading_from(const Document& node);
void add_reading(Document& node, const CounterReading& reading);

/// The name of a new run.
std::string new_run_name();

}  // namespace tilewright
