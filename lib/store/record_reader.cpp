#include "store/record_reader.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/record_fields.hpp"
#include "store/foreign_entry.hpp"
#include "store/record_line.hpp"

namespace tilewright {
namespace {

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
ProblemPosition place_from(const Node& line) {
  const auto place = line.find("place");
  if (!place) return {};
  const std::vector<Node> values = place->items(2);
  return {.index = values[0].integer(), .count = values[1].integer()};
}

// Older stores lack the key `method`.
StoredAnswer answer_from(const Node& line, const StoredRun& run) {
  StoredAnswer answer{.entry = read_entry(line.at("answer")), .place = {}};
  if (!answer.entry.origin) {
    answer.entry.origin = origin_by_records(run);
    if (const auto method = line.find("method")) {
      answer.entry.origin->method = record_from<MeasuringMethod>(*method);
      answer.entry.origin->rounds = method->at("rounds").integer();
    }
  }
  answer.place = place_from(line);
  return answer;
}

// The version of a head's schema, the greatest integer if it does not fit; nothing for another
// schema.
std::optional<int64_t> version_of(const Node& schema) {
  if (!schema.is_text()) return std::nullopt;
  const std::string text = schema.text();
  if (!text.starts_with(kStoreSchema)) return std::nullopt;
  const std::string_view version = std::string_view(text).substr(kStoreSchema.size());
  const bool is_number =
      !version.empty() && version.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) return std::nullopt;
  return parse_count(version).value_or(std::numeric_limits<int64_t>::max());
}

// The schema of a head that a newer version wrote; empty for any other line.
std::string newer_schema_of(const Node& line) {
  const auto schema = line.is_map() ? line.find("schema") : std::nullopt;
  const bool is_newer = schema && version_of(*schema).value_or(kStoreVersion) > kStoreVersion;
  return is_newer ? schema->text() : "";
}

void require_known(const Node& line, const std::string& source, int64_t number) {
  const std::string newer = newer_schema_of(line);
  if (newer.empty()) return;
  throw usage_error(
      format("{}: line {} has the schema {}, and this version reads {}{}: use the tilewright that "
             "wrote it, or a newer one",
             source, number, newer, kStoreSchema, kStoreVersion));
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
  const auto line = Node::find_json(text, "", 1);
  if (!line || !line->is_map()) return;
  const auto keep = [&names](const Node& name) {
    if (name.is_text()) names[contender_id(name.text())] = name.text();
  };
  const auto config = line->find("config");
  if (config && line->find("build")) keep(*config);
  const auto references = line->find("references");
  if (!references || !references->is_list()) return;
  for (const Node& name : references->items()) keep(name);
}

}  // namespace

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
    if (!holds(line, head)) return;
    if (const auto node = Node::find_json(line, source, 1)) require_known(*node, source, number);
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
  const auto parsed = Node::find_json(text, source_, static_cast<int>(number_));
  if (!parsed || !parsed->is_map()) return false;
  const Node& line = *parsed;
  if (may_be_newer) {
    // Another version may compute checksums in another way.
    if (newer_schema_.empty()) newer_schema_ = newer_schema_of(line);
    return false;
  }
  require_known(line, source_, number_);
  const bool is_checked = check == LineCheck::Right;
  try {
    const bool is_taken = line.find("schema") ? begin_run(line, is_checked) : add(line, is_checked);
    if (!is_taken) return false;
  } catch (const Error& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    return false;
  }
  if (!is_checked) ++unchecked_;
  copies_[last_].lines.push_back(text);
  return is_read_;
}

bool RecordReader::begin_run(const Node& line, bool is_checked) {
  const int64_t version = version_of(line.at("schema")).value_or(0);
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

bool RecordReader::add(const Node& line, bool is_checked) {
  // Tested first, so that a large text without runs does not throw an exception for each line.
  const auto run = line.find("run");
  if (!run) return false;
  const auto place = places_.find(run->text());
  if (place == places_.end()) return false;
  last_ = place->second;
  RunCopy& copy = copies_[last_];
  if (copy.is_checked && !is_checked) return false;
  if (copy.run.head.device_uuid != line.at("device").text()) return false;
  is_read_ = true;
  if (line.find("answer")) {
    copy.run.answers.push_back(answer_from(line, copy.run));
    if (kept_ == KeptRecords::Unanswered) {
      drop_records(copy.run, copy.run.answers.back().entry.problem);
    }
    return true;
  }
  if (const auto foreign = line.find("foreign_answer")) {
    copy.run.foreign.push_back({.entry = read_foreign_entry(*foreign), .place = place_from(line)});
    return true;
  }
  // A complete line about a problem or a contender that the text does not introduce is not a
  // record. The line is kept, because another store may introduce it.
  std::optional<Record> record = record_from_line(line);
  is_read_ = record && name_contenders(*record);
  if (record && std::holds_alternative<ProblemRecord>(*record)) {
    copy.problem = problem_id(std::get<ProblemRecord>(*record).problem);
  }
  const auto of = line.find("of");
  if (of && of->text() != copy.problem) is_read_ = false;
  if (is_read_) copy.run.records.push_back(std::move(*record));
  return record.has_value();
}

// Replaces the ids of contenders by their names; returns false for an unknown id.
bool RecordReader::name_contenders(Record& record) const {
  const auto name = [this](std::string& contender) {
    const auto known = names_.find(contender);
    if (known != names_.end()) contender = known->second;
    return known != names_.end();
  };
  if (auto* const round = std::get_if<RoundRecord>(&record)) {
    return std::all_of(round->times.begin(), round->times.end(),
                       [&name](auto& one) { return name(one.first); });
  }
  if (auto* const count = std::get_if<CountRecord>(&record)) return name(count->contender);
  if (auto* const energy = std::get_if<EnergyRecord>(&record)) return name(energy->contender);
  return true;
}

}  // namespace tilewright
