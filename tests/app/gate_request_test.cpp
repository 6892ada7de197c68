#include "request/gate_request.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

using testing::contains;

// A gate of a suite with a baseline, in a folder of its own.
struct GatePlace {
  testing::TemporaryFolder folder;
  GateOptions options;

  GatePlace() {
    options.suite = path("suite.yaml");
    options.baseline = path("baseline.yaml");
  }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
};

// The message of a usage error, after this change of a sound gate.
std::string refused(const std::function<void(GatePlace&)>& change) {
  GatePlace place;
  change(place);
  return testing::error_message_of([&] { read_gate(place.options); });
}

TEST_CASE("every mode is read by its own name, and auto leaves the choice") {
  for (const GateMode mode :
       {GateMode::Static, GateMode::Baseline, GateMode::Ab, GateMode::Reference}) {
    CHECK(parse_gate_mode(to_string(mode)) == mode);
  }
  CHECK(!parse_gate_mode("auto"));
  CHECK(parse_gate_mode("gpu") == GateMode::Baseline);
  CHECK(contains(testing::error_message_of([] { parse_gate_mode("basline"); }),
                 "did you mean 'baseline'?"));
  CHECK(parse_annotations("github"));
  CHECK(contains(testing::error_message_of([] { parse_annotations("gitub"); }),
                 "did you mean 'github'?"));
  for (const GateMode mode : {GateMode::Static, GateMode::Ab}) {
    CHECK(parse_bisect_mode(to_string(mode)) == mode);
  }
  CHECK(
      contains(testing::error_message_of([] { parse_bisect_mode("reference"); }), "static or ab"));
  for (size_t i = 0; i < std::size(kTrendExports); ++i) {
    CHECK(parse_trend_export(std::string(kTrendExports[i])) == static_cast<TrendExport>(i));
  }
  CHECK(contains(testing::error_message_of([] { parse_trend_export("otva"); }),
                 "did you mean 'otava'?"));
}

TEST_CASE("a program of bisect lies in the worktree, or is a full path") {
  for (const char* const inside : {"bin/x", "./x", "a/../x", "/usr/bin/x", "/../x"}) {
    CHECK(parse_bisect_program(inside) == inside);
  }
  for (const char* const outside : {"../x", "a/../../x"}) {
    CHECK(contains(testing::error_message_of([&] { parse_bisect_program(outside); }),
                   "outside of the worktree"));
  }
}

TEST_CASE("the threshold is a fraction between 0 and 1, 1 % by default") {
  GatePlace place;
  CHECK(read_gate(place.options).threshold == 0.01);
  CHECK(!read_gate(place.options).overrides_thresholds);
  for (const double percent : {0.5, 1.0, 99.0}) {
    place.options.threshold_pct = percent;
    CHECK(read_gate(place.options).threshold == percent / 100);
    CHECK(read_gate(place.options).overrides_thresholds);
  }
  for (const double percent : {0.0, 100.0, -1.0}) {
    CHECK(contains(refused([&](GatePlace& p) { p.options.threshold_pct = percent; }),
                   "between 0 and 100"));
  }
}

TEST_CASE("one document at most goes to standard output, and it replaces the text") {
  const std::function<void(GatePlace&)> documents[] = {
      [](GatePlace& p) { p.options.format = Format::Json; },
      [](GatePlace& p) { p.options.junit = "-"; }, [](GatePlace& p) { p.options.summary = "-"; },
      [](GatePlace& p) {
        p.options.update = true;
        p.options.baseline = "-";
      }};
  CHECK(read_gate(GatePlace().options).has_text);
  for (const auto& first : documents) {
    GatePlace place;
    first(place);
    CHECK(!read_gate(place.options).has_text);
    for (const auto& second : documents) {
      if (&second == &first) continue;
      CHECK(contains(refused([&](GatePlace& p) {
                       first(p);
                       second(p);
                     }),
                     "takes one document"));
    }
  }
}

TEST_CASE("options that contradict each other are refused") {
  CHECK(contains(refused([](GatePlace& p) { p.options.baseline.clear(); }), "--baseline FILE"));
  CHECK(contains(refused([](GatePlace& p) { p.options.update = p.options.promote = true; }),
                 "--promote"));
  CHECK(contains(refused([](GatePlace& p) { p.options.update = p.options.self_check = true; }),
                 "omit --update"));
  CHECK(contains(refused([](GatePlace& p) { p.options.against_build = "old"; }), "add --mode ab"));
  CHECK(contains(refused([](GatePlace& p) { p.options.harness = "a.so"; }),
                 "folder of vLLM's files"));
  CHECK(contains(refused([](GatePlace& p) { p.options.suite = p.folder.path().string(); }),
                 "takes no --baseline"));
  CHECK(contains(refused([](GatePlace& p) { p.options.hidden = 4096; }), "omit them"));
  CHECK(contains(refused([](GatePlace& p) {
                   p.options.suite = p.folder.path().string();
                   p.options.harness = "a.so";
                 }),
                 "takes no --baseline"));
}

}  // namespace
}  // namespace tilewright
