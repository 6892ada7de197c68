#include "gate/case_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gate/gate_static.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Keys of a report's numbers, each with the word by which a suite judges it.
const std::vector<std::pair<std::string, std::string>> kWords = {
    {"predicted_us", "time"},  {"dram_read_bytes", "dram"}, {"dram_write_bytes", "dram"},
    {"waves", "waves"},        {"slots", "waves"},          {"overhang", "waves"},
    {"spill_bytes", "spills"}, {"complete", "proof"},       {"ratio", "ratio"},
    {"registers", "never"},    {"smem_bytes", "never"}};

TEST_CASE("a case is judged by the numbers that its rules name, and always by the proof") {
  constexpr size_t kCount = std::size(kJudged);
  for (unsigned chosen = 0; chosen < (1U << kCount); ++chosen) {
    CaseRules rules;
    for (unsigned i = 0; i < kCount; ++i) {
      if ((chosen >> i & 1U) != 0) rules.judge.emplace_back(kJudged[i]);
    }
    for (const auto& [key, word] : kWords) {
      CAPTURE(key);
      const auto named = std::find(rules.judge.begin(), rules.judge.end(), word);
      const bool all = rules.judge.empty() && word != "never";
      CHECK(is_judged(rules, key) == (all || word == "proof" || named != rules.judge.end()));
    }
  }
}

TEST_CASE("a case judged by the proof alone may be slower, but may miss no tile") {
  CaseNumbers before{"cube",
                     workload_of({{4096, 4096, 4096}}),
                     parse_config("cta=128x256x64,stages=4,raster=row").values,
                     {},
                     {}};
  before.exact = exact_numbers(before.problem, before.config, testing::h200());
  CaseNumbers worse = before;
  *worse.exact->predicted->us *= 2;
  worse.exact->predicted->dram_read_bytes *= 2;
  worse.exact->waves *= 2;
  CaseRules proof_alone;
  proof_alone.judge = {"proof"};
  CHECK(judge_exact(worse, &before, 0.01).verdict == Verdict::Regression);
  CHECK(judge_exact(worse, &before, 0.01, proof_alone).verdict == Verdict::Pass);
  CaseNumbers lost = before;
  lost.exact->complete = false;
  CaseRules time_alone;
  time_alone.judge = {"time"};
  for (const CaseRules& rules : {CaseRules{}, proof_alone, time_alone}) {
    const CaseVerdict verdict = judge_exact(lost, &before, 0.01, rules);
    CHECK(verdict.verdict == Verdict::Regression);
    CHECK(verdict.worse == std::vector<std::string>{"complete"});
  }
}

TEST_CASE("a date reads back as it is printed, and bad dates are refused") {
  for (const char* const day : {"2026-01-01", "2024-02-29", "1999-12-31"}) {
    CHECK(to_string(parse_day(day)) == day);
  }
  for (const char* const text :
       {"", "2026-02-29", "2026-13-01", "2026-1-01", "01-01-2026", "2026/01/01", "2026-01-0x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_day(text), Error);
  }
}

}  // namespace
}  // namespace tilewright
