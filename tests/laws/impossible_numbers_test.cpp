// Every number of every file: a value that it cannot have is refused with its place.

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "answer/answers_text.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "store/baseline.hpp"
#include "store/best_table.hpp"
#include "store/gate_history.hpp"
#include "store/record_line.hpp"
#include "store/record_store.hpp"
#include "support/artefacts.hpp"
#include "support/block_answers.hpp"
#include "support/error_message.hpp"
#include "support/shipped_table.hpp"
#include "worker/messages.hpp"

namespace tilewright {
namespace {

using testing::contains;

// A number of a text: where it stands, and the key before it.
struct Place {
  size_t begin = 0;
  size_t length = 0;
  int64_t line = 1;
  std::string key;
};

// True behind an odd number of quotes.
bool is_quoted(const std::string& before) {
  bool quoted = false;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == '\\') {
      ++i;
    } else if (before[i] == '"') {
      quoted = !quoted;
    }
  }
  return quoted;
}

// The numbers behind "key: " and in the list behind it, of YAML or JSON.
std::vector<Place> numbers_in(const std::string& text) {
  static const std::regex kKey(R"re("?([a-z0-9_]+)"?: ?)re");
  static const std::regex kNumber(
      R"re((: ?|\[|, ?)(-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?)(?=[,\]}\n]))re");
  std::vector<Place> places;
  size_t begin = 0;
  int64_t number = 0;
  for (const std::string_view view : split(text, '\n')) {
    ++number;
    const std::string line = std::string(view) + "\n";
    for (std::sregex_iterator at(line.begin(), line.end(), kNumber), end; at != end; ++at) {
      const auto offset = static_cast<size_t>(at->position(2));
      std::string key;
      const std::string before = line.substr(0, offset);
      if (is_quoted(before)) continue;
      for (std::sregex_iterator k(before.begin(), before.end(), kKey), none; k != none; ++k) {
        key = (*k)[1];
      }
      places.push_back({begin + offset, static_cast<size_t>(at->length(2)), number, key});
    }
    begin += line.size();
  }
  return places;
}

// A time or a ratio, by which something is divided; a part of a predicted time may be 0.
bool is_divisor(const std::string& key) {
  if (key == "tensor_us" || key == "l2_us" || key == "dram_us") return false;
  return key == "us" || key.ends_with("_us") || key.starts_with("ratio") ||
         key.ends_with("ratio") || key.ends_with("ratio_ci");
}

// The complaint about a text whose number at `place` is another.
std::string complaint(std::string text, const Place& place, const std::string& value,
                      const std::function<void(const std::string&)>& read) {
  text.replace(place.begin, place.length, value);
  return testing::error_message_of([&] { read(text); });
}

// Checks all numbers of a text; `source` is the file's name in messages.
void check_numbers(const std::string& text, const std::string& source,
                   const std::vector<std::string>& none,
                   const std::function<void(const std::string&)>& read) {
  REQUIRE_NOTHROW(read(text));
  const std::vector<Place> places = numbers_in(text);
  for (const Place& place : places) {
    std::vector<std::string> impossible = none;
    if (is_divisor(place.key)) impossible.push_back("0");
    for (const std::string& value : impossible) {
      const std::string said = complaint(text, place, value, read);
      // A config is refused as a whole.
      if (contains(said, ".choice: ") || contains(said, "onfig: ")) continue;
      CHECK_MESSAGE(contains(said, format("{}:{}: ", source, place.line)), place.key, " = ", value,
                    ": ", said);
      // A number beyond the largest one ends the reading of JSON before there is a key.
      if (contains(said, "is not JSON of finite numbers")) continue;
      CHECK_MESSAGE(contains(said, place.key), value, ": ", said);
    }
  }
}

const std::vector<std::string> kNoYaml = {"-5", ".nan", "nan", ".inf", "-.inf", "1e999"};

TEST_CASE("an artefact with an impossible number is refused, with file, line and key") {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    check_numbers(print_best(testing::ArtefactMaker(seed).artefact()), "best.yaml", kNoYaml,
                  [](const std::string& text) { parse_best(text, "best.yaml"); });
  }
}

