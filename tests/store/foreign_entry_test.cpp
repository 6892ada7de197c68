// Answers of harnesses in artefacts: written and read back, beside answers of ours.
#include "store/foreign_entry.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "record/document.hpp"
#include "store/answers_file.hpp"
#include "store/best_table.hpp"
#include "store/record_store.hpp"
#include "store/stored_answers.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::contains;

PairedRatio ratio_of(double ratio) {
  return {.ratio = ratio, .interval = {ratio - 0.01, ratio + 0.01}};
}

ForeignEntry answer_of(const std::string& harness, int64_t m, double us) {
  ForeignEntry entry;
  entry.problem = workload_of(Problem{.shape = {m, 512, 256}});
  entry.choice = {.harness = harness,
                  .file = "./" + harness + ".so",
                  .build = "0123456789abcdef",
                  .values = {{"tile_m", 64}, {"split", -1}}};
  entry.timing = {.median_us = us, .ci_us = {us - 1, us + 1}, .tflops = 100};
  entry.verified = {.ok = true, .rel_error = 1e-3, .detail = {}};
  entry.considered = {.enumerated = 8, .rejected = {{"k % tile_k == 0", 2}}, .measured = 5};
  entry.origin.method = {"cupti-activity", "one launch a round", "seed 1", "cublasLt"};
  return entry;
}

Artefact foreign_artefact(const std::vector<ForeignEntry>& foreign) {
  Artefact artefact;
  artefact.tool_version = "1.0";
  artefact.device = {.name = "h200", .compute = "9.0", .sm_count = 132, .l2_bytes = 1};
  artefact.foreign = foreign;
  return artefact;
}

TEST_CASE("an answer with every optional part or none parses back to itself") {
  for (int parts = 0; parts < 128; ++parts) {
    ForeignEntry entry = answer_of("mine", 512, 50);
    if ((parts & 1) != 0) {
      entry.reference = ReferenceResult{
          .name = "cublasLt/0", .median_us = 55, .ratio = ratio_of(1.1), .counters = std::nullopt};
      entry.references = {{"cublasLt/0", 55}};
    }
    if ((parts & 2) != 0) {
      entry.ours = OursBeside{.config = config_of(parse_config("cta=128x128x64,stages=4")),
                              .median_us = 45,
                              .ratio = ratio_of(0.9)};
    }
    if ((parts & 4) != 0) entry.counters = Counters{.dram_read_bytes = 1e6, .passes = 1};
    if ((parts & 8) != 0) entry.ties = {{{{"tile_m", 128}, {"split", 2}}, 1.001}};
    if ((parts & 16) != 0)
      entry.wrong = {{{{"tile_m", 32}, {"split", 2}}, "signal 11: it's \"so\""}};
    if ((parts & 32) != 0) {
      entry.default_beside = DefaultBeside{.values = {{"tile_m", 128}, {"split", 1}},
                                           .timing = {.median_us = 61.5,
                                                      .ci_us = {61, 62.25},
                                                      .tflops = 90,
                                                      .sm_mhz = 1755,
                                                      .watts = 600},
                                           .ratio = ratio_of(1.23)};
    }
    if ((parts & 64) != 0) {
      entry.compiler = "triton 3.9.0";
      entry.date = "2026-11-26";
    }
    const Artefact artefact = foreign_artefact({entry});
    CHECK(parse_best(print_best(artefact), "x") == artefact);
    const Document document = to_document(entry);
    CHECK(document.at("winner") == ((parts & 2) != 0 ? "ours" : "harness:mine"));
    CHECK(document.at("harness").at("values") == Document{{"tile_m", 64}, {"split", -1}});
  }
}

TEST_CASE("a winner that the evidence does not name is refused, with its place") {
  std::string text = print_best(foreign_artefact({answer_of("mine", 512, 50)}));
  const std::string winner = "harness:mine";
  text.replace(text.find(winner), winner.size(), "harness:other");
  const std::string error_message =
      testing::error_message_of([&] { parse_best(text, "best.yaml"); });
  CHECK_MESSAGE(contains(error_message, "entries[0].winner"), error_message);
  CHECK_MESSAGE(contains(error_message, "the evidence gives harness:mine"), error_message);
}

TEST_CASE("answers join by problem and harness, and those of ours stay") {
  Artefact held = foreign_artefact(
      {answer_of("mine", 512, 50), answer_of("mine", 1024, 70), answer_of("other", 512, 40)});
  TuneEntry ours;
  ours.problem = workload_of(Problem{.shape = {512, 512, 256}});
  ours.predicted.us = 9;
  ours.choice = config_of(parse_config("cta=128x128x64,stages=4"));
  held.entries = {ours};
  const Artefact fresh = foreign_artefact({answer_of("mine", 512, 45)});
  const Artefact joined = merge_answers(held, fresh);
  CHECK(joined.entries == held.entries);
  REQUIRE(joined.foreign.size() == 3);
  const auto answers = foreign_answers(joined, ours.problem);
  REQUIRE(answers.size() == 2);
  CHECK(answers[0]->choice.harness == "other");
  CHECK(answers[1]->timing.median_us == 45);
  CHECK(parse_best(print_best(joined), "x") == joined);
}

// The store of one run whose answers are `entries`.
std::string store_of(const std::string& run, const std::vector<ForeignEntry>& entries) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  {
    RecordFile file(path, {.run = run,
                           .device_uuid = "GPU-1",
                           .device = foreign_artefact({}).device,
                           .tool_version = "1.0",
                           .environment = "",
                           .session = "s"});
    for (size_t i = 0; i < entries.size(); ++i) {
      file.append_answer(entries[i], {static_cast<int64_t>(i), 3});
    }
  }
  return read_file(path);
}

TEST_CASE("answers in a store are read as written, and the one with better evidence is kept") {
  ForeignEntry first = answer_of("mine", 512, 50);
  first.origin.rounds = 100;
  ForeignEntry more = answer_of("mine", 512, 51);
  more.origin.rounds = 200;
  ForeignEntry few = more;  // of a search with a budget
  few.origin.rounds = 300;
  few.considered.measured = 2;
  const ForeignEntry other = answer_of("other", 512, 60);
  const ForeignEntry larger = answer_of("mine", 1024, 90);
  const std::vector<std::string> texts = {store_of("a", {first, other}),
                                          store_of("b", {more, larger, few})};
  for (const bool turned : {false, true}) {
    const MergedStores merged = merge_stores({texts[turned ? 1 : 0], texts[turned ? 0 : 1]},
                                             {turned ? "b" : "a", turned ? "a" : "b"});
    const Artefact artefact = artefact_of(merged.store);
    CHECK(artefact.entries.empty());
    REQUIRE(artefact.foreign.size() == 3);
    for (const ForeignEntry& kept : {more, other, larger}) {
      CHECK(std::count(artefact.foreign.begin(), artefact.foreign.end(), kept) == 1);
    }
    CHECK(artefact.rounds == 200);
    // A command of three problems with `mine` answered all; with `other` it lacks two.
    CHECK(unanswered_count(merged.store) == 2);
    CHECK(parse_best(print_best(artefact), "x") == artefact);
  }
}

}  // namespace
}  // namespace tilewright
