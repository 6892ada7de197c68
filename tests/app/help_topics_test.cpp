// `tilewright help` explains every name of the program's tables, fits 80 columns, and states what
// the program answers.
#include "cli/help_topics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "app/outcome.hpp"
#include "cli/help_marks.hpp"
#include "layout/algebra/layout_operations.hpp"
#include "layout/text/layout_dialect.hpp"
#include "layout/text/layout_expression.hpp"
#include "layout/text/layout_report.hpp"
#include "record/kind_fields.hpp"
#include "store/device_preset.hpp"
#include "store/harness_json.hpp"
#include "store/suite.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/config/decomposition.hpp"
#include "tile/config/raster.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/parallel.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;
using testing::lines_of;

namespace {

std::vector<HelpEntry> entries_of(std::string_view name) {
  for (const HelpTopic& topic : help_topics()) {
    if (topic.name == name) return help_entries(topic);
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

// `text` without blanks and line breaks.
std::string dense(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// The k-steps of each tile, "A" to "I", on each CTA, in order, as the plan divides them.
std::vector<std::string> planned_letters(const std::string& decomposition, int64_t tiles) {
  TileConfig config;
  config.cta = {128, 128, 64};
  config.stages = 4;
  config.decomposition = parse_decomposition(decomposition);
  const Problem problem{.shape = {.m = 128 * tiles, .n = 128, .k = 256}};
  const Plan plan =
      make_plan(problem, config, load_device_preset("h200"), {.ctas = 4, .resident = 4});
  std::vector<std::string> ctas;
  for (const std::vector<WorkTile>& list : assignments(plan)) {
    std::string& steps = ctas.emplace_back();
    for (const WorkTile& work : list) {
      steps.append(steps.empty() ? "" : " ")
          .append(static_cast<size_t>(work.k_end - work.k_begin), static_cast<char>('A' + work.m));
    }
  }
  return ctas;
}

}  // namespace

TEST_CASE("every mark of a file is filled, and every mark has a file") {
  std::set<std::string> used;
  for (const EmbeddedFile& file : help_files()) {
    const std::string text = file.text;
    CAPTURE(file.path);
    for (size_t at = 0; (at = text.find("{{", at)) != std::string::npos; at += 2) {
      used.insert(text.substr(at + 2, text.find_first_of(" }", at) - at - 2));
    }
    CHECK(text.starts_with("# " + std::string(file.path, text.find('\n') - 2) + "\n\n"));
  }
  const std::vector<std::string_view> known = help_mark_names();
  CHECK(used == std::set<std::string>(known.begin(), known.end()));
  for (const HelpTopic& topic : help_topics())
    CHECK(!contains(help_text(std::string(topic.name)), "{{"));
  CHECK_THROWS(help_mark("nobody", ""));
}

TEST_CASE("the results of layouts and operations are those of analyze layout") {
  size_t results = 0;
  for (const HelpEntry& entry : entries_of("layouts")) {
    if (entry.spelling.starts_with("--dialect ") || entry.drawing.empty()) continue;
    CAPTURE(entry.spelling);
    ++results;
    const std::string& drawing = entry.drawing;
    const size_t equals = drawing.rfind("= ");
    if (equals == std::string::npos) {
      // A notation, and the offsets of its rows and columns.
      const std::vector<std::string> rows = lines_of(drawing);
      const ComposedLayout layout = parse_layout(rows.front());
      for (size_t m = 1; m < rows.size(); ++m) {
        std::istringstream row(rows[m]);
        int64_t n = 0;
        for (std::string offset; row >> offset; ++n) {
          CHECK(offset == to_string(value_at(layout, IntTuple({static_cast<int64_t>(m) - 1, n}))));
        }
        CHECK(n * (static_cast<int64_t>(rows.size()) - 1) == product(layout.layout.shape));
      }
      continue;
    }
    std::string text = drawing.substr(0, equals);
    std::replace(text.begin(), text.end(), '\n', ' ');
    CHECK(dense(to_string(read_layout(text))) == dense(drawing.substr(equals + 2)));
  }
  CHECK(results > 45);
}

TEST_CASE("the drawings of decompositions are those of the plan") {
  for (const HelpEntry& entry : entries_of("decompositions")) {
    CAPTURE(entry.drawing);
    const std::vector<std::string> lines = lines_of(entry.drawing);
    REQUIRE(lines.size() == 5);
    constexpr std::string_view kTitle = " of 9 tiles of 4 k-steps on 4 CTAs:";
    REQUIRE(lines[0].ends_with(kTitle));
    const std::string name = lines[0].substr(0, lines[0].size() - kTitle.size());
    CHECK(name.starts_with(entry.spelling.substr(0, entry.spelling.find_first_of(":["))));
    const std::vector<std::string> planned = planned_letters(name, 9);
    std::map<char, int> steps;
    for (size_t cta = 0; cta < planned.size(); ++cta) {
      CHECK(lines[cta + 1] == "CTA " + std::to_string(cta) + "  " + planned[cta]);
      for (const char letter : planned[cta]) ++steps[letter];
    }
    for (char tile = 'A'; tile <= 'I'; ++tile) CHECK(steps[tile] == 4);
  }
}

TEST_CASE("the products of epilogues are spelled as in reports") {
  size_t products = 0;
  for (const HelpEntry& entry : entries_of("epilogues")) {
    constexpr std::string_view kProduct = "4096x4096x4096 bf16 tn + ";
    if (!entry.drawing.starts_with(kProduct)) continue;
    CAPTURE(entry.drawing);
    ++products;
    const std::string text = dense(entry.drawing.substr(kProduct.size()));
    CHECK(entry.drawing ==
          to_string(Problem{{4096, 4096, 4096}, {.epilogue = parse_epilogue(text)}}) + "\n");
    const std::string form = entry.spelling.substr(entry.spelling.find_last_of("*@") + 1);
    CHECK(contains(text, form));
  }
  CHECK(products >= 5);
}

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
  for (const std::string_view name : collective_names()) words.emplace_back(name);
  for (const std::string_view name : kRankOrders) {
    words.push_back("rank_order=" + std::string(name));
  }
  check_words("parallel", words);
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
  CHECK(names.size() == 16);
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
