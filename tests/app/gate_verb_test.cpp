#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "app/outcome.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gate/case_rules.hpp"
#include "store/device_preset.hpp"
#include "support/error_message.hpp"
#include "support/fake_backend.hpp"
#include "support/fake_runner.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::FakeBackend;
using testing::FakeRunner;
using testing::no_backend;
using testing::Outcome;

// A temporary folder with a suite; the destructor removes it.
struct Workplace {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "tilewright_gate_verb_test";
  GateOptions options;

  explicit Workplace(const std::string& raster = "swizzle-merge:4") {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    options.suite = (folder / "suite.yaml").string();
    options.baseline = (folder / "baseline.yaml").string();
    options.mode = GateMode::Static;
    write_suite(raster);
  }
  ~Workplace() { std::filesystem::remove_all(folder); }

  void write_suite(const std::string& raster, int stages = 4) const {
    write_file(options.suite,
               "schema: tilewright.suite/1\ncases:\n  - name: ragged\n    problem: "
               "1664x2560x4096\n    config: cta=128x256x64,stages=" +
                   std::to_string(stages) + ",raster=" + raster + "\n");
  }
  Outcome gate(const BackendLoader& load = no_backend) const {
    return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
      return run_gate(read_gate(options), show, console, load);
    });
  }
  // Runs the gate as if `day` were today.
  Outcome gate_on(const std::string& day) const {
    return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
      return run_gate(read_gate(options), show, console, no_backend, parse_day(day));
    });
  }
  // A suite of `head` and two cases, the first with this raster and these stages.
  void write_pair(const std::string& head, const std::string& raster, int stages) const {
    const std::string config = "config: cta=128x256x64,raster=swizzle-merge:4,stages=4\n";
    write_file(options.suite,
               "schema: tilewright.suite/1\n" + head +
                   "cases:\n  - name: ragged\n    problem: 1664x2560x4096\n    config: "
                   "cta=128x256x64,stages=" +
                   std::to_string(stages) + ",raster=" + raster +
                   "\n  - name: other\n    problem: 2048x2048x2048\n    " + config);
  }
  Outcome update(const BackendLoader& load = no_backend) {
    options.update = true;
    const Outcome run = gate(load);
    options.update = false;
    return run;
  }
};

// One H200: our kernel takes `us`, the reference's fastest algorithm 104 us.
BackendLoader gpu(double us, bool wrong = false) {
  DeviceSpec device = load_device_preset("h200");
  device.name = "NVIDIA H200";
  const auto backend = std::make_shared<FakeBackend>(std::vector<DeviceSpec>{device});
  backend->make_runner = [us, wrong](const DeviceSpec&) {
    auto runner = std::make_unique<FakeRunner>();
    runner->time_us = [us](const TileConfig&) { return us; };
    runner->is_wrong = [wrong](const TileConfig&) { return wrong; };
    return runner;
  };
  return [backend] { return BackendOrReason{backend, ""}; };
}

TEST_CASE("static: update, pass, then fail with the case and number after a worse raster") {
  Workplace work;
  CHECK(work.gate().code == ExitCode::NoBaseline);
  const Outcome updated = work.update();
  CHECK(updated.code == ExitCode::Good);
  CHECK(contains(updated.err, "wrote"));
  CHECK(contains(work.gate().out, "pass"));
  CHECK(work.gate().code == ExitCode::Good);
  work.options.junit = (work.folder / "junit.xml").string();
  work.write_suite("split-merge:4");
  const Outcome worse = work.gate();
  CHECK(worse.code == ExitCode::No);
  CHECK(contains(worse.out, "regression"));
  CHECK(contains(worse.out, "ragged"));
  CHECK(contains(worse.out, "slots 160, baseline 130"));
  CHECK(contains(read_file(work.options.junit), "<failure"));
}

TEST_CASE("static: a longer predicted time fails even where it saves shared memory") {
  Workplace work;
  work.update();
  work.write_suite("swizzle-merge:4", 2);
  const Outcome worse = work.gate();
  CHECK(worse.code == ExitCode::No);
  CHECK(contains(worse.out, "predicted_us"));
  CHECK(contains(worse.out, "stages=2, baseline 4"));
}