TEST_CASE("a baseline with an impossible number is refused, with file, line and key") {
  Baseline baseline;
  baseline.tool_version = "0.1.0";
  CaseNumbers numbers{
      "a", workload_of({{512, 512, 256}}), testing::ArtefactMaker(1).config(), {}, {}};
  for (const GateMode mode : {GateMode::Static, GateMode::Baseline}) {
    baseline.mode = mode;
    numbers.exact.reset();
    numbers.measured.reset();
    if (mode == GateMode::Static) {
      numbers.exact = StaticNumbers{4, 1, 1, {}, {}, {}};
      numbers.exact->complete = true;
      numbers.exact->walk = "walk";
      numbers.exact->prices = "prices";
      numbers.exact->predicted = PredictedNumbers{12.5, 1e6, 2e6};
      numbers.exact->compiled = CompilerNumbers{168, 0, 213000};
    } else {
      numbers.measured = MeasuredNumbers{12.5, "cublasLt", 13.5, {1.08, {1.07, 1.09}}, 25};
    }
    baseline.cases = {numbers};
    check_numbers(print_baseline(baseline), "b.yaml", kNoYaml,
                  [](const std::string& text) { parse_baseline(text, "b.yaml"); });
  }
}

TEST_CASE("a history with an impossible number is refused, with file, line and key") {
  HistoryRun run{1767225600, "c", "main", "s.yaml", "baseline", "NVIDIA H200", {}};
  run.cases = {{"a", "pass", {{"ratio", 1.5}, {"ratio_low", 1.4}, {"median_us", 12.5}}},
               {"b", "pass", {{"predicted_us", 12.5}, {"dram_read_bytes", 4e6}, {"waves", 2.0}}}};
  check_numbers(print_history(run), "h.jsonl", {"-5", "1e999", "null", "\"1\""},
                [](const std::string& text) { parse_history(text, "h.jsonl"); });
}

TEST_CASE("a shipped answer with an impossible time is refused, with its line") {
  const std::vector<TunedFile> files = {testing::tuned_file("h200-fp8.yaml")};
  const std::string text = print_answers(shipped_answers(files));
  // Times of rows and pins; a rate of the device may be 0.
  static const std::regex kTime(R"( (predicted_us|first_us|us)=([0-9.e+-]+))");
  std::map<std::string, int64_t> counts;
  for (std::sregex_iterator at(text.begin(), text.end(), kTime), end; at != end; ++at) {
    for (const char* const value : {"-5", "0", "nan", "inf", "1e999"}) {
      std::string changed = text;
      changed.replace(static_cast<size_t>(at->position(2)), static_cast<size_t>(at->length(2)),
                      value);
      const std::string body = changed.substr(0, changed.rfind("\nend ") + 1);
      changed = format("{}end {:016x}\n", body, hash_number(body));
      const std::string said = testing::error_message_of([&] { parse_answers(changed); });
      CHECK_MESSAGE(contains(said, "answers, line "), value, ": ", said);
      ++counts[(*at)[1]];
    }
  }
  for (const char* const key : {"predicted_us", "first_us", "us"}) CHECK(counts[key] > 0);
}

TEST_CASE("a worker's message with an impossible number is refused, with its key") {
  const auto check = [](const Document& good, const auto& read) {
    const auto read_back = [&read](const Document& document) {
      read(Node::parse_json(document.dump(), "a message"));
    };
    REQUIRE_NOTHROW(read_back(good));
    for (const auto& item : good.items()) {
      if (!item.value().is_number() && !item.value().is_array()) continue;
      for (const double value : {-5.0, 0.0}) {
        if (value == 0 && !is_divisor(item.key())) continue;
        Document bad = good;
        bad[item.key()] =
            item.value().is_array() ? Document::array({value, value}) : Document(value);
        const std::string said = testing::error_message_of([&] { read_back(bad); });
        CHECK_MESSAGE(contains(said, item.key()), item.key(), " = ", value, ": ", said);
      }
    }
  };
  check(to_document(LaunchTime{.us = 3, .sm_mhz = 1500, .watts = 600}),
        [](const Node& node) { record_from<LaunchTime>(node); });
  check(to_document(Timing{3, {2, 4}, 5, 6, 7}),
        [](const Node& node) { record_from<Timing>(node); });
  check(to_document(EnergyReading{.energy = Energy{3, 4}, .why_not = ""}),
        [](const Node& node) { record_from<EnergyReading>(node); });
  check(to_document(Verification{true, 1e-3, ""}),
        [](const Node& node) { record_from<Verification>(node); });
  check(to_document(Counters{1, 2, 3, 4, 5, 6}),
        [](const Node& node) { record_from<Counters>(node); });
  check(to_document(BuildResult{"", 168, 8, 1000, false}),
        [](const Node& node) { record_from<BuildResult>(node); });
}

}  // namespace
}  // namespace tilewright
