#include "store/record_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/foreign_entry.hpp"
#include "store/record_line.hpp"
#include "store/record_reader.hpp"

namespace tilewright {
namespace {

Error cannot_write(const std::filesystem::path& path, int error) {
  const std::string message =
      format("cannot write the store '{}': {}; its previous records stay readable", path.string(),
             std::strerror(error));
  const bool wrong_path = error == EACCES || error == EISDIR || error == ENOENT ||
                          error == ENOTDIR || error == EROFS || error == EPERM;
  return wrong_path ? usage_error(message) : environment_error(message);
}

// A race takes a tenth of a second to some seconds, a sync some milliseconds. A power failure loses
// the measurements since the last sync.
constexpr auto kMaxUnsynced = std::chrono::seconds(1);

// Opening a pipe would block until it has a reader.
void require_regular(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_type type = std::filesystem::status(path, unknown).type();
  if (type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::socket)
    return;
  throw usage_error(
      format("'{}' is a pipe or a socket: a store must be a file, because tune appends to it",
             path.string()));
}

// The counts of skipped and unchecked lines, without the runs.
RecordStore counts_of(const RecordReader& reader) {
  return {.runs = {},
          .unread = reader.unread(),
          .first_unread = reader.first_unread(),
          .newer_schema = reader.newer_schema(),
          .unchecked = reader.unchecked()};
}

// Throws a usage error for a text that has lines but no run.
std::vector<RunCopy> runs_of(RecordReader& reader, const std::string& source) {
  std::vector<RunCopy> runs = reader.take_runs();
  if (runs.empty() && reader.unread() > 0) {
    throw usage_error(
        format("{}: has no run of schema {}{}{}; tune --store writes one", source, kStoreSchema,
               kStoreVersion,
               reader.newer_schema().empty()
                   ? ""
                   : format(", and a line of {} that is newer or damaged", reader.newer_schema())));
  }
  return runs;
}

int64_t line_count(const StoredRun& run) {
  return 1 + std::ssize(run.records) + run.dropped + std::ssize(run.answers) +
         std::ssize(run.foreign);
}

}  // namespace

RecordStore parse_records(std::string_view text, const std::string& source, KeptRecords kept) {
  ContenderNames names;
  read_names(text, names);
  RecordReader reader(text, source, names, kept);
  std::vector<RunCopy> runs = runs_of(reader, source);
  RecordStore store = counts_of(reader);
  for (RunCopy& copy : runs) store.runs.push_back(std::move(copy.run));
  return store;
}

std::vector<std::string> reading_notes(const RecordStore& store, const std::string& source) {
  std::vector<std::string> notes;
  if (store.unread > 0) {
    notes.push_back(format("{}: {} line{} cut or damaged and skipped, the first is line {}", source,
                           store.unread, store.unread == 1 ? " is" : "s are", store.first_unread));
  }
  if (!store.newer_schema.empty()) {
    notes.push_back(
        format("{}: a skipped line names schema {}: it is damaged, or a newer tilewright wrote it",
               source, store.newer_schema));
  }
  if (store.unchecked > 0) {
    notes.push_back(
        format("{}: {} line{} not checked: earlier versions wrote no checksums, so damage in them "
               "is not found",
               source, store.unchecked, store.unchecked == 1 ? " is" : "s are"));
  }
  return notes;
}

MergedStores merge_stores(const std::vector<std::string>& texts,
                          const std::vector<std::string>& sources) {
  MergedStores merged;
  ContenderNames names;
  for (const std::string& text : texts) read_names(text, names);
  std::map<std::string, RunCopy> runs;
  for (size_t i = 0; i < texts.size(); ++i) {
    RecordReader reader(texts[i], sources[i], names);
    for (RunCopy& copy : runs_of(reader, sources[i])) {
      std::string& source = merged.sources.emplace(copy.run.head.run, sources[i]).first->second;
      source = std::min(source, sources[i]);
      const auto [same, is_new] = runs.try_emplace(copy.run.head.run);
      if (is_new || same->second.is_shorter_than(copy)) same->second = std::move(copy);
    }
    for (std::string& note : reading_notes(counts_of(reader), sources[i])) {
      merged.notes.push_back(std::move(note));
    }
  }
  std::vector<RunCopy*> in_order;
  in_order.reserve(runs.size());
  for (auto& [name, copy] : runs) in_order.push_back(&copy);
  std::stable_sort(in_order.begin(), in_order.end(), [](const RunCopy* a, const RunCopy* b) {
    return a->run.head.began < b->run.head.began;
  });
  for (RunCopy* const copy : in_order) {
    for (const std::string_view line : copy->lines) merged.text.append(line).append("\n");
    merged.store.runs.push_back(std::move(copy->run));
  }
  return merged;
}

RunLog log_of(const RecordStore& store, const std::string& session,
              const std::string& device_uuid) {
  RunLog log;
  for (const StoredRun& run : store.runs) {
    if (run.head.session == session && run.head.device_uuid == device_uuid) {
      add_to(log, run.records);
    }
  }
  return log;
}

RecordStore runs_like(const RecordStore& store, const std::string& session,
                      const DeviceFingerprint& device) {
  RecordStore like;
  for (const StoredRun& run : store.runs) {
    if (run.head.session == session && same_architecture(run.head.device, device)) {
      like.runs.push_back(run);
    }
  }
  return like;
}

void add_runs(RecordStore& store, RecordStore other) {
  for (StoredRun& run : other.runs) {
    const auto same =
        std::find_if(store.runs.begin(), store.runs.end(),
                     [&run](const StoredRun& r) { return r.head.run == run.head.run; });
    if (same == store.runs.end()) {
      store.runs.push_back(std::move(run));
    } else if (line_count(run) > line_count(*same)) {
      *same = std::move(run);
    }
  }
}

RecordFile::RecordFile(std::filesystem::path path, RunHead head)
    : path_(std::move(path)), head_(std::move(head)) {
  require_regular(path_);
  const bool is_new = is_missing(path_);
  if (!is_new && is_replaceable(path_)) {
    require_store(read_file(path_, kMaxStoreBytes), path_.string());
  }
  // The cut line of a killed process must not swallow the first line of this run.
  const bool cut = ends_in_a_cut_line(path_);
  constexpr mode_t kMode = 0644;
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
  if (file_ < 0) throw cannot_write(path_, errno);
  const std::string text = (cut ? "\n" : "") + store_line(head_line(head_));
  if (const int error = write_all(file_, text)) {
    ::close(file_);
    throw cannot_write(path_, error);
  }
  if (is_new) sync_folder_of(path_);
  sync();
}

RecordFile::~RecordFile() {
  ::fdatasync(file_);
  ::close(file_);
}

// Ignores errors: a file system that cannot sync is no reason to stop measuring, and a full disk
// fails on write.
void RecordFile::sync() {
  ::fdatasync(file_);
  synced_ = std::chrono::steady_clock::now();
}

Document RecordFile::line_of_run() const {
  return {{"run", head_.run}, {"device", head_.device_uuid}};
}

void RecordFile::write_line(const Document& line) const {
  // One write a line, so that the system does not mix lines of two processes.
  if (const int error = write_all(file_, store_line(line))) throw cannot_write(path_, error);
}

void RecordFile::append(const Record& record) {
  if (const auto* const problem = std::get_if<ProblemRecord>(&record)) {
    problem_ = problem_id(problem->problem);
  }
  Document line = line_of_run();
  line["of"] = problem_;
  write_record(record, line);
  write_line(line);
  const bool is_due = std::chrono::steady_clock::now() - synced_ >= kMaxUnsynced;
  if (is_due && std::holds_alternative<RaceRecord>(record)) sync();
}

void RecordFile::append_answer(const TuneEntry& entry, const ProblemPosition& place) {
  Document line = line_of_run();
  line["answer"] = to_document(entry);
  // Earlier versions read the method from this key.
  if (entry.origin) line["method"] = to_document(entry.origin->method, entry.origin->rounds);
  write_answer(std::move(line), place);
}

void RecordFile::append_answer(const ForeignEntry& entry, const ProblemPosition& place) {
  Document line = line_of_run();
  line["foreign_answer"] = to_document(entry);
  write_answer(std::move(line), place);
}

void RecordFile::write_answer(Document line, const ProblemPosition& place) {
  if (place.index >= 0) line["place"] = {place.index, place.count};
  write_line(line);
  sync();
}

std::string new_run_name() {
  std::random_device random;
  std::string name;
  for (int i = 0; i < 4; ++i) name += format("{:08x}", random());
  return name;
}

}  // namespace tilewright