TEST_CASE("another device, another mode and a preset without a GPU are environment errors") {
  Workplace work;
  CHECK(work.update().code == ExitCode::Good);
  work.options.device = "h100";
  CHECK(work.gate().code == ExitCode::Environment);
  work.options.device = "auto";
  work.options.mode = GateMode::Baseline;
  CHECK(work.gate().code == ExitCode::Environment);
  CHECK(work.gate(gpu(100)).code == ExitCode::Environment);
  work.options.mode.reset();
  CHECK(work.gate().code == ExitCode::Good);
}

TEST_CASE("a failing update leaves the old baseline") {
  Workplace work;
  CHECK(work.update().code == ExitCode::Good);
  const std::string before = read_file(work.options.baseline);
  work.write_suite("swizzle-merge:400");  // larger than the grid: refused
  const Outcome failed = work.update();
  CHECK(failed.code == ExitCode::No);
  CHECK(contains(failed.out, "cannot run"));
  CHECK(contains(failed.err, "was not written"));
  CHECK(read_file(work.options.baseline) == before);
}

TEST_CASE("gpu: the verb passes, reports a regression and reports wrong results") {
  Workplace work;
  work.options.mode.reset();
  CHECK(work.update(gpu(100)).code == ExitCode::Good);
  CHECK(contains(read_file(work.options.baseline), "mode: baseline"));
  CHECK(work.gate(gpu(100)).code == ExitCode::Good);
  const Outcome slower = work.gate(gpu(106));
  CHECK(slower.code == ExitCode::No);
  CHECK(contains(slower.out, "ragged"));
  CHECK(work.gate(gpu(100, true)).code == ExitCode::WrongResult);
  CHECK(work.update(gpu(100, true)).code == ExitCode::WrongResult);
}

TEST_CASE("gpu: a case that does not fit in the device's memory is bad input, whatever its size") {
  Workplace work;
  work.options.mode.reset();
  work.options.self_check = true;
  write_file(work.options.suite,
             "schema: tilewright.suite/1\ncases:\n  - name: vast\n    problem: "
             "2147483640x2147483640x2147483640\n");
  const Outcome refused = work.gate(gpu(100));
  CHECK(refused.code == ExitCode::Usage);
  CHECK(contains(refused.err, "its operands take 27670115"));
}

/// A compiler with the same registers and spills for every kernel.
class SameCompiler : public KernelCompiler {
 public:
  std::vector<BuildResult> build(std::span<const Plan> plans, const std::string&) override {
    return std::vector<BuildResult>(plans.size(), BuildResult{"", 168, 0, 213000, false});
  }
};

BackendLoader compiler(const std::string& driver, const std::string& version) {
  const auto backend = std::make_shared<FakeBackend>(std::vector<DeviceSpec>{});
  backend->driver = driver;
  backend->compiler = version;
  backend->make_compiler = [] { return std::make_unique<SameCompiler>(); };
  return [backend] { return BackendOrReason{backend, ""}; };
}

TEST_CASE("registers are compared within one compiler version, with any driver") {
  Workplace work;
  CHECK(work.update(compiler("driver CUDA 13.0", "NVRTC 13.0.88")).code == ExitCode::Good);
  CHECK(contains(read_file(work.options.baseline), "compiler: NVRTC 13.0.88\n"));
  CHECK(work.gate(compiler("driver none", "NVRTC 13.0.88")).code == ExitCode::Good);
  const Outcome newer = work.gate(compiler("driver none", "NVRTC 13.1.10"));
  CHECK(newer.code == ExitCode::Environment);
  CHECK(contains(newer.out, "NVRTC 13.1.10"));
  CHECK(work.gate().code == ExitCode::Environment);
}

TEST_CASE("JSON has the verdicts and the exit code; an unwritable output is refused first") {
  Workplace work;
  work.update();
  work.options.format = Format::Json;
  const Outcome run = work.gate();
  CHECK(contains(run.out, "\"exit_code\": 0"));
  CHECK(contains(run.out, "\"verdict\": \"pass\""));
  work.options.junit = (work.folder / "no" / "such" / "junit.xml").string();
  CHECK(work.gate().code == ExitCode::Usage);
  CHECK(work.gate().out.empty());
}

