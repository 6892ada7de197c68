#include "store/best_table.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "store/measured_json.hpp"
#include "support/artefacts.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::replaced;

std::string best_error(const std::string& text) {
  return testing::error_message_of([&] { parse_best(text, "best.yaml"); });
}

// A measured entry and a predicted one, with plain values.
Artefact example() {
  Artefact artefact;
  artefact.tool_version = "0.1.0";
  artefact.device = {"NVIDIA H200", "9.0", 132, 62914560, 150754820096, false};
  artefact.method = {"cupti-activity", "rotating buffers", "uniform [-1, 1), seed 1", "cublasLt"};
  artefact.rounds = 40;
  TuneEntry entry;
  entry.problem = workload_of({{4096, 4096, 4096}});
  entry.choice.cta = {128, 256, 64};
  entry.choice.stages = 4;
  entry.choice.raster = parse_raster("swizzle-merge:8");
  entry.predicted.us = 180;
  entry.timing = Timing{181.5, {181.1, 182.0}, 757.2};
  entry.reference = ReferenceResult{"cublasLt #3", 182.2, {1.004, {1.001, 1.006}}, std::nullopt};
  entry.verified = Verification{true, 0.0012, ""};
  entry.considered.rejected["shared-memory"] = 12;
  artefact.entries.push_back(entry);
  entry.problem.shapes = {{2048, 2048, 2048}};
  entry.timing.reset();
  entry.reference.reset();
  entry.verified.reset();
  artefact.entries.push_back(entry);
  return artefact;
}

TEST_CASE("a printed artefact parses back") {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Artefact made = testing::ArtefactMaker(seed).artefact();
    const std::string text = print_best(made);
    CAPTURE(text);
    REQUIRE(parse_best(text, "best.yaml") == made);
  }
}

TEST_CASE("a choice has every key that its launch uses, and one without the newer keys is read") {
  Artefact artefact = example();
  CHECK_FALSE(contains(print_best(artefact), "group_schedule"));
  artefact.entries.resize(1);
  artefact.entries[0].problem.shapes = {{512, 512, 256}, {256, 512, 256}};
  const std::string group = print_best(artefact);
  CHECK(contains(group, "group_schedule: device-only"));
  CHECK(contains(group, "problem_order: given"));
  CHECK_FALSE(contains(group, "visitor"));
  const std::string earlier = replaced(replaced(group, "      group_schedule: device-only\n", ""),
                                       "      problem_order: given\n", "");
  CHECK(parse_best(earlier, "best.yaml") == artefact);
  artefact.entries[0].problem = workload_of({{512, 512, 256}});
  artefact.entries[0].problem.op = MatrixOp::Syrk;
  CHECK(contains(print_best(artefact), "visitor: triangular"));
}

TEST_CASE("a truncated file is refused, wherever it was cut") {
  const std::string text = print_best(example());
  // Without only the final line break the file is complete.
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    CAPTURE(length);
    const std::string message = best_error(text.substr(0, length));
    REQUIRE(contains(message, "best.yaml"));
  }
  CHECK(parse_best(text.substr(0, text.size() - 1), "best.yaml") == example());
}

TEST_CASE("an artefact with a damaged byte is read or refused, never with a crash") {
  const std::string text = print_best(example());
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', ':', '[', '{', '\t', '\xff', '-', '9'}) {
      std::string damaged = text;
      damaged[at] = byte;
      try {
        const Artefact read = parse_best(damaged, "best.yaml");
        CHECK(read.entries.size() <= 2);
      } catch (const Error& error) {
        REQUIRE(error.code() == ExitCode::Usage);
      }
    }
  }
}

TEST_CASE("the winner is printed beside the choice, and a winning library is named") {
  Artefact artefact = example();
  const std::string ours = print_best(artefact);
  CHECK(contains(ours, "winner: ours\n"));
  CHECK(!contains(ours, "algorithm: "));
  CHECK(contains(best_error(replaced(ours, "winner: ours", "winner: library")),
                 "evidence gives ours"));
  // Older artefacts lack the key.
  CHECK(parse_best(replaced(ours, "    winner: ours\n", ""), "best.yaml") == artefact);
  artefact.entries[0].reference->ratio = {0.94, {0.93, 0.95}};
  const std::string library = print_best(artefact);
  CHECK(contains(library, "winner: library\n    algorithm: \"cublasLt #3\"\n"));
  CHECK(parse_best(library, "best.yaml") == artefact);
  CHECK(contains(best_error(replaced(library, "algorithm: \"cublasLt #3\"", "algorithm: other")),
                 "algorithm of the library"));
}

