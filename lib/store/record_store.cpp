#include "store/record_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/document.hpp"

namespace tilewright {
namespace {

// Long names stand once, where a contender is introduced; its many times name it by this.
std::string id_of(const std::string& contender) {
  return hash_text(contender).substr(0, 16);
}

struct Printer {
  Document& line;

  void operator()(const ProblemRecord& r) const {
    line["problem"] = to_document(r.problem);
    line["method"] = to_document(r.method, 0);
  }
  void operator()(const ReferencesRecord& r) const { line["references"] = r.names; }
  void operator()(const BuildRecord& r) const {
    line["config"] = r.config;
    line["build"] = to_document(r.result);
  }
  void operator()(const VerifyRecord& r) const {
    line["config"] = r.config;
    if (r.in_round) line["in_round"] = true;
    line["status"] = r.verification ? (r.verification->ok ? "ok" : "wrong") : "failed";
    if (r.verification) line["verified"] = to_document(*r.verification);
    if (!r.verification) line["failure"] = r.failure;
  }
  void operator()(const RaceRecord& r) const { line["race_ended"] = r.race; }
  void operator()(const TimeRecord& r) const {
    line["race"] = r.race;
    line["round"] = r.round;
    line["contender"] = id_of(r.contender);
    if (r.time.lost.empty()) line["us"] = r.time.us;
    if (!r.time.lost.empty()) line["lost"] = r.time.lost;
    if (r.time.sm_mhz > 0) line["sm_mhz"] = r.time.sm_mhz;
    if (r.time.watts > 0) line["watts"] = r.time.watts;
  }
  void operator()(const CountRecord& r) const {
    line["contender"] = id_of(r.contender);
    add_reading(line, r.reading);
  }
  void operator()(const EnergyRecord& r) const {
    line["contender"] = id_of(r.contender);
    line["turn"] = r.turn;
    line["energy"] = to_document(r.reading);
  }
};

Counters counters_from(const Document& node) {
  return {.dram_read_bytes = node.at("dram_read_bytes").get<double>(),
          .dram_write_bytes = node.at("dram_write_bytes").get<double>(),
          .l2_hit_pct = node.at("l2_hit_pct").get<double>(),
          .tensor_active_pct = node.at("tensor_active_pct").get<double>(),
          .shared_wavefronts = node.at("shared_wavefronts").get<double>(),
          .passes = node.at("passes").get<int>()};
}

RunHead head_from(const Document& line) {
  const Document& d = line.at("device");
  return {.run = line.at("run").get<std::string>(),
          .device_uuid = d.at("uuid").get<std::string>(),
          .device = {.name = d.at("name").get<std::string>(),
                     .compute = d.at("compute").get<std::string>(),
                     .sm_count = d.at("sm_count").get<int>(),
                     .l2_bytes = d.at("l2_bytes").get<int64_t>(),
                     .memory_bytes = d.at("memory_bytes").get<int64_t>(),
                     .preset = false},
          .tool_version = line.at("tool_version").get<std::string>(),
          .environment = line.at("environment").get<std::string>(),
          .session = line.at("session").get<std::string>()};
}

// Stores from before these keys lack them.
StoredAnswer answer_from(const Document& line) {
  StoredAnswer answer{.entry = line.at("answer"), .method = {}, .rounds = 0, .place = {}};
  if (line.contains("method")) {
    answer.method = method_from(line.at("method"));
    answer.rounds = line.at("method").at("rounds").get<int64_t>();
  }
  if (line.contains("place")) {
    answer.place = {.index = line.at("place").at(0).get<int64_t>(),
                    .count = line.at("place").at(1).get<int64_t>()};
  }
  return answer;
}

// Lines in the order of the file become runs.
class Reader {
 public:
  explicit Reader(RecordStore& store) : store_(store) {}

  // False for a line that is no record.
  bool take(std::string_view text) {
    const Document line = Document::parse(text, nullptr, false);
    if (!line.is_object()) return false;
    try {
      return line.contains("schema") ? begin_run(line) : add(line);
    } catch (const Document::exception&) {
      return false;
    } catch (const Error&) {
      return false;
    }
  }

 private:
  bool begin_run(const Document& line) {
    if (line.at("schema") != "tilewright.store/1") return false;
    RunHead head = head_from(line);
    // Stores may be joined that share a run.
    if (!places_.emplace(head.run, store_.runs.size()).second) return true;
    store_.runs.push_back({.head = std::move(head), .records = {}, .answers = {}});
    return true;
  }