TEST_CASE("a case that the baseline lacks passes, and is printed and counted") {
  Workplace work;
  work.update();
  write_file(work.options.suite, read_file(work.options.suite) +
                                     "  - name: fresh\n    problem: 1024x1024x1024\n"
                                     "    config: cta=128x128x64,cluster=1x1,stages=4\n");
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::Good);
  CHECK(contains(run.out, "not in the baseline"));
  CHECK(contains(run.out, "1 new, 1 pass\n"));
}

TEST_CASE("a run prints its phase on stderr, and on stdout what it did not compare") {
  Workplace work;
  work.update();
  const Outcome run = work.gate(compiler("driver none", "NVRTC 13.0.88"));
  CHECK(contains(run.err, "suite: complete (1)\n"));
  CHECK(contains(run.err, "suite: compile (1)\n"));
  CHECK(contains(run.err, "suite: price (1)\n"));
  CHECK(contains(run.out, "the baseline has no registers and spills"));
  CHECK(contains(work.gate().out, "registers and spills were not compared"));
}

TEST_CASE("an update prints old and new numbers and counts unchanged cases") {
  Workplace work;
  CHECK(contains(work.update().out, "1 new\n"));
  CHECK(contains(work.update().out, "1 unchanged\n"));
  work.write_suite("swizzle-merge:4", 2);
  const Outcome changed = work.update();
  CHECK(changed.code == ExitCode::Good);
  CHECK(contains(changed.out, "predicted_us "));
  CHECK(contains(changed.out, " -> "));
  CHECK(contains(changed.out, "stages=2, baseline 4"));
  CHECK(contains(changed.out, "1 changed\n"));
  CHECK(work.gate().code == ExitCode::Good);
  write_file(work.options.baseline, "schema: tilewright.baseline/2\n");
  const Outcome repaired = work.update();
  CHECK(repaired.code == ExitCode::Good);
  CHECK(contains(repaired.out, "cannot be read"));
  CHECK(work.gate().code == ExitCode::Good);
}

TEST_CASE("'-' writes one file to stdout in place of the report; two of them are refused") {
  Workplace work;
  work.update();
  work.options.junit = "-";
  CHECK(work.gate().out.starts_with("<?xml"));
  CHECK(work.gate().out.ends_with("</testsuite>\n"));
  work.options.summary = "-";
  const Outcome both = work.gate();
  CHECK(both.code == ExitCode::Usage);
  CHECK(contains(both.err, "--junit - and --summary -"));
  CHECK(both.out.empty());
  work.options.junit.clear();
  CHECK(work.gate().out.starts_with("### tilewright gate"));
  work.options.format = Format::Json;
  CHECK(work.gate().code == ExitCode::Usage);
  work.options.format = Format::Text;
  work.options.summary.clear();
  work.options.baseline = "-";
  CHECK(work.update().out.starts_with("schema: tilewright.baseline/2"));
}

TEST_CASE("CI files: the summary is appended; an output over another file is refused") {
  Workplace work;
  work.update();
  work.options.summary = (work.folder / "summary.md").string();
  CHECK(contains(work.gate().out, "1 pass\n"));
  CHECK(contains(read_file(work.options.summary), "| pass | ragged |"));
  // Text that the CI step wrote earlier stays.
  const std::string once = read_file(work.options.summary);
  write_file(work.options.summary, "# Tests");
  CHECK(work.gate().code == ExitCode::Good);
  CHECK(read_file(work.options.summary) == "# Tests\n" + once);
  work.options.junit = work.options.summary;
  CHECK(work.gate().code == ExitCode::Usage);
  work.options.junit = (work.folder / "." / "baseline.yaml").string();
  const Outcome destroying = work.gate();
  CHECK(destroying.code == ExitCode::Usage);
  CHECK(contains(destroying.err, "which is --baseline"));
  work.options.junit = work.options.suite;
  CHECK(work.gate().code == ExitCode::Usage);
  work.options.junit = "/dev/null";
  work.options.summary = "/dev/null";
  CHECK(work.gate().code == ExitCode::Good);
}

