#include "store/record_line.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "record/record_fields.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kCheckKey = ",\"check\":\"";
constexpr std::string_view kLineEnd = "\"}";
// The length of a hash_text(); with 64 bits damage practically never goes unnoticed
constexpr size_t kDigits = 16;

std::string checksum_of(std::string_view text) {
  return hash_text(text).substr(0, kDigits);
}

constexpr std::array kHeadDevice = {always<&RunHead::device_uuid>("uuid"),
                                    part<&RunHead::device>()};

// The contender of a measurement, of which a line has the id.
template <auto Contender, class M = MemberPath<Contender>>
constexpr Field<typename M::Record> contender_of() {
  using Whole = typename M::Record;
  return {.key = "contender",
          .is_required = true,
          .is_set = M::is_always,
          .written = [](const Whole& record) -> Document { return contender_id(*M::find(record)); },
          .read = M::read};
}

// True if all launches have the clock and the power of the first.
bool has_one_state(const RoundRecord& round) {
  const LaunchTime& first = round.times.front().second;
  return std::all_of(round.times.begin(), round.times.end(), [&first](const auto& one) {
    return one.second.sm_mhz == first.sm_mhz && one.second.watts == first.watts;
  });
}

// A list of [contender, us] or [contender, why it was lost]; the clock and the power follow where
// they are not the round's.
Document times_document(const RoundRecord& round) {
  const bool is_shared = has_one_state(round);
  Document times = Document::array();
  for (const auto& [contender, time] : round.times) {
    Document one = {contender_id(contender)};
    one.push_back(time.failure.empty() ? Document(time.us) : Document(time.failure));
    if (!is_shared) {
      one.push_back(time.sm_mhz);
      one.push_back(time.watts);
    }
    times.push_back(std::move(one));
  }
  return times;
}

// A number of the round's launches, written if it is that of all of them.
template <auto Number>
constexpr Field<RoundRecord> shared(std::string_view key) {
  return {.key = key,
          .is_required = false,
          .is_set =
              [](const RoundRecord& round) {
                return has_one_state(round) && round.times.front().second.*Number > 0;
              },
          .written = [](const RoundRecord& round) -> Document {
            return round.times.front().second.*Number;
          },
          .read =
              [](const Node& node, RoundRecord& round) {
                for (auto& one : round.times) {
                  if (one.second.*Number == 0) one.second.*Number = node.number();
                }
              }};
}

void read_times(const Node& node, RoundRecord& round) {
  for (const Node& one : node.items()) {
    const std::vector<Node> values = one.items();
    if (values.size() != 2 && values.size() != 4) throw one.fail("has neither 2 nor 4 items");
    LaunchTime time;
    if (values[1].is_text()) {
      time.failure = values[1].text();
    } else {
      time.us = values[1].number();
    }
    if (values.size() == 4) {
      time.sm_mhz = values[2].number();
      time.watts = values[3].number();
    }
    round.times.emplace_back(values[0].text(), std::move(time));
  }
}

bool is_possible(const RoundRecord& round) {
  constexpr int64_t kMaxRounds = 1'000'000;
  return round.round <= kMaxRounds && !round.times.empty() &&
         std::all_of(round.times.begin(), round.times.end(), [](const auto& one) {
           return !one.second.failure.empty() || one.second.us > 0;
         });
}

}  // namespace

template <>
constexpr auto kFields<RunHead> = std::array{
    derived<RunHead>(
        "schema",
        [](const RunHead&) { return Document(format("{}{}", kStoreSchema, kStoreVersion)); }),
    always<&RunHead::run>("run"),
    map_of<RunHead, kHeadDevice>("device"),
    always<&RunHead::tool_version>("tool_version"),
    always<&RunHead::environment>("environment"),
    always<&RunHead::session>("session"),
    when_set<&RunHead::began>("began"),
};

template <>
constexpr auto kFields<ProblemRecord> = std::array{
    always<&ProblemRecord::problem>("problem"),
    Field<ProblemRecord>{"method", true, MemberPath<&ProblemRecord::method>::is_always,
                         [](const ProblemRecord& record) { return to_document(record.method, 0); },
                         [](const Node& node, ProblemRecord& record) {
                           record.method = record_from<MeasuringMethod>(node);
                         }}};

