#include "store/record_reader.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/foreign_entry.hpp"
#include "store/record_fields.hpp"
#include "store/round_line.hpp"
#include "store/store_line.hpp"

namespace tilewright {
namespace {

RunHead head_from(const Document& line) {
  const Document& d = line.at("device");
  return {.run = line.at("run").get<std::string>(),
          .device_uuid = d.at("uuid").get<std::string>(),
          .device = record_from<DeviceFingerprint>(d),
          .tool_version = line.at("tool_version").get<std::string>(),
          .environment = line.at("environment").get<std::string>(),
          .session = line.at("session").get<std::string>(),
          .began = line.value("began", std::string())};
}

// The origin of an answer that has none of its own: the method of the run's last problem and the
// most rounds of any race.
Origin origin_by_records(const StoredRun& run) {
  Origin origin;
  origin.tool_version = run.head.tool_version;
  origin.software = software_of(run.head.environment);
  for (const Record& record : run.records) {
    if (const auto* const problem = std::get_if<ProblemRecord>(&record)) {
      origin.method = problem->method;
    }
    if (const auto* const round = std::get_if<RoundRecord>(&record)) {
      origin.rounds = std::max(origin.rounds, round->round + 1);
    }
  }
  return origin;
}

// Older stores lack it.
ProblemPosition place_from(const Document& line) {
  if (!line.contains("place")) return {};
  return {.index = line.at("place").at(0).get<int64_t>(),
          .count = line.at("place").at(1).get<int64_t>()};
}

// Older stores lack the key `method`.
StoredAnswer answer_from(const Document& line, const StoredRun& run) {
  StoredAnswer answer{.entry = entry_from(line.at("answer")), .place = {}};
  if (!answer.entry.origin) {
    answer.entry.origin = origin_by_records(run);
    if (line.contains("method")) {
      answer.entry.origin->method = record_from<MeasuringMethod>(line.at("method"));
      answer.entry.origin->rounds = line.at("method").at("rounds").get<int64_t>();
    }
  }
  answer.place = place_from(line);
  return answer;
}

// The version of a head's schema, the greatest integer if it does not fit; nothing for another
// schema.
std::optional<int64_t> version_of(const Document& line) {
  const Document& schema = line.at("schema");
  if (!schema.is_string()) return std::nullopt;
  const std::string_view text = schema.get_ref<const std::string&>();
  if (!text.starts_with(kStoreSchema)) return std::nullopt;
  const std::string_view version = text.substr(kStoreSchema.size());
  const bool is_number =
      !version.empty() && version.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) return std::nullopt;
  return parse_count(version).value_or(std::numeric_limits<int64_t>::max());
}

// The schema of a head that a newer version wrote; empty for any other line.
std::string newer_schema_of(const Document& line) {
  if (!line.is_object() || !line.contains("schema")) return "";
  const bool is_newer = version_of(line).value_or(kStoreVersion) > kStoreVersion;
  return is_newer ? line.at("schema").get<std::string>() : "";
}

void require_known(const Document& line, const std::string& source, int64_t number) {
  const std::string newer = newer_schema_of(line);
  if (newer.empty()) return;
  throw usage_error(
      format("{}: line {} has the schema {}, and this version reads {}{}: use the tilewright that "
             "wrote it, or a newer one",
             source, number, newer, kStoreSchema, kStoreVersion));
}

Record verification_of(const Document& line) {
  VerifyRecord record{.config = line.at("config").get<std::string>(),
                      .in_round = line.value("in_round", false)};
  if (line.contains("failure")) {
    record.failure = line.at("failure").get<std::string>();
  } else {
    record.verification = record_from<Verification>(line.at("verified"));
  }
  return record;
}

// An energy or counters of a contender.
Record reading_from(const Document& line, const std::string& contender) {
  if (line.contains("energy")) {
    return EnergyRecord{contender, line.at("turn").get<int64_t>(),
                        record_from<EnergyReading>(line.at("energy"))};
  }
  return CountRecord{contender, record_from<CounterReading>(line)};
}

// Editors of other systems end lines with CR LF.
std::string_view without_return(std::string_view line) {
  return line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
}

// Calls take(line) for each line, without its line break. A list of the lines could be larger than
// the text.
template <typename Take>
void for_each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    take(without_return(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Removes the records of a problem, from its last one on.
void drop_records(StoredRun& run, const Workload& problem) {
  const auto is_of = [&problem](const Record& record) {
    const auto* const begin = std::get_if<ProblemRecord>(&record);
    return begin != nullptr && begin->problem == problem;
  };
  const auto last = std::find_if(run.records.rbegin(), run.records.rend(), is_of);
  if (last == run.records.rend()) return;
  const auto first = std::prev(last.base());
  const auto end = std::find_if(std::next(first), run.records.end(), [](const Record& record) {
    return std::holds_alternative<ProblemRecord>(record);
  });
  run.dropped += std::distance(first, end);
  run.records.erase(first, end);
}

bool holds(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

void read_names_of(std::string_view text, ContenderNames& names) {
  const bool may_name = holds(text, "\"build\":") || holds(text, "\"references\":");
  if (!may_name || check_line(text) == LineCheck::Wrong) return;
  const Document line = Document::parse(text, nullptr, false);
  if (!line.is_object()) return;
  const auto keep = [&names](const Document& name) {
    if (!name.is_string()) return;
    const auto& known = name.get_ref<const std::string&>();
    names[contender_id(known)] = known;
  };
  if (line.contains("config") && line.contains("build")) keep(line.at("config"));
  if (!line.contains("references") || !line.at("references").is_array()) return;
  for (const Document& name : line.at("references")) keep(name);
}

}  // namespace

std::string contender_id(const std::string& contender) {
  return hash_text(contender).substr(0, 16);
}

std::string problem_id(const Workload& problem) {
  return hash_text(full_text(problem)).substr(0, 8);
}

// A separate pass, because another run may introduce a contender, and lines may be in any order.
void read_names(std::string_view text, ContenderNames& names) {
  for_each_line(text, [&names](std::string_view line) { read_names_of(line, names); });
}

void require_store(std::string_view text, const std::string& source) {
  const std::string head = format("\"schema\":\"{}", kStoreSchema);
  if (!holds(text, head)) {
    if (("{" + head).starts_with(text)) return;
    throw usage_error(
        format("'{}' is not a store: none of its lines has the schema {}{}; name another file, or "
               "a new one",
               source, kStoreSchema, kStoreVersion));
  }
  int64_t number = 0;
  for_each_line(text, [&](std::string_view line) {
    ++number;
    if (holds(line, head)) require_known(Document::parse(line, nullptr, false), source, number);
  });
}

RecordReader::RecordReader(std::string_view text, std::string source, const ContenderNames& names,
                           KeptRecords kept)
    : source_(std::move(source)), names_(names), kept_(kept) {
  for_each_line(text, [this](std::string_view line) {
    ++number_;
    if (!line.empty() && !take(line) && unread_++ == 0) first_unread_ = number_;
  });
}

std::vector<RunCopy> RecordReader::take_runs() {
  std::vector<RunCopy> runs;
  std::map<std::string, size_t> places;
  for (RunCopy& copy : copies_) {
    const auto [at, is_new] = places.emplace(copy.run.head.run, runs.size());
    if (is_new) {
      runs.push_back(std::move(copy));
    } else if (runs[at->second].is_shorter_than(copy)) {
      runs[at->second] = std::move(copy);
    }
  }
  return runs;
}

// Returns false for a line that is not a record.
bool RecordReader::take(std::string_view text) {
  if (!holds(text, "\"run\"") && !holds(text, "\"schema\"")) return false;
  const LineCheck check = check_line(text);
  const bool may_be_newer = check == LineCheck::Wrong && holds(text, kStoreSchema);
  if (check == LineCheck::Wrong && !may_be_newer) return false;
  const Document line = Document::parse(text, nullptr, false);
  if (!line.is_object()) return false;
  if (may_be_newer) {
    // Another version may compute checksums in another way.
    if (newer_schema_.empty()) newer_schema_ = newer_schema_of(line);
    return false;
  }
  require_known(line, source_, number_);
  const bool is_checked = check == LineCheck::Right;
  try {
    const bool is_taken =
        line.contains("schema") ? begin_run(line, is_checked) : add(line, is_checked);
    if (!is_taken) return false;
  } catch (const Document::exception&) {
    return false;
  } catch (const Error& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    return false;
  }
  if (!is_checked) ++unchecked_;
  copies_[last_].lines.push_back(text);
  return is_read_;
}

bool RecordReader::begin_run(const Document& line, bool is_checked) {
  const int64_t version = version_of(line).value_or(0);
  if (version < 1 || version > kStoreVersion) return false;
  last_ = copies_.size();
  RunCopy copy{.run = {.head = head_from(line), .records = {}, .answers = {}},
               .is_checked = is_checked,
               .lines = {}};
  places_[copy.run.head.run] = last_;
  copies_.push_back(std::move(copy));
  is_read_ = true;
  return true;
}

bool RecordReader::add(const Document& line, bool is_checked) {
  // Tested first, so that a large text without runs does not throw an exception for each line.
  if (!line.contains("run")) return false;
  const auto place = places_.find(line.at("run").get<std::string>());
  if (place == places_.end()) return false;
  last_ = place->second;
  RunCopy& copy = copies_[last_];
  if (copy.is_checked && !is_checked) return false;
  if (copy.run.head.device_uuid != line.at("device").get<std::string>()) return false;
  is_read_ = true;
  if (line.contains("answer")) {
    copy.run.answers.push_back(answer_from(line, copy.run));
    if (kept_ == KeptRecords::Unanswered) {
      drop_records(copy.run, copy.run.answers.back().entry.problem);
    }
    return true;
  }
  if (line.contains("foreign_answer")) {
    copy.run.foreign.push_back(
        {.entry = foreign_entry_from(line.at("foreign_answer")), .place = place_from(line)});
    return true;
  }
  // A complete line about a problem or a contender that the text does not introduce is not a
  // record. The line is kept, because another store may introduce it.
  has_unknown_contender_ = false;
  std::optional<Record> record = record_of(line);
  if (record && std::holds_alternative<ProblemRecord>(*record)) {
    copy.problem = problem_id(std::get<ProblemRecord>(*record).problem);
  }
  is_read_ = record && line.value("of", copy.problem) == copy.problem;
  if (is_read_) copy.run.records.push_back(std::move(*record));
  return record || has_unknown_contender_;
}

std::optional<Record> RecordReader::record_of(const Document& line) {
  if (line.contains("method")) {
    return ProblemRecord{workload_from(line.at("problem")),
                         record_from<MeasuringMethod>(line.at("method"))};
  }
  if (line.contains("references")) {
    ReferencesRecord record{.names = line.at("references").get<std::vector<std::string>>()};
    // Earlier versions did not write it.
    if (line.contains("library"))
      record.library = record_from<LibraryAlgorithms>(line.at("library"));
    return record;
  }
  if (line.contains("build")) {
    return BuildRecord{line.at("config").get<std::string>(),
                       record_from<BuildResult>(line.at("build"))};
  }
  if (line.contains("race_ended")) return RaceRecord{line.at("race_ended").get<int64_t>()};
  return line.contains("config") ? verification_of(line) : measurement_of(line);
}

std::optional<Record> RecordReader::round_of(const Document& line) {
  std::optional<RoundRecord> round = round_from(line);
  if (!round) return std::nullopt;
  for (auto& one : round->times) {
    const auto known = names_.find(one.first);
    has_unknown_contender_ = known == names_.end();
    if (has_unknown_contender_) return std::nullopt;
    one.first = known->second;
  }
  return *std::move(round);
}

std::optional<Record> RecordReader::measurement_of(const Document& line) {
  if (line.contains("round")) return round_of(line);
  // Other errors in a line do not depend on the name.
  const auto known = names_.find(line.at("contender").get<std::string>());
  const std::string name = known == names_.end() ? "" : known->second;
  Record record = reading_from(line, name);
  has_unknown_contender_ = known == names_.end();
  if (has_unknown_contender_) return std::nullopt;
  return record;
}

}  // namespace tilewright