  bool add(const Document& line) {
    const auto place = places_.find(line.at("run").get<std::string>());
    if (place == places_.end()) return false;
    StoredRun& run = store_.runs[place->second];
    if (run.head.device_uuid != line.at("device").get<std::string>()) return false;
    if (line.contains("answer")) {
      run.answers.push_back(answer_from(line));
      return true;
    }
    std::optional<Record> record = record_of(line);
    if (!record) return false;
    run.records.push_back(std::move(*record));
    return true;
  }

  std::optional<Record> record_of(const Document& line) {
    if (line.contains("method")) {
      return ProblemRecord{workload_from(line.at("problem")), method_from(line.at("method"))};
    }
    if (line.contains("references")) {
      ReferencesRecord record{line.at("references").get<std::vector<std::string>>()};
      for (const std::string& name : record.names) names_[id_of(name)] = name;
      return record;
    }
    if (line.contains("build")) {
      const auto config = line.at("config").get<std::string>();
      names_[id_of(config)] = config;
      return BuildRecord{config, build_from(line.at("build"))};
    }
    if (line.contains("race_ended")) return RaceRecord{line.at("race_ended").get<int64_t>()};
    return line.contains("config") ? verification_of(line) : measurement_of(line);
  }

  static Record verification_of(const Document& line) {
    VerifyRecord record{.config = line.at("config").get<std::string>(),
                        .in_round = line.value("in_round", false)};
    if (line.contains("failure")) {
      record.failure = line.at("failure").get<std::string>();
    } else {
      record.verification = verification_from(line.at("verified"));
    }
    return record;
  }

  std::optional<Record> measurement_of(const Document& line) const {
    const auto name = names_.find(line.at("contender").get<std::string>());
    if (name == names_.end()) return std::nullopt;
    if (line.contains("us") || line.contains("lost")) {
      const LaunchTime time{line.value("us", 0.0), line.value("lost", std::string()),
                            line.value("sm_mhz", 0.0), line.value("watts", 0.0)};
      const TimeRecord record{line.at("race").get<int64_t>(), line.at("round").get<int64_t>(),
                              name->second, time};
      constexpr int64_t kMostRounds = 1'000'000;
      if (record.round < 0 || record.round > kMostRounds) return std::nullopt;
      if (time.lost.empty() && !(time.us > 0)) return std::nullopt;
      return record;
    }
    if (line.contains("energy")) {
      return EnergyRecord{name->second, line.at("turn").get<int64_t>(),
                          energy_from(line.at("energy"))};
    }
    return CountRecord{name->second, reading_from(line)};
  }

  RecordStore& store_;
  std::map<std::string, size_t> places_;      // of runs
  std::map<std::string, std::string> names_;  // of contenders, by id
};

Error cannot_write(const std::filesystem::path& path, int error) {
  const std::string message =
      format("cannot write the store '{}': {}; what it holds stays readable", path.string(),
             std::strerror(error));
  const bool wrong_path = error == EACCES || error == EISDIR || error == ENOENT ||
                          error == ENOTDIR || error == EROFS || error == EPERM;
  return wrong_path ? usage_error(message) : environment_error(message);
}

// All of it or an error: a short write goes on behind what was taken.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

// A line that a killed process cut off must not swallow the first one of the next run.
bool ends_in_a_cut_line(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat about {};
  char last = '\n';
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    if (::pread(file, &last, 1, about.st_size - 1) != 1) last = '\n';
  }
  ::close(file);
  return last != '\n';
}

size_t line_count(const StoredRun& run) {
  return 1 + run.records.size() + run.answers.size();
}

}  // namespace

Workload workload_from(const Document& node) {
  Workload workload;
  workload.op = parse_op(node.value("op", to_string(workload.op)));
  workload.uplo = parse_uplo(node.value("uplo", to_string(workload.uplo)));
  workload.shapes = parse_shapes(node.at("problem").get<std::string>(), workload.op);
  workload.dtype = parse_data_type(node.at("dtype").get<std::string>());
  workload.layout = parse_matrix_layout(node.at("layout").get<std::string>());
  if (node.contains("out_dtype")) {
    workload.out_dtype = parse_output_type(node.at("out_dtype").get<std::string>());
  }
  workload.bias = node.value("bias", false);
  return workload;
}

MeasuringMethod method_from(const Document& node) {
  return {.timer = node.at("timer").get<std::string>(),
          .regime = node.at("regime").get<std::string>(),
          .data = node.at("data").get<std::string>(),
          .reference = node.at("reference").get<std::string>()};
}

BuildResult build_from(const Document& node) {
  return {.reason = node.value("reason", std::string()),
          .registers = node.at("registers").get<int>(),
          .spill_bytes = node.at("spill_bytes").get<int>(),
          .smem_bytes = node.at("smem_bytes").get<int>(),
          .cached = node.at("cached").get<bool>()};
}