// Earlier versions did not write the library's algorithms.
template <>
constexpr auto kFields<ReferencesRecord> =
    std::array{always<&ReferencesRecord::names>("references"),
               when_set<&ReferencesRecord::library>("library")};

template <>
constexpr auto kFields<BuildRecord> =
    std::array{always<&BuildRecord::config>("config"), always<&BuildRecord::result>("build")};

template <>
constexpr auto kFields<VerifyRecord> = std::array{
    always<&VerifyRecord::config>("config"), when_set<&VerifyRecord::in_round>("in_round"),
    derived<VerifyRecord>("status",
                          [](const VerifyRecord& record) -> Document {
                            if (!record.verification) return "failed";
                            return record.verification->ok ? "ok" : "wrong";
                          }),
    when_set<&VerifyRecord::verification>("verified"),
    when<&VerifyRecord::failure>("failure",
                                 [](const VerifyRecord& record) { return !record.verification; })};

template <>
constexpr auto kFields<RaceRecord> = std::array{always<&RaceRecord::race>("race_ended")};

template <>
constexpr auto kFields<RoundRecord> =
    std::array{always<&RoundRecord::race>("race"), always<&RoundRecord::round>("round"),
               Field<RoundRecord>{.key = "times",
                                  .is_required = true,
                                  .is_set = MemberPath<&RoundRecord::times>::is_always,
                                  .written = times_document,
                                  .read = read_times},
               shared<&LaunchTime::sm_mhz>("sm_mhz"), shared<&LaunchTime::watts>("watts")};

template <>
constexpr auto kFields<CountRecord> =
    std::array{contender_of<&CountRecord::contender>(), part<&CountRecord::reading>()};

template <>
constexpr auto kFields<EnergyRecord> = std::array{contender_of<&EnergyRecord::contender>(),
                                                  always<&EnergyRecord::reading_index>("turn"),
                                                  always<&EnergyRecord::reading>("energy")};

std::string contender_id(const std::string& contender) {
  return hash_text(contender).substr(0, 16);
}

std::string problem_id(const Workload& problem) {
  return hash_text(full_text(problem)).substr(0, 8);
}

Document head_line(const RunHead& head) {
  return to_document(head);
}

RunHead head_from(const Node& line) {
  return record_from<RunHead>(line);
}

void write_record(const Record& record, Document& line) {
  std::visit([&line](const auto& one) { write_fields(one, line); }, record);
}

std::optional<Record> record_from_line(const Node& line) {
  if (line.find("method")) return record_from<ProblemRecord>(line);
  if (line.find("references")) return record_from<ReferencesRecord>(line);
  if (line.find("build")) return record_from<BuildRecord>(line);
  if (line.find("race_ended")) return record_from<RaceRecord>(line);
  if (line.find("config")) {
    auto record = record_from<VerifyRecord>(line);
    if (!line.find("failure")) (void)line.at("verified");
    return record;
  }
  if (line.find("round")) {
    RoundRecord round;
    if (line.find("times")) {
      read_fields(line, round);
    } else {
      // Schema 1 has a line for each launch.
      read_fields(line, round, Fields<RoundRecord>(kFields<RoundRecord>).first(2));
      round.times = {{line.at("contender").text(), record_from<LaunchTime>(line)}};
    }
    return is_possible(round) ? std::optional<Record>(std::move(round)) : std::nullopt;
  }
  if (line.find("energy")) return record_from<EnergyRecord>(line);
  return record_from<CountRecord>(line);
}

std::string store_line(const Document& object) {
  std::string line = object.dump(-1, ' ', false, Document::error_handler_t::replace);
  line.pop_back();
  const std::string checksum = checksum_of(line);
  return line.append(kCheckKey).append(checksum).append(kLineEnd).append("\n");
}

LineCheck check_line(std::string_view line) {
  constexpr size_t kSize = kCheckKey.size() + kDigits + kLineEnd.size();
  if (line.size() <= kSize) return LineCheck::Missing;
  const std::string_view object = line.substr(0, line.size() - kSize);
  const std::string_view check = line.substr(object.size());
  if (!check.starts_with(kCheckKey) || !check.ends_with(kLineEnd)) return LineCheck::Missing;
  const bool is_right = check.substr(kCheckKey.size(), kDigits) == checksum_of(object);
  return is_right ? LineCheck::Right : LineCheck::Wrong;
}

}  // namespace tilewright
