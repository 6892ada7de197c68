#include "store/suite.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "record/kind_fields.hpp"
#include "record/node.hpp"
#include "store/preset_path.hpp"

namespace tilewright {
namespace {

constexpr SuiteKey kSuiteKeys[] = {
    {"schema", "tilewright.suite/1", "schema: tilewright.suite/1"},
    {"about", "a sentence for readers", "about: the shapes of our decoder"},
    {"threshold",
     "the percentage by which a time or a ratio may get worse, 1.5 or 1.5%; default: 1",
     "threshold: 1.5%"},
    {"judge",
     "the numbers that may fail a case: time, dram, waves, spills, proof, ratio; default: proof "
     "alone, which always may",
     "judge: [time, spills, proof, ratio]"},
    {"trade", "time: a shorter time excuses more bytes and waves (the default); none: it does not",
     "trade: none"},
    {"waivers", "known regressions: a list of case, number, until, reason", "waivers: []"},
    {"cases", "the list of cases", "cases: []"}};
constexpr SuiteKey kCaseKeys[] = {
    {"name", "of the case, unique in a suite", "name: cube-4096"},
    {"problem", "MxNxK, or several separated by commas for a group", "problem: 4096x4096x4096"},
    {"config", "key=value,...; the model chooses the keys that are not given",
     "config: cta=128x256x64,stages=4"},
    {"harness",
     "FILE[:axis=value,...] instead of config: a foreign kernel, for --mode ab --against-build OLD "
     "and for --mode reference",
     "harness: build/my_gemm.so:tile_m=128"},
    {"threshold", "replaces the suite's; --threshold replaces both", "threshold: 1"},
    {"judge", "replaces the suite's", "judge: [time]"},
    {"op", "gemm (the default), syrk, syr2k or her2k", "op: gemm"},
    {"uplo", "of a rank-k update: lower (the default), upper or full", "uplo: lower"}};
constexpr SuiteKey kWaiverKeys[] = {
    {"case", "the name of a case", "case: cube-4096"},
    {"number",
     "the number that may be worse, by its name in a report; never a proof or a wrong result",
     "number: dram_read_bytes"},
    {"until", "the last day, in UTC, of the waiver", "until: 2026-12-31"},
    {"reason", "the reason; every report prints it", "reason: the fix is in review"}};

std::vector<std::string_view> names_of(std::span<const SuiteKey> keys) {
  std::vector<std::string_view> names;
  names.reserve(keys.size());
  for (const SuiteKey& key : keys) names.push_back(key.key);
  return names;
}

// "1.5" or "1.5%".
double read_percent(const Node& node) {
  const std::string text = node.text();
  if (!text.ends_with('%')) return node.positive();
  const std::optional<double> percent = parse_percent(text);
  if (percent && *percent > 0) return *percent;
  throw node.fail(format("'{}' is no percentage above 0, such as 1 or 1%", text));
}

// Returns `rules`, replaced where `node` has its own.
CaseRules read_rules(const Node& node, CaseRules rules) {
  if (const auto threshold = node.find("threshold")) {
    const double percent = read_percent(*threshold);
    if (percent >= 100) throw threshold->fail(format("{} is not below 100 percent", percent));
    rules.threshold = percent / 100;
  }
  const auto judge = node.find("judge");
  if (!judge) return rules;
  rules.judge.clear();
  for (const Node& item : judge->items()) {
    const std::string name = item.text();
    if (std::find(std::begin(kJudged), std::end(kJudged), name) == std::end(kJudged)) {
      throw item.fail(format("'{}'{}; the numbers are {}", name, did_you_mean(name, kJudged),
                             join_words(kJudged, "and")));
    }
    rules.judge.push_back(name);
  }
  if (rules.judge.empty()) throw judge->fail("has no number that can fail");
  return rules;
}

CaseRules read_suite_rules(const Node& file) {
  CaseRules rules = read_rules(file, {});
  if (const auto trade = file.find("trade")) {
    const std::string text = trade->text();
    if (text != "time" && text != "none")
      throw trade->fail(format("'{}' is not time or none", text));
    rules.time_decides = text == "time";
  }
  return rules;
}

SuiteCase read_case(const Node& node, const CaseRules& suite) {
  node.allow_only(names_of(case_keys()));
  SuiteCase read;
  read.name = read_name(node.at("name"));
  read.problem = read_workload(node);
  read.rules = read_rules(node, suite);
  read.line = node.line();
  if (const auto config = node.find("config")) {
    read.config = config->parsed_by([](const std::string& text) { return parse_config(text); });
  }
  if (const auto harness = node.find("harness")) {
    read.harness = harness->text();
    if (node.find("config"))
      throw harness->fail("excludes config: only one of them can define what runs");
  }
  return read;
}

Waiver read_waiver(const Node& node, const std::unordered_set<std::string>& cases) {
  node.allow_only(names_of(kWaiverKeys));
  Waiver waiver;
  waiver.case_name = node.at("case").text();
  if (!cases.contains(waiver.case_name)) {
    throw node.at("case").fail(format("the suite has no case '{}'", waiver.case_name));
  }
  waiver.number = node.at("number").text();
  const std::span<const std::string_view> numbers = waivable_numbers();
  if (std::find(numbers.begin(), numbers.end(), waiver.number) == numbers.end()) {
    throw node.at("number").fail(format("'{}' cannot be waived{}; the numbers that can be are {}",
                                        waiver.number, did_you_mean(waiver.number, numbers),
                                        join_words(numbers, "and")));
  }
  waiver.until =
      node.at("until").parsed_by([](const std::string& text) { return parse_day(text); });
  waiver.reason = read_name(node.at("reason"));
  return waiver;
}

}  // namespace

Suite parse_suite(std::string_view text, const std::string& source) {
  const Node file = Node::parse(text, source);
  file.require_schema("tilewright.suite/1");
  file.allow_only(names_of(kSuiteKeys));
  const CaseRules rules = read_suite_rules(file);
  Suite suite;
  std::unordered_set<std::string> names;
  for (const Node& node : some_items(file.at("cases"), "case")) {
    SuiteCase read = read_case(node, rules);
    if (!names.insert(read.name).second) {
      throw node.at("name").fail(format("'{}' is the name of two cases", read.name));
    }
    suite.cases.push_back(std::move(read));
  }
  if (const auto waivers = file.find("waivers")) {
    for (const Node& node : waivers->items()) {
      suite.waivers.push_back(read_waiver(node, names));
    }
  }
  return suite;
}

Suite load_suite(std::string_view path, std::span<const std::string> cases) {
  const std::filesystem::path found = find_preset(path, "suites");
  Suite suite = parse_suite(read_file(found), found.string());
  if (cases.empty()) return suite;
  std::vector<std::string_view> names;
  names.reserve(suite.cases.size());
  for (const SuiteCase& suite_case : suite.cases) names.push_back(suite_case.name);
  require_case_names(cases, names, path);
  std::erase_if(suite.cases, [cases](const SuiteCase& c) {
    return std::find(cases.begin(), cases.end(), c.name) == cases.end();
  });
  return suite;
}

void require_case_names(std::span<const std::string> names, std::span<const std::string_view> known,
                        std::string_view source) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw usage_error(format("{} has no case '{}'{}", source, name, did_you_mean(name, known)));
  }
}

std::span<const SuiteKey> suite_keys() {
  return kSuiteKeys;
}

std::vector<SuiteKey> case_keys() {
  std::vector<SuiteKey> keys(std::begin(kCaseKeys), std::end(kCaseKeys));
  for (const KindField& field : kind_fields()) {
    keys.push_back({field.key, field.meaning, field.example});
  }
  return keys;
}

std::span<const SuiteKey> waiver_keys() {
  return kWaiverKeys;
}

}  // namespace tilewright