TEST_CASE("pins of impossible library versions are refused with their place") {
  Artefact artefact = example();
  testing::ArtefactMaker maker(1);
  artefact.entries[0].library_pins = {maker.pin(120800), maker.pin(130100)};
  artefact.entries[0].library_pins[1].algorithm.bits = {{0x42, 0xff}};
  const std::string text = print_best(artefact);
  CHECK(parse_best(text, "best.yaml") == artefact);
  const std::string digits = "42ff" + std::string(124, '0');
  CHECK(contains(text, digits));
  CHECK(contains(best_error(replaced(text, digits, digits.substr(2))),
                 "library_pins[1].algorithm: has 126 characters"));
  CHECK(contains(best_error(replaced(text, digits, digits + "00")), "has 130 characters"));
  CHECK(contains(best_error(replaced(text, digits, "42fg" + digits.substr(4))),
                 "'fg' at byte 1 of 64"));
  CHECK(contains(best_error(replaced(text, digits, "42-1" + digits.substr(4))), "'-1'"));
  CHECK(contains(best_error(replaced(text, "version: 130100", "version: 120800")),
                 "each version once"));
  CHECK(contains(
      best_error(replaced(text, "problem: 4096x4096x4096", "problem: 4096x4096x4096,1x4096x4096")),
      "is for single products"));
}

TEST_CASE("numbers are the shortest text that reads back") {
  Artefact artefact = example();
  artefact.entries[0].timing->median_us = 0.1;
  artefact.entries[0].timing->tflops = 1.0 / 3.0;
  const std::string text = print_best(artefact);
  CHECK(contains(text, "median_us: 0.1\n"));
  CHECK(contains(text, "tflops: 0.3333333333333333\n"));
}

TEST_CASE("the contract's keys are at their documented places") {
  const std::string text = print_best(example());
  CHECK(contains(text, "schema: tilewright.best/1\n"));
  CHECK(contains(text, "problem: 4096x4096x4096\n"));
  CHECK(contains(text, "cta: 128x256x64\n"));
  CHECK(contains(text, "ratio_ci: [1.001, 1.006]\n"));
  CHECK(contains(text, "shared-memory: 12\n"));
  const std::string json = tune_json(example());
  CHECK(contains(json, "\"schema\": \"tilewright.best/1\""));
  CHECK(contains(json, "\"raster\": \"swizzle-merge:8\""));
}

TEST_CASE("an error names the file, the line, the key and the reason") {
  const std::string text = print_best(example());
  const std::string negative = best_error(replaced(text, "sm_count: 132", "sm_count: -132"));
  CHECK(contains(negative, "best.yaml:8: device.sm_count"));
  CHECK(contains(negative, "-132"));
  CHECK(contains(best_error(replaced(text, "best/1", "best/9")), "tilewright.best/9"));
  CHECK(contains(best_error(replaced(text, "stages: 4", "stages: many")), "entries[0].choice"));
  CHECK(contains(best_error(replaced(text, "stages: 4", "stagse: 4")), "did you mean 'stages'?"));
  CHECK(contains(best_error(replaced(text, "cluster: 1x1\n", "\n")), "cluster"));
  CHECK(contains(best_error(replaced(text, "median_us: 181.5", "median_us: .nan")), "number"));
  CHECK(contains(best_error("a: [1, 2"), "best.yaml:1: not valid YAML"));
  CHECK(contains(best_error("[1, 2]"), "should be a map"));
  CHECK(contains(best_error(""), "is empty"));
  CHECK(contains(best_error(text + "---\nmore: 1\n"), "several YAML documents"));
  CHECK(contains(best_error("schema: a\nschema: b\n"), "appears twice"));
}

TEST_CASE("an entry is found by its exact problem; the nearest is by sizes") {
  const Artefact artefact = example();
  CHECK(find_entry(artefact, artefact.entries[1].problem) == &artefact.entries[1]);
  const Workload half = workload_of({{4096, 4096, 4096}, {DataType::F16}});
  CHECK(find_entry(artefact, half) == nullptr);
  CHECK(nearest_entry(artefact, half) == &artefact.entries[0]);
  CHECK(nearest_entry(artefact, workload_of({{1024, 2048, 2048}})) == &artefact.entries[1]);
  CHECK(nearest_entry({}, half) == nullptr);
}

}  // namespace
}  // namespace tilewright