TEST_CASE("annotations go to stdout beside the report, but to stderr beside JSON") {
  Workplace work;
  work.update();
  work.write_suite("split-merge:4");
  work.options.annotates = true;
  const Outcome text = work.gate();
  CHECK(text.out.starts_with("::error file="));
  CHECK(text.out.ends_with("1 regression\n"));
  CHECK(contains(text.out, "title=ragged%3A regression::"));
  work.options.format = Format::Json;
  const Outcome json = work.gate();
  CHECK_FALSE(contains(json.out, "::error"));
  CHECK(contains(json.err, "::error file="));
}

TEST_CASE("only the reference library and the self-check need no baseline") {
  Workplace work;
  work.options.baseline.clear();
  const Outcome without = work.gate();
  CHECK(without.code == ExitCode::Usage);
  CHECK(contains(without.err, "--baseline FILE"));
  work.options.self_check = true;
  CHECK(work.gate().code == ExitCode::Good);
  CHECK(contains(work.gate().out, "worse ones"));
  work.options.mode.reset();
  CHECK(work.gate(gpu(100)).code == ExitCode::Good);
  CHECK(work.update().code == ExitCode::Usage);
  work.options.self_check = false;
  work.options.mode = GateMode::Reference;
  CHECK(work.gate(gpu(100)).code == ExitCode::Good);
  CHECK(work.gate(gpu(110)).code == ExitCode::No);
  CHECK(work.gate().code == ExitCode::Environment);
  CHECK(work.update(gpu(100)).code == ExitCode::Usage);
}

TEST_CASE("an A/B takes the configs of a baseline that was written without a GPU") {
  Workplace work;
  work.update();
  work.options.mode = GateMode::Ab;
  CHECK(contains(work.gate(gpu(100)).out, "nothing to compare"));
  work.write_suite("swizzle-merge:4", 2);
  const Outcome run = work.gate(gpu(100));
  CHECK(run.code == ExitCode::Good);
  CHECK(contains(run.out, "stages=2, baseline 4"));
}

TEST_CASE("a slowdown of more than 1 % fails unless --threshold allows it") {
  Workplace work;
  work.options.mode.reset();
  CHECK(work.update(gpu(100)).code == ExitCode::Good);
  CHECK(work.gate(gpu(103)).code == ExitCode::No);
  work.options.threshold_pct = 5;
  CHECK(work.gate(gpu(103)).code == ExitCode::Good);
}

TEST_CASE("a tuned config replaces the suite's") {
  Workplace work;
  work.options.from = (work.folder / "best.yaml").string();
  CHECK(work.gate().code == ExitCode::Usage);  // there is no best.yaml
  work.options.update = true;
  CHECK(work.gate().code == ExitCode::Usage);
}

TEST_CASE("a waiver excuses a regression through its last day, and the report names that day") {
  Workplace work;
  work.write_pair("", "swizzle-merge:4", 4);
  CHECK(work.update().code == ExitCode::Good);
  const auto waive = [](const char* number) {
    return format("  - {{case: ragged, number: {}, until: 2026-12-24, reason: in review}}\n",
                  number);
  };
  const std::string head = "trade: none\nwaivers:\n" + waive("predicted_us");
  work.write_pair(head, "swizzle-merge:4", 2);
  const Outcome quiet = work.gate_on("2026-12-01");
  CHECK(quiet.code == ExitCode::Good);
  CHECK(contains(quiet.out, "1 waived, 1 pass"));
  CHECK(contains(quiet.out, "passes until 2026-12-24: in review"));
  CHECK_FALSE(contains(quiet.out, "ends on 2026-12-24"));
  CHECK(contains(work.gate_on("2026-12-17").out, "ends on 2026-12-24"));
  CHECK(work.gate_on("2026-12-24").code == ExitCode::Good);
  const Outcome late = work.gate_on("2026-12-25");
  CHECK(late.code == ExitCode::No);
  CHECK(contains(late.out, "ended on 2026-12-24: in review"));
  // One waiver does not excuse two worse numbers.
  work.write_pair("waivers:\n" + waive("slots"), "split-merge:4", 4);
  CHECK(work.gate_on("2026-12-01").code == ExitCode::No);
}

