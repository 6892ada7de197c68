#include "answer/answers_text.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/artefacts.hpp"
#include "support/error_message.hpp"
#include "support/shipped_table.hpp"

namespace tilewright {
namespace {

using testing::ArtefactMaker;
using testing::contains;

OperandPlaces random_places(ArtefactMaker& make) {
  const auto place = [&make] {
    return MatrixPlace{.pitch = make.below(9000), .alignment = 1 << make.below(5)};
  };
  return {.a = place(), .b = place(), .c = place(), .d = place()};
}

AnswerRange random_range(ArtefactMaker& make) {
  AnswerRange range;
  range.kind = make.workload();
  range.kind.shapes.clear();
  range.shape = make.problem().shape;
  range.shape.m = 0;
  range.low = 1 + make.below(99);
  range.high = range.low + make.below(9999);
  range.step = 1 + make.below(64);
  range.config = make.config();
  range.source = make.coin() ? AnswerSource::Range : AnswerSource::Model;
  return range;
}

AnswerTable random_table(uint64_t seed) {
  ArtefactMaker make(seed);
  AnswerTable table;
  table.device = testing::shipped_table().device;
  table.device.marketing_name = make.word();
  table.device.sustained_clock_hz = make.number();
  table.device.file_rates = {"join.meet_us", "l2.ways"};
  for (int64_t i = make.below(5); i > 0; --i) {
    table.rows.push_back({.problem = make.workload(),
                          .choice = make.config(),
                          .pinned = make.coin(),
                          .predicted_us = make.number(),
                          .median_us = make.number(),
                          .file = make.word()});
    for (int64_t pin = make.below(3); pin > 0; --pin) {
      table.rows.back().library_pins.push_back(make.pin(make.below(999999)));
      table.rows.back().library_pins.back().beside.reset();
    }
    table.rows.back().problem.kind.epilogue.alpha = static_cast<float>(make.number());
    table.rows.back().problem.kind.epilogue.beta = 0.1F * static_cast<float>(make.below(9));
  }
  for (int64_t i = make.below(3); i > 0; --i) {
    table.trials.push_back(make.trial());
    table.trials.back().origin.reset();
  }
  for (int64_t i = make.below(3); i > 0; --i) table.buckets.push_back(make.bucket());
  for (int64_t i = make.below(3); i > 0; --i) {
    table.kernels.push_back({make.workload(),
                             make.config(),
                             random_places(make),
                             {hash_number(make.word()), static_cast<uint64_t>(make.below(999))}});
  }
  for (int64_t i = make.below(3); i > 0; --i) table.ranges.push_back(random_range(make));
  return table;
}

TEST_CASE("a printed table reads back unchanged") {
  CHECK(parse_answers(print_answers(testing::shipped_table())) == testing::shipped_table());
  for (const char* const name : {"h200-fp8.yaml", "h200-grouped.yaml", "h200-rank-k.yaml"}) {
    const TunedFile file = testing::tuned_file(name);
    const AnswerTable table = shipped_answers({&file, 1});
    CHECK(parse_answers(print_answers(table)) == table);
  }
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const AnswerTable table = random_table(seed);
    CAPTURE(print_answers(table));
    CHECK(parse_answers(print_answers(table)) == table);
  }
}

// The text with a correct hash at its end.
std::string sealed(const std::string& text) {
  const std::string body = text.substr(0, text.rfind("\nend ") + 1);
  return format("{}end {:016x}\n", body, hash_number(body));
}

void check_reads_or_complains(const std::string& text) {
  try {
    parse_answers(text);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Usage);
  }
}

TEST_CASE("a text that is cut off or changed is an error") {
  const std::string text = print_answers(random_table(3));
  for (size_t length = 0; length < text.size(); ++length) {
    CHECK_THROWS_AS(parse_answers(text.substr(0, length)), Error);
  }
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    const size_t at = random.below(static_cast<uint32_t>(text.size()));
    switch (random.below(3)) {
      case 0:
        damaged[at] = static_cast<char>(damaged[at] + 1 + static_cast<int>(random.below(255)));
        break;
      case 1: damaged.erase(at, 1 + random.below(40)); break;
      default: damaged.insert(at, text.substr(random.below(500), random.below(40))); break;
    }
    if (damaged == text) continue;
    CHECK_THROWS_AS(parse_answers(damaged), Error);
    check_reads_or_complains(sealed(damaged));
  }
}

TEST_CASE("a bad record is named by its line") {
  const std::string text = print_answers(testing::shipped_table());
  const auto error_message = [&text](const std::string& from, const std::string& to) {
    const std::string changed = sealed(testing::replaced(text, from, to));
    return testing::error_message_of([&changed] { parse_answers(changed); });
  };
  CHECK(
      contains(error_message("tilewright.answers/1", "tilewright.answers/2"), "answers/2' is not"));
  CHECK(contains(error_message("\nrow ", "\nraw "), "'raw' is no record"));
  CHECK(
      contains(error_message("\nrow problem=0:512x512x512 ", "\nrow problem=0: "), "has no sizes"));
  CHECK(contains(error_message("\nrow problem=0:", "\nrow problem=999:"), "'999' does not belong"));
  CHECK(contains(error_message(" pinned=false", " pinned=maybe"), "'maybe' does not belong"));
  CHECK(contains(error_message(" pinned=false", ""), "is not pinned"));
  CHECK(contains(error_message("config family=sm90,", "config "), "config: no family"));
  CHECK(contains(error_message("sm_count=132", "sm_count=0"), "lacks a size or a rate"));
  CHECK(contains(error_message("l2.merged_share=", "l2.merged_share=7"), "l2.merged_share is 7"));
  CHECK(contains(error_message(" a=0:16", " a=0:24"), "'0:24' does not belong"));
  CHECK(contains(error_message("..725:1", "..725:0"), "line "));
  CHECK(contains(error_message("\nkernel ", " x=1\nkernel "), "follows its end"));
}

}  // namespace
}  // namespace tilewright
