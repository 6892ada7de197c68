#include "store/baseline.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/artefacts.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::replaced;

Baseline made(uint64_t seed) {
  testing::ArtefactMaker maker(seed);
  Baseline baseline;
  baseline.tool_version = maker.word();
  baseline.mode = maker.coin() ? GateMode::Static : GateMode::Baseline;
  baseline.device = maker.artefact().device;
  baseline.compiler = maker.word();
  if (baseline.mode == GateMode::Baseline) {
    baseline.method = {maker.word(), maker.word(), maker.word(), maker.word()};
  }
  for (int64_t i = maker.below(5); i > 0; --i) {
    CaseNumbers numbers{maker.word() + std::to_string(i), maker.workload(), maker.config(), {}, {}};
    if (baseline.mode == GateMode::Static) {
      numbers.exact = StaticNumbers{maker.below(999), maker.below(99), maker.below(9), {}, {}, {}};
      numbers.exact->complete = maker.coin();
      numbers.exact->predicted = PredictedNumbers{maker.number(), maker.number(), maker.number()};
      numbers.exact->walk = hash_text(maker.word());
      numbers.exact->prices = hash_text(maker.word());
      if (maker.coin()) numbers.exact->compiled = CompilerNumbers{168, 0, 213000};
    } else {
      numbers.measured =
          MeasuredNumbers{maker.number(),
                          maker.word(),
                          maker.number(),
                          {0.5 + 1e-3 * static_cast<double>(maker.below(999)), maker.interval()},
                          maker.below(99)};
    }
    baseline.cases.push_back(numbers);
  }
  return baseline;
}

std::string baseline_error(const std::string& text) {
  return testing::error_message_of([&] { parse_baseline(text, "b.yaml"); });
}

Baseline measured_example() {
  Baseline baseline;
  baseline.tool_version = "0.1.0";
  baseline.mode = GateMode::Baseline;
  baseline.device = {"NVIDIA H200", "9.0", 132, 62914560, 150754820096, false};
  baseline.method = {"cupti-activity", "rotating", "uniform", "cublasLt"};
  TileConfig config;
  config.cta = {128, 256, 64};
  config.stages = 4;
  baseline.cases = {{"cube",
                     workload_of({{4096, 4096, 4096}}),
                     config,
                     {},
                     MeasuredNumbers{182.5, "lt #1", 181.5, {0.995, {0.99, 1.0}}, 60}}};
  return baseline;
}

Baseline static_example() {
  Baseline baseline = measured_example();
  baseline.mode = GateMode::Static;
  baseline.method = {};
  baseline.cases[0].measured.reset();
  baseline.cases[0].exact =
      StaticNumbers{512, 0, 4, true, PredictedNumbers{182.5, 1e8, 3e7}, {}, "a1", "b2"};
  return baseline;
}

TEST_CASE("a printed baseline parses back") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Baseline baseline = made(seed);
    const std::string text = print_baseline(baseline);
    CAPTURE(text);
    REQUIRE(parse_baseline(text, "b.yaml") == baseline);
  }
}

TEST_CASE("a truncated baseline is refused, wherever it was cut") {
  const std::string text = print_baseline(measured_example());
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    CAPTURE(length);
    REQUIRE(contains(baseline_error(text.substr(0, length)), "b.yaml"));
  }
}

TEST_CASE("the former name of the measured mode is still read") {
  const std::string text = print_baseline(measured_example());
  CHECK(parse_baseline(replaced(text, "mode: baseline", "mode: gpu"), "b.yaml") ==
        measured_example());
}

TEST_CASE("bad baselines are refused with the place of the error") {
  const std::string text = print_baseline(measured_example());
  CHECK(contains(baseline_error(replaced(text, "mode: baseline", "mode: dynamic")), "or baseline"));
  CHECK(contains(baseline_error(replaced(text, "ratio: 0.995", "ratio: 0")), "above 0"));
  CHECK(contains(baseline_error(replaced(text, "ratio: 0.995", "ratio: .nan")), "number"));
  CHECK(contains(baseline_error(replaced(text, "mode: baseline", "mode: static")),
                 "lacks the key 'static'"));
  CHECK(contains(baseline_error(replaced(text, "baseline/2", "baseline/3")), "this version reads"));
}