Verification verification_from(const Document& node) {
  return {.ok = node.at("ok").get<bool>(),
          .rel_error = node.at("rel_error").get<double>(),
          .detail = node.value("detail", std::string())};
}

EnergyReading energy_from(const Document& node) {
  if (!node.contains("joules")) return {.why_not = node.at("why_not").get<std::string>()};
  return {.energy = Energy{node.at("joules").get<double>(), node.at("us").get<double>()}};
}

Document to_document(const EnergyReading& reading) {
  if (reading.energy) return to_document(*reading.energy);
  return {{"why_not", reading.why_not}};
}

CounterReading reading_from(const Document& node) {
  CounterReading reading{std::nullopt, node.value("why_no_counters", std::string())};
  if (node.at("counters").is_object()) reading.counters = counters_from(node.at("counters"));
  return reading;
}

void add_reading(Document& node, const CounterReading& reading) {
  node["counters"] = reading.counters ? to_document(*reading.counters) : Document();
  if (!reading.why_not.empty()) node["why_no_counters"] = reading.why_not;
}

RecordStore parse_records(std::string_view text, const std::string& source) {
  RecordStore store;
  Reader reader(store);
  int64_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || reader.take(line)) continue;
    if (store.unread++ == 0) store.first_unread = number;
  }
  if (store.runs.empty() && store.unread > 0) {
    throw usage_error(
        format("{}: holds no run of schema tilewright.store/1; tune --store writes one", source));
  }
  return store;
}

std::string unread_lines(const RecordStore& store, const std::string& source) {
  return format("{}: {} line{} cut or damaged and left out, the first is line {}\n", source,
                store.unread, store.unread == 1 ? " is" : "s are", store.first_unread);
}

std::string join_stores(const std::vector<std::string>& texts,
                        const std::vector<std::string>& sources) {
  struct Owner {
    size_t store = 0;
    size_t lines = 0;
  };
  std::map<std::string, Owner> owners;
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const StoredRun& run : parse_records(texts[i], sources[i]).runs) {
      Owner& owner = owners[run.head.run];
      if (line_count(run) > owner.lines) owner = {i, line_count(run)};
    }
  }
  std::string joined;
  for (size_t i = 0; i < texts.size(); ++i) {
    RecordStore read;
    Reader reader(read);
    for (const std::string_view line : split(texts[i], '\n')) {
      if (line.empty() || !reader.take(line)) continue;
      const std::string run = Document::parse(line).at("run").get<std::string>();
      if (owners.at(run).store != i) continue;
      joined += line;
      joined += '\n';
    }
  }
  return joined;
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
  const bool cut = ends_in_a_cut_line(path_);
  constexpr mode_t kMode = 0644;
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
  if (file_ < 0) throw cannot_write(path_, errno);
  Document device = {{"uuid", head_.device_uuid}};
  device.update(to_document(head_.device));
  const Document line = {{"schema", "tilewright.store/1"},
                         {"run", head_.run},
                         {"device", device},
                         {"tool_version", head_.tool_version},
                         {"environment", head_.environment},
                         {"session", head_.session}};
  const std::string text = format("{}{}\n", cut ? "\n" : "", line.dump());
  if (const int error = write_all(file_, text)) {
    ::close(file_);
    throw cannot_write(path_, error);
  }
}

RecordFile::~RecordFile() {
  ::close(file_);
}

Document RecordFile::line_of_run() const {
  return {{"run", head_.run}, {"device", head_.device_uuid}};
}

void RecordFile::write_line(const Document& line) const {
  // One write a line: the system keeps lines of two processes apart.
  const std::string text =
      format("{}\n", line.dump(-1, ' ', false, Document::error_handler_t::replace));
  if (const int error = write_all(file_, text)) throw cannot_write(path_, error);
}

void RecordFile::tell(const Record& record) const {
  Document line = line_of_run();
  std::visit(Printer{line}, record);
  write_line(line);
}

void RecordFile::answer(const TuneEntry& entry, const MeasuringMethod& method, int64_t rounds,
                        const AnswerPlace& place) const {
  Document line = line_of_run();
  line["answer"] = to_document(entry);
  line["method"] = to_document(method, rounds);
  if (place.index >= 0) line["place"] = {place.index, place.count};
  write_line(line);
}

std::string new_run_name() {
  std::random_device random;
  std::string name;
  for (int i = 0; i < 4; ++i) name += format("{:08x}", random());
  return name;
}

}  // namespace tilewright
