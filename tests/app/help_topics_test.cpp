// `tilewright help` explains every name of the program's tables and fits 80 columns.
#include "help_topics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "layout/algebra/layout_operations.hpp"
#include "layout/text/layout_dialect.hpp"
#include "store/harness_json.hpp"
#include "store/kind_fields.hpp"
#include "store/suite.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/config/decomposition.hpp"
#include "tile/config/raster.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

std::vector<HelpEntry> entries_of(std::string_view name) {
  for (const HelpTopic& topic : help_topics()) {
    if (topic.name == name) return topic.entries();
  }
  return {};
}

// The entry spelled `word`, alone or followed by a form (":..." or "[...").
const HelpEntry* find(const std::vector<HelpEntry>& entries, std::string_view word) {
  for (const HelpEntry& entry : entries) {
    const std::string_view spelling = entry.spelling;
    if (spelling.substr(0, word.size()) != word) continue;
    const std::string_view rest = spelling.substr(word.size());
    if (rest.empty() || rest.front() == ':' || rest.front() == '[') return &entry;
  }
  return nullptr;
}

void check_words(std::string_view topic, const std::vector<std::string>& words) {
  const std::vector<HelpEntry> entries = entries_of(topic);
  for (const std::string& word : words) {
    CAPTURE(word);
    const HelpEntry* const entry = find(entries, word);
    REQUIRE(entry != nullptr);
    CHECK(entry->meaning.size() > 3);
    CHECK(entry->meaning.front() != '\n');  // the meaning is not missing
    CHECK(!entry->drawing.empty());
  }
}

}  // namespace

TEST_CASE("the rule that fills in keys is part of the config's help") {
  const std::string text = help_text("config");
  CHECK(contains(text, "fills in the keys that are left out"));
  CHECK(contains(text, "--cta"));
}

TEST_CASE("every name of the program's tables has a meaning and a drawing") {
  std::vector<std::string> words = {"bias"};
  for (const tw::ActivationRecord& record : tw::kActivations) {
    if (*record.name != 0) words.emplace_back(record.name);
  }
  check_words("epilogues", words);
  words.clear();
  for (const tw::ScaleRecord& record : tw::kScales) {
    if (*record.of_a != 0) words.push_back(std::string("--scale-a ") + record.of_a);
    if (*record.of_b != 0) words.push_back(std::string("--scale-b ") + record.of_b);
  }
  check_words("scales", words);
  words.clear();
  for (const tw::RasterRecord& record : tw::kRasters) words.emplace_back(record.name);
  check_words("rasters", words);
  words.clear();
  for (const tw::ReductionRecord& record : tw::kReductions) words.emplace_back(record.name);
  check_words("reductions", words);
  words.clear();
  for (const std::string_view name : decomposition_names()) words.emplace_back(name);
  for (const std::string_view name : stream_k_variants()) {
    words.push_back("stream-k:" + std::string(name));
  }
  check_words("decompositions", words);
  words.clear();
  for (const ConfigKeyFacts& key : config_key_facts()) words.emplace_back(key.name);
  check_words("config", words);
  words.clear();
  for (const std::string_view name : operation_names()) words.emplace_back(name);
  for (const std::string_view name : layout_dialect_names()) {
    words.push_back("--dialect " + std::string(name));
  }
  check_words("layouts", words);
}

TEST_CASE("every exit code is there") {
  for (const ExitCode code : {ExitCode::Good, ExitCode::No, ExitCode::Usage, ExitCode::Inconclusive,
                              ExitCode::Environment, ExitCode::WrongResult, ExitCode::NoBaseline,
                              ExitCode::Internal, ExitCode::Interrupted}) {
    CHECK(find(entries_of("exit-codes"), std::to_string(static_cast<int>(code))) != nullptr);
  }
}

TEST_CASE("the example values of config keys parse") {
  for (const HelpEntry& entry : entries_of("config")) {
    if (entry.spelling == "best.yaml") continue;  // tests/app/examples runs its commands
    std::string assignment = entry.drawing;
    assignment.pop_back();
    CAPTURE(assignment);
    CHECK(error_message_of([&] { parse_config(assignment); }).empty());
  }
}

