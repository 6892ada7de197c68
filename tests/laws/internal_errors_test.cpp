// An internal error in one problem costs that problem, never the run, in every verb that handles
// several problems.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "store/baseline.hpp"
#include "store/best_table.hpp"
#include "store/record_store.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/bench_verb.hpp"
#include "verbs/sweep.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::FakeRunner;
using testing::Outcome;

const std::vector<std::string> kShapes = {"512x512x512", "768x512x512", "1024x512x512"};
const std::string kBroken = kShapes[1];
const std::string kQuick = "family=sm90,schedule=pingpong,cluster=1x1,raster=row,stages=4";

// An unforeseen error while the broken problem is timed: from std::get, or an Error.
void break_at(FakeRunner& runner, bool foreseen) {
  FakeRunner* const self = &runner;
  runner.on_prepare = [self, foreseen](const Workload& workload) {
    const bool broken = shapes_text(workload) == kBroken;
    self->time_us = [broken, foreseen](const TileConfig&) -> double {
      if (!broken) return 100;
      if (foreseen) throw internal_error("made up");
      throw std::bad_variant_access();
    };
  };
}

BackendLoader host(bool foreseen, const std::vector<std::string>& gpus = {"GPU-1"}) {
  const auto open = [foreseen] {
    auto runner = std::make_unique<FakeRunner>();
    break_at(*runner, foreseen);
    return runner;
  };
  const auto backend = std::make_shared<testing::FakeHost>(open, gpus);
  return [backend] { return BackendOrReason{backend, ""}; };
}

ResolvedDevice broken_gpu() {
  return testing::fake_gpu([](FakeRunner& runner) { break_at(runner, false); });
}

struct BrokenFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / format("tilewright-broken-{}", ::getpid());
  BrokenFolder() { std::filesystem::create_directories(path); }
  ~BrokenFolder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

std::vector<Workload> all_workloads() {
  std::vector<Workload> workloads;
  for (const std::string& shape : kShapes) {
    workloads.push_back(workload_of({parse_shape(shape)}));
  }
  return workloads;
}

void check_named(const Outcome& outcome) {
  CHECK(outcome.code == ExitCode::Internal);
  CHECK(contains(outcome.err, "tilewright: internal error in " + kBroken + " bf16 tn: "));
}

TEST_CASE("after an internal error tune keeps the other problems, on one GPU and on several") {
  for (const std::vector<std::string>& gpus :
       {std::vector<std::string>{"A"}, std::vector<std::string>{"A", "B"}}) {
    for (const bool foreseen : {false, true}) {
      const BrokenFolder folder;
      TuneOptions options;
      options.problems = kShapes;
      options.device = gpus.size() > 1 ? "all" : "auto";
      options.config = kQuick;
      options.rounds = 5;
      options.output = folder.file("best.yaml");
      options.store = folder.file("store.jsonl");
      const Outcome outcome =
          testing::shown(options.format, [&](const ReportSink& show, Console& console) {
            return run_tune(read_tune(options), show, console, host(foreseen, gpus));
          });
      CAPTURE(outcome.err);
      check_named(outcome);
      CHECK(contains(outcome.err, "wrote " + options.output));
      const Artefact artefact = load_best(options.output);
      REQUIRE(artefact.entries.size() == 2);
      for (const TuneEntry& entry : artefact.entries) {
        CHECK(shapes_text(entry.problem) != kBroken);
        CHECK(entry.timing.has_value());
      }
      size_t answers = 0;
      for (const StoredRun& run : parse_records(read_file(options.store), "store").runs) {
        answers += run.answers.size();
      }
      CHECK(answers == 2);
    }
  }
}

TEST_CASE("after an internal error tune --dispatch keeps the trials of the other products") {
  const BrokenFolder folder;
  TuneOptions tuned;
  tuned.problems = {"256x512x512", "2048x512x512"};
  tuned.config = kQuick;
  tuned.rounds = 5;
  tuned.output = folder.file("best.yaml");
  const Outcome first = testing::shown(tuned.format, [&](const ReportSink& show, Console& console) {
    return run_tune(read_tune(tuned), show, console, host(false));
  });
  REQUIRE(first.code == ExitCode::Good);
  TuneOptions options;
  options.problems = kShapes;
  options.dispatch = tuned.output;
  options.rounds = 5;
  options.output = folder.file("ranges.yaml");
  const Outcome outcome =
      testing::shown(options.format, [&](const ReportSink& show, Console& console) {
        return run_tune(read_tune(options), show, console, host(false));
      });
  CAPTURE(outcome.err);
  check_named(outcome);
  CHECK_FALSE(load_best(options.output).trials.empty());
}