TEST_CASE("a predicted time that is 0, negative or not finite is refused") {
  const Baseline baseline = static_example();
  const std::string text = print_baseline(baseline);
  CHECK(parse_baseline(text, "b.yaml") == baseline);
  for (const char* const us : {"0", "-182.5", ".nan", ".inf"}) {
    const std::string edited =
        replaced(text, "predicted_us: 182.5", format("predicted_us: {}", us));
    CHECK(contains(baseline_error(edited), "predicted_us"));
  }
}

TEST_CASE("bytes below 0 are refused by their key") {
  Baseline baseline = measured_example();
  baseline.mode = GateMode::Static;
  baseline.cases[0].measured.reset();
  baseline.cases[0].exact =
      StaticNumbers{512, 0, 4, true, PredictedNumbers{10, 15, 25}, {}, "a1", "b2"};
  const std::string text = print_baseline(baseline);
  for (const char* const key : {"dram_read_bytes: ", "dram_write_bytes: "}) {
    const std::string error_message = baseline_error(replaced(text, key, std::string(key) + "-"));
    CHECK(contains(error_message, std::string(key) + "should be at least 0, and is -"));
  }
}

TEST_CASE("an older static baseline without prices and proofs is still read") {
  Baseline baseline = measured_example();
  baseline.mode = GateMode::Static;
  baseline.cases[0].measured.reset();
  baseline.cases[0].exact = StaticNumbers{512, 0, 4, true, {}, {}};
  const std::string old = replaced(replaced(print_baseline(baseline), "complete: true",
                                            "bijective: true\n      dram_read_bytes: 1.5e+08"),
                                   "baseline/2", "baseline/1");
  const Baseline read = parse_baseline(old, "b.yaml");
  CHECK(read.cases[0].config == baseline.cases[0].config);
  CHECK_FALSE(read.cases[0].exact->predicted.has_value());
  CHECK_FALSE(read.cases[0].exact->complete.has_value());
}

TEST_CASE("cases are replaced and added; every other line stays byte for byte") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Baseline baseline = made(seed);
    if (baseline.cases.empty()) continue;
    const std::string text = "# ours\n" + print_baseline(baseline);
    CAPTURE(text);
    REQUIRE(with_cases(text, "b.yaml", baseline.cases) == text);
    CaseNumbers changed = baseline.cases[seed % baseline.cases.size()];
    if (changed.exact) ++changed.exact->slots;
    if (changed.measured) ++changed.measured->rounds;
    CaseNumbers added = changed;
    added.name = "added";
    Baseline wanted = baseline;
    wanted.cases[seed % baseline.cases.size()] = changed;
    wanted.cases.push_back(added);
    REQUIRE(with_cases(text, "b.yaml", std::vector{changed, added}) ==
            "# ours\n" + print_baseline(wanted));
  }
}

TEST_CASE("a static baseline of schema 2 without a required key is refused") {
  const Baseline baseline = static_example();
  const std::string text = print_baseline(baseline);
  for (const char* const line :
       {"      walk: a1\n", "      prices: b2\n", "      complete: true\n"}) {
    CHECK(contains(baseline_error(replaced(text, line, "")), "lacks the key"));
  }
  const std::string former = replaced(text, "baseline/2", "baseline/1");
  CHECK(contains(testing::error_message_of([&] { with_cases(former, "b.yaml", baseline.cases); }),
                 "--update"));
}

TEST_CASE("a missing baseline has its own exit code and a message how to make one") {
  try {
    load_baseline("no/such/baseline.yaml");
    FAIL("read a file that does not exist");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::NoBaseline);
    CHECK(contains(error.what(), "--update"));
  }
}

}  // namespace
}  // namespace tilewright