TEST_CASE("thresholds: the flag overrides the case's, and the case's overrides the suite's") {
  Workplace work;
  work.write_pair("", "swizzle-merge:4", 4);
  CHECK(work.update().code == ExitCode::Good);
  const auto code = [&](const std::string& head) {
    work.write_pair(head + "judge: [time]\n", "swizzle-merge:4", 2);
    return work.gate().code;
  };
  CHECK(code("") == ExitCode::No);
  CHECK(code("threshold: 99\n") == ExitCode::Good);
  work.options.threshold_pct = 1;
  CHECK(code("threshold: 99\n") == ExitCode::No);
}

TEST_CASE("--promote and --accept-model rewrite only the cases that changed") {
  Workplace work;
  work.write_pair("", "split-merge:4", 4);
  CHECK(work.update().code == ExitCode::Good);
  const std::string split = read_file(work.options.baseline);
  work.write_pair("", "swizzle-merge:4", 4);
  CHECK(contains(work.gate().out, "--promote"));
  work.options.promote = true;
  const Outcome promoted = work.gate();
  CHECK(promoted.code == ExitCode::Good);
  CHECK(contains(promoted.out, "1 changed, 1 pass"));
  const std::string better = read_file(work.options.baseline);
  CHECK(better != split);
  // The other case, the last one in both files, stays byte for byte.
  const auto tail = [](const std::string& text) { return text.substr(text.find("name: other")); };
  CHECK(tail(better) == tail(split));
  work.options.promote = false;
  CHECK(contains(work.gate().out, "2 pass"));

  const std::string us = "predicted_us: ";
  write_file(work.options.baseline, testing::replaced(better, us, us + "1"));
  CHECK(work.gate().code == ExitCode::NoBaseline);
  work.options.accept_model = true;
  CHECK(work.gate().code == ExitCode::Good);
  CHECK(read_file(work.options.baseline) == better);
  // A regression in another case prevents the rewrite.
  write_file(work.options.baseline, testing::replaced(better, us, us + "1"));
  const std::string edited = read_file(work.options.baseline);
  work.write_suite("swizzle-merge:4");
  CHECK(work.gate().code == ExitCode::No);
  CHECK(read_file(work.options.baseline) == edited);
}

TEST_CASE("--case compares and updates some cases of a suite; an unknown name is bad input") {
  Workplace work;
  work.write_pair("", "swizzle-merge:4", 4);
  CHECK(work.update().code == ExitCode::Good);
  const std::string whole = read_file(work.options.baseline);
  work.write_pair("", "split-merge:4", 4);
  work.options.cases = {"other"};
  const Outcome part = work.gate();
  CHECK(part.code == ExitCode::Good);
  CHECK(contains(part.out, "1 pass"));
  CHECK(work.update().code == ExitCode::Good);
  CHECK(read_file(work.options.baseline) == whole);
  work.options.cases = {"ragged"};
  CHECK(work.gate().code == ExitCode::No);
  CHECK(work.update().code == ExitCode::Good);
  work.options.cases = {};
  CHECK(contains(work.gate().out, "2 pass"));
  work.options.cases = {"raged"};
  const Outcome misspelt = work.gate();
  CHECK(misspelt.code == ExitCode::Usage);
  CHECK(contains(misspelt.err, "did you mean 'ragged'?"));
}

TEST_CASE("a case that keeps its name but computes another problem fails") {
  Workplace work;
  const auto write = [&work](const std::string& problem, const std::string& kind) {
    write_file(work.options.suite,
               format("schema: tilewright.suite/1\ncases:\n  - name: ragged\n    problem: {}\n{}"
                      "    config: cta=128x128x64,stages=4\n",
                      problem, kind));
  };
  write("2048x2048x2048", "");
  CHECK(work.update().code == ExitCode::Good);
  CHECK(work.gate().code == ExitCode::Good);
  for (const char* const kind :
       {"    dtype: f16\n", "    layout: nn\n", "    op: syrk\n", "    out_dtype: f32\n"}) {
    CAPTURE(kind);
    write("2048x2048x2048", kind);
    const Outcome run = work.gate();
    CHECK(run.code == ExitCode::No);
    CHECK(contains(run.out, "ragged"));
    CHECK(contains(run.out, "was 2048x2048x2048 bf16 tn in the baseline and is"));
  }
  write("2048x2048x4096", "");
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::No);
  CHECK(contains(run.out, "and is 2048x2048x4096"));
}