TEST_CASE("after an internal error bench prints the other problems") {
  BenchOptions options;
  options.problem = "1x1x1";
  options.configs = {kQuick + ",cta=128x128x64"};
  options.rounds = 5;
  options.format = Format::Json;
  const Outcome outcome = testing::printed(options.format, [&](Console& console) {
    BenchRequest request = read_bench(options);
    request.workloads = all_workloads();
    return bench_on(broken_gpu(), request, console);
  });
  check_named(outcome);
  CHECK(Document::parse(outcome.out).at("problems").size() == 2);
}

TEST_CASE("after an internal error a gate judges the other cases and writes no baseline") {
  const BrokenFolder folder;
  GateOptions options;
  options.suite = folder.file("suite.yaml");
  options.mode = GateMode::Reference;
  options.rounds = 5;
  std::string suite = "schema: tilewright.suite/1\ncases:\n";
  for (const std::string& shape : kShapes) {
    suite +=
        format("  - name: c{0}\n    problem: {0}\n    config: {1},cta=128x128x64\n", shape, kQuick);
  }
  write_file(options.suite, suite);
  const auto gate = [&] {
    return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
      return run_gate(read_gate(options), show, console, host(false));
    });
  };
  options.format = Format::Json;
  const Outcome outcome = gate();
  CHECK(outcome.code == ExitCode::Internal);
  const Document document = Document::parse(outcome.out);
  for (const Document& one : document.at("cases")) {
    CHECK((one.at("verdict") == "internal") == (one.at("name") == "c" + kBroken));
  }
  options.mode = GateMode::Baseline;
  options.update = true;
  options.baseline = folder.file("baseline.yaml");
  CHECK(gate().code == ExitCode::Internal);
  CHECK(is_missing(options.baseline));
}

// A verb prints a problem's part while it works on it. This buffer rejects text that names the
// broken problem, so that any verb can meet an unforeseen error.
class BrokenOutput : public std::stringbuf {
 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (contains(std::string(text, static_cast<size_t>(size)), kBroken)) {
      throw std::bad_variant_access();
    }
    return std::stringbuf::xsputn(text, size);
  }
};

// Restores the broken output as soon as a verb writes the error message.
class MendingOutput : public std::stringbuf {
 public:
  explicit MendingOutput(std::ostream& broken) : broken_(broken) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    broken_.clear();
    return std::stringbuf::xsputn(text, size);
  }

 private:
  std::ostream& broken_;
};

void check_others_printed(const TuneOptions& options) {
  BrokenOutput out_text;
  std::ostream out(&out_text);
  out.exceptions(std::ios::badbit);
  MendingOutput err_text(out);
  std::ostream err(&err_text);
  Console console{.out = out, .err = err};
  const auto verb = [&](const ReportSink& show) {
    return run_tune(read_tune(options), show, console, host(false));
  };
  const ExitCode code = print_parts(verb, options.format, console);
  check_named({code, out_text.str(), err_text.str()});
  CHECK(contains(out_text.str(), kShapes.front()));
  CHECK(contains(out_text.str(), kShapes.back()));
}

TEST_CASE("after an internal error tune --dry-run counts the other problems") {
  TuneOptions options;
  options.problems = kShapes;
  options.config = kQuick;
  options.dry_run = true;
  check_others_printed(options);
}

TEST_CASE("after an internal error tune --replay compares the other problems") {
  const BrokenFolder folder;
  TuneOptions options;
  options.problems = kShapes;
  options.config = kQuick;
  options.rounds = 5;
  options.store = folder.file("store.jsonl");
  const Outcome first =
      testing::shown(options.format, [&](const ReportSink& show, Console& console) {
        const auto backend = std::make_shared<testing::FakeHost>(
            [] { return std::make_unique<FakeRunner>(); }, std::vector<std::string>{"GPU-1"});
        return run_tune(read_tune(options), show, console, [backend] {
          return BackendOrReason{backend, ""};
        });
      });
  REQUIRE(first.code == ExitCode::Good);
  options.replay = options.store;
  options.store.clear();
  check_others_printed(options);
}

TEST_CASE("after an internal error a sweep shows the other values") {
  SweepOptions options;
  options.range = parse_sweep_range("depth=1..3");
  const Outcome outcome = testing::outcome_of([&](Console& console) {
    const auto subject = [](const std::string&) {
      return SweepSubject{.words = "made up",
                          .metric = "us",
                          .numbers_at = [](int64_t depth) -> std::vector<NamedNumber> {
                            if (depth == 2) throw std::bad_variant_access();
                            return {{"us", 12.5 * static_cast<double>(depth)}};
                          }};
    };
    return print(run_sweep(options, {}, subject, console), Format::Json, console);
  });
  CAPTURE(outcome.err);
  CHECK(outcome.code == ExitCode::Internal);
  CHECK(contains(outcome.out, "internal error: "));
  CHECK(contains(outcome.out, "12.5"));
  CHECK(contains(outcome.out, "37.5"));
}

}  // namespace
}  // namespace tilewright
