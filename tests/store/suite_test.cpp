#include "store/suite.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "search/complete.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::contains;

std::string suite_error(const std::string& text) {
  return testing::error_message_of([&] { parse_suite(text, "s.yaml"); });
}

const std::string kHead = "schema: tilewright.suite/1\ncases:\n";

TEST_CASE("the smoke suite runs on an H200 and walks every kind of raster") {
  const DeviceSpec device = load_device_preset("h200");
  std::set<int> kinds;
  for (const SuiteCase& read : load_suite("presets/suites/smoke.yaml").cases) {
    CAPTURE(read.name);
    const TileConfig config = complete_config(read.config, read.problem, device);
    CHECK(satisfies(config, read.config));
    CHECK_FALSE(reject_workload(read.problem, config, device).has_value());
    kinds.insert(static_cast<int>(config.raster.kind));
  }
  CHECK(kinds.size() == 4);
}

TEST_CASE("a case has a name, a problem and the named keys of its config") {
  const auto cases =
      parse_suite(
          kHead +
              "  - {name: a, problem: 8x16x24}\n"
              "  - {name: b, problem: 8x8x8, dtype: f16, config: \"stages=3,raster=row\"}\n",
          "s.yaml")
          .cases;
  REQUIRE(cases.size() == 2);
  CHECK(cases[0] == SuiteCase{"a", workload_of({{8, 16, 24}}), {}, {}, 3});
  CHECK(cases[1].problem.kind.dtype == DataType::F16);
  CHECK(cases[1].config.values.stages == 3);
  CHECK_FALSE(names_key(cases[1].config, "cta"));
}

TEST_CASE("a name that a report cannot show on one line is refused, and quoted in the error") {
  const struct {
    const char* yaml;
    const char* shown;
  } bad[] = {{"\"a\\nb\"", "'a\\x0ab' contains \\x0a"},
             {"\"a\\rb\"", "\\x0d"},
             {"\"a\\e[31mb\"", "\\x1b"},
             {"\"a\\tb\"", "\\x09"},
             {"\"a\\x7fb\"", "\\x7f"},
             {"\"a\\x85b\"", "\\x85"},
             {"\"a\\u2028b\"", "\\u2028"},
             {"\"a\\u202eb\"", "\\u202e"},
             {"\"a\\ufffeb\"", "\\xef"},
             {"\"a\\uffffb\"", "\\xef"},
             {"\"a\\ufdd0b\"", "\\xef"},
             {"a\xff", "\\xff"},
             {"\"a\xc3\"", "\\xc3"},
             {"\"::error::x\\n\"", "'::error::x\\x0a'"}};
  for (const auto& name : bad) {
    CAPTURE(name.yaml);
    const std::string error_message =
        suite_error(kHead + "  - {name: " + name.yaml + ", problem: 8x8x8}\n");
    CHECK(contains(error_message, "s.yaml:3: cases[0].name: 'a") !=
          contains(error_message, "s.yaml:3: cases[0].name: '::"));
    CHECK(contains(error_message, name.shown));
  }
  for (const std::string good : {"caf\xc3\xa9", "\xe4\xb8\xad|<&>", "ns::case", "::x"}) {
    const std::string text = kHead + "  - {name: '" + good + "', problem: 8x8x8}\n";
    CHECK(parse_suite(text, "s.yaml").cases[0].name == good);
  }
}

TEST_CASE("bad suites are refused with the place of the error") {
  CHECK(contains(
      suite_error(kHead + "  - {name: a, problem: 8x8x8}\n  - {name: a, problem: 8x8x8}\n"),
      "s.yaml:4: cases[1].name: 'a' is the name of two cases"));
  CHECK(contains(suite_error(kHead + "  - {name: a, problem: 8x0x8}\n"), "cases[0].problem"));
  CHECK(contains(suite_error(kHead + "  - {name: a}\n"), "lacks the key 'problem'"));
  CHECK(contains(suite_error(kHead + "  - {name: a, problem: 8x8x8, config: stages=x}\n"),
                 "cases[0].config"));
  CHECK(contains(suite_error(kHead + "  - {name: a, problem: 8x8x8, confg: stages=3}\n"),
                 "did you mean 'config'?"));
  CHECK(contains(suite_error(kHead + "  []\n"), "lists no case"));
  CHECK(contains(suite_error("cases: []\n"), "schema"));
}

TEST_CASE("the suite's rules apply to a case without rules of its own") {
  const Suite suite = parse_suite(
      "schema: tilewright.suite/1\nthreshold: 2\njudge: [time, ratio]\ntrade: none\n"
      "waivers:\n  - {case: b, number: predicted_us, until: 2026-12-31, reason: known}\n"
      "cases:\n  - {name: a, problem: 8x8x8}\n"
      "  - {name: b, problem: 8x8x8, threshold: 0.5%, judge: [spills]}\n",
      "s.yaml");
  CHECK(suite.cases[0].rules == CaseRules{0.02, {"time", "ratio"}, false});
  CHECK(suite.cases[1].rules == CaseRules{0.005, {"spills"}, false});
  REQUIRE(suite.waivers.size() == 1);
  CHECK(suite.waivers[0] == Waiver{"b", "predicted_us", parse_day("2026-12-31"), "known"});
}

TEST_CASE("rules and waivers without effect are refused with the place of the error") {
  const auto refused = [](const std::string& rules, const std::string& part) {
    CAPTURE(rules);
    const std::string error_message = suite_error("schema: tilewright.suite/1\n" + rules +
                                                  "\ncases:\n  - {name: a, problem: "
                                                  "8x8x8}\n");
    CHECK(contains(error_message, "s.yaml:"));
    CHECK(contains(error_message, part));
  };
  refused("threshold: 0", "threshold");
  refused("threshold: 100", "threshold");
  refused("threshold: 100%", "threshold");
  refused("threshold: 0%", "no percentage above 0");
  refused("threshold: some%", "no percentage above 0");
  refused("judge: [tme]", "did you mean 'time'?");
  refused("judge: []", "has no number");
  refused("trade: both", "'both' is not time or none");
  refused("thresold: 1", "did you mean 'threshold'?");
  const auto waiver = [](const std::string& text) { return "waivers: [{" + text + "}]"; };
  const std::string end = ", until: 2026-12-31, reason: x";
  refused(waiver("case: z, number: waves" + end), "no case 'z'");
  refused(waiver("case: a, number: complete" + end), "'complete' cannot be waived");
  refused(waiver("case: a, number: rel_error" + end), "cannot be waived");
  refused(waiver("case: a, number: waves, until: 2026-02-30, reason: x"), "no day");
  refused(waiver("case: a, number: waves, until: tomorrow, reason: x"), "no day");
  refused(waiver("case: a, number: waves, until: 2026-12-31"), "lacks the key 'reason'");
  refused(waiver("case: a, number: waves, unti: 2026-12-31, reason: x"), "did you mean 'until'?");
}

TEST_CASE("every truncation of the smoke suite is read or refused, never with more cases") {
  const std::string text = read_file(presets_folder() / "suites" / "smoke.yaml");
  const auto whole = parse_suite(text, "s.yaml").cases;
  for (size_t length = 0; length < text.size(); ++length) {
    try {
      const auto cases = parse_suite(text.substr(0, length), "s.yaml").cases;
      CHECK(cases.size() <= whole.size());
    } catch (const Error& error) {
      REQUIRE(error.code() == ExitCode::Usage);
    }
  }
}

}  // namespace
}  // namespace tilewright