TEST_CASE("every topic fits 80 columns, and an unknown topic gets a suggestion") {
  std::vector<std::string> names = {""};
  for (const HelpTopic& topic : help_topics()) names.emplace_back(topic.name);
  CHECK(names.size() == 12);
  for (const std::string& name : names) {
    std::istringstream lines(help_text(name));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
  }
  CHECK(contains(error_message_of([] { help_text("rastrs"); }), "did you mean 'rasters'"));
}

TEST_CASE("the examples of the suite's keys are a suite") {
  std::string text;
  std::string cases = "cases:\n";
  std::string waivers = "waivers:\n";
  std::string harness;  // instead of config
  for (const HelpEntry& entry : entries_of("suite")) {
    if (entry.spelling == "cases: harness") {
      harness = entry.drawing;
      continue;
    }
    const auto item = [&entry](std::string& list) {
      list += (list.back() == ':' || list.ends_with(":\n") ? "  - " : "    ") + entry.drawing;
    };
    if (entry.spelling.starts_with("cases: ")) {
      item(cases);
    } else if (entry.spelling.starts_with("waivers: ")) {
      item(waivers);
    } else if (entry.spelling != "cases" && entry.spelling != "waivers") {
      text += entry.drawing;
    }
  }
  const Suite suite = parse_suite(text + cases + waivers, "help");
  CHECK(suite.cases.size() == 1);
  CHECK(suite.cases[0].rules.threshold == 0.01);
  CHECK(suite.cases[0].rules.judge == std::vector<std::string>{"time"});
  CHECK_FALSE(suite.cases[0].rules.time_decides);
  CHECK(suite.waivers.size() == 1);
  REQUIRE(!harness.empty());
  const std::string both = text + cases + "    " + harness;
  CHECK(contains(error_message_of([&] { parse_suite(both, "help"); }), "excludes config"));
  const size_t config = cases.find("config: ");
  const std::string other =
      cases.substr(0, config) + harness + cases.substr(cases.find('\n', config) + 1);
  CHECK(parse_suite(text + other, "help").cases[0].harness == "build/my_gemm.so:tile_m=128");
  // A case accepts every key by which a problem file describes a product; the help lists each.
  for (const std::string_view key : with_kind_keys({"op", "uplo"})) {
    CAPTURE(key);
    CHECK(find(entries_of("suite"), "cases: " + std::string(key)) != nullptr);
  }
}

TEST_CASE("the examples of a harness's keys form a description that reads back") {
  std::string text;
  for (const HelpEntry& entry : entries_of("harness")) {
    if (!entry.spelling.starts_with("describe: ")) continue;
    text += (text.empty() ? "{" : ", ") + entry.drawing;
  }
  const HarnessDescription harness =
      read_harness({.json = text + "}", .build = "0123", .maps = false}, "my.so");
  CHECK(harness.name == "my_gemm");
  CHECK(harness.axes.size() == 2);
  CHECK(harness.constraints.size() == 2);
  CHECK(harness.configs.size() == 1);
}

TEST_CASE("every key of the example's manifest is explained") {
  const std::vector<HelpEntry> entries = entries_of("harness");
  for (const char* const key :
       {"let", "requires", "scratch", "mapping", "launches.kernels", "launches.arguments",
        "launches.grid", "launches.block", "kernels.when", "kernels.cubin", "kernels.entry",
        "arguments.tensor_map", "arguments.pointer", "arguments.f32", "arguments.struct",
        "arguments.divisible_by"}) {
    CAPTURE(key);
    CHECK(find(entries, std::string("manifest: ") + key) != nullptr);
  }
}

TEST_CASE("drawings are those of the tables' own functions") {
  const std::vector<HelpEntry> rasters = entries_of("rasters");
  CHECK(contains(find(rasters, "row")->drawing, "    6    7    8    9   10   11\n"));
  CHECK(contains(find(rasters, "split-merge")->drawing, "(19) (22) (25)"));
  // Every part of a raster's form has a meaning and a drawing.
  CHECK(contains(find(rasters, "F, F2, ...")->drawing, "swizzle-merge:2,3:\n    0    1    2    6"));
  CHECK(contains(find(rasters, "@m, @n")->drawing, "swizzle-merge:3@n:\n    0    1    2   12"));
  CHECK(contains(find(entries_of("decompositions"), "split-k")->drawing, "CTA 2  BB DD FF HH\n"));
  CHECK(contains(find(entries_of("reductions"), "workspace")->drawing, "kernel 2"));
}