TEST_CASE("after an update of one case the gate still reports the other case's regression") {
  Workplace work;
  work.write_pair("", "swizzle-merge:4", 4);
  CHECK(work.update().code == ExitCode::Good);
  const std::string good = read_file(work.options.suite);
  const std::string stages = "stages=4";
  write_file(work.options.suite,
             testing::replaced(testing::replaced(good, stages, "stages=2"), stages, "stages=2"));
  work.options.cases = {"ragged"};
  CHECK(work.update().code == ExitCode::Good);
  work.options.cases = {};
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::No);
  CHECK(contains(run.out, "1 regression, 1 pass"));
  CHECK(run.out.find("other") < run.out.find("ragged"));
}

TEST_CASE("a gate that compares nothing fails, except with --allow-new") {
  Workplace work;
  work.write_suite("swizzle-merge:4");
  CHECK(work.update().code == ExitCode::Good);
  const std::string text = read_file(work.options.baseline);
  const auto compares_nothing = [&](const char* why) {
    const Outcome run = work.gate();
    CHECK(run.code == ExitCode::NoBaseline);
    CHECK(contains(run.err, why));
    work.options.allow_new = true;
    CHECK(work.gate().code == ExitCode::Good);
    work.options.allow_new = false;
  };
  write_file(work.options.baseline,
             text.substr(0, text.find("cases:")) + "cases: []\ncomplete: true\n");
  compares_nothing("the baseline is empty");
  // A renamed case counts as one lost case and one new case.
  write_file(work.options.baseline, testing::replaced(text, "name: ragged", "name: raged"));
  work.options.allow_new = true;
  CHECK(work.gate().code == ExitCode::No);
  work.options.allow_new = false;
  write_file(work.options.baseline, text);
  work.write_pair("", "swizzle-merge:4", 4);
  CHECK(work.gate().code == ExitCode::Good);
  work.options.cases = {"other"};
  compares_nothing("every case is new");
}

TEST_CASE("an A/B of equal configs compares nothing and ends with no baseline") {
  Workplace work;
  work.options.mode.reset();
  CHECK(work.update(gpu(100)).code == ExitCode::Good);
  work.options.mode = GateMode::Ab;
  const Outcome same = work.gate(gpu(100));
  CHECK(same.code == ExitCode::NoBaseline);
  CHECK(contains(same.err, "every config is the baseline's"));
  work.options.allow_new = true;
  CHECK(work.gate(gpu(100)).code == ExitCode::Good);
}

TEST_CASE("every run adds a line to the history, and trend reads and exports it") {
  Workplace work;
  CHECK(work.update().code == ExitCode::Good);
  work.options.history = (work.folder / "history.jsonl").string();
  CHECK(work.gate().code == ExitCode::Good);
  const std::string first = read_file(work.options.history);
  CHECK(work.gate().code == ExitCode::Good);
  const std::string both = read_file(work.options.history);
  CHECK(both.starts_with(first));
  CHECK(std::count(both.begin(), both.end(), '\n') == 2);
  const auto trend = [&](std::optional<TrendExport> as) {
    return testing::printed(
               Format::Text,
               [&](Console&) {
                 return run_gate_trend({.history = work.options.history, .export_as = as});
               })
        .out;
  };
  CHECK(contains(trend(std::nullopt), "0 changes in 2 runs"));
  CHECK(contains(trend(TrendExport::Otava), "\"ragged.predicted_us\""));
  CHECK(contains(trend(TrendExport::Bencher), "\"ragged\": {"));
}

}  // namespace
}  // namespace tilewright
