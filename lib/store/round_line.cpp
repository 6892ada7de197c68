#include "store/round_line.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "store/record_fields.hpp"
#include "store/record_reader.hpp"

namespace tilewright {
namespace {

// True if all launches have the clock and the power of the first.
bool has_one_state(const RoundRecord& round) {
  const LaunchTime& first = round.times.front().second;
  return std::all_of(round.times.begin(), round.times.end(), [&first](const auto& one) {
    return one.second.sm_mhz == first.sm_mhz && one.second.watts == first.watts;
  });
}

// Schema 1 has a line for each launch.
RoundRecord single_time_from(const Document& line) {
  return {.race = line.at("race").get<int64_t>(),
          .round = line.at("round").get<int64_t>(),
          .times = {{line.at("contender").get<std::string>(), record_from<LaunchTime>(line)}}};
}

RoundRecord times_from(const Document& line) {
  RoundRecord round{.race = line.at("race").get<int64_t>(),
                    .round = line.at("round").get<int64_t>(),
                    .times = {}};
  const double sm_mhz = line.value("sm_mhz", 0.0);
  const double watts = line.value("watts", 0.0);
  for (const Document& one : line.at("times")) {
    LaunchTime time{.sm_mhz = sm_mhz, .watts = watts};
    const Document& result = one.at(1);
    if (result.is_string()) {
      time.failure = result.get<std::string>();
    } else {
      time.us = result.get<double>();
    }
    if (one.size() > 2) {
      time.sm_mhz = one.at(2).get<double>();
      time.watts = one.at(3).get<double>();
    }
    round.times.emplace_back(one.at(0).get<std::string>(), std::move(time));
  }
  return round;
}

bool is_possible(const RoundRecord& round) {
  constexpr int64_t kMaxRounds = 1'000'000;
  return round.round >= 0 && round.round <= kMaxRounds && !round.times.empty() &&
         std::all_of(round.times.begin(), round.times.end(), [](const auto& one) {
           return !one.second.failure.empty() || one.second.us > 0;
         });
}

}  // namespace

void write_round(const RoundRecord& round, Document& line) {
  line["race"] = round.race;
  line["round"] = round.round;
  const bool is_shared = has_one_state(round);
  Document times = Document::array();
  for (const auto& [contender, time] : round.times) {
    Document one = {contender_id(contender)};
    if (time.failure.empty()) {
      one.push_back(time.us);
    } else {
      one.push_back(time.failure);
    }
    if (!is_shared) {
      one.push_back(time.sm_mhz);
      one.push_back(time.watts);
    }
    times.push_back(std::move(one));
  }
  line["times"] = std::move(times);
  if (!is_shared) return;
  const LaunchTime& first = round.times.front().second;
  if (first.sm_mhz > 0) line["sm_mhz"] = first.sm_mhz;
  if (first.watts > 0) line["watts"] = first.watts;
}

std::optional<RoundRecord> round_from(const Document& line) {
  RoundRecord round = line.contains("times") ? times_from(line) : single_time_from(line);
  if (!is_possible(round)) return std::nullopt;
  return round;
}

}  // namespace tilewright
