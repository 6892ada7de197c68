#include "verbs/tune_verb.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "search/stack_support.hpp"
#include "store/best_table.hpp"
#include "support/error_message.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::FakeRunner;

const std::vector<Problem> kThree = {{{512, 512, 512}}, {{1024, 1024, 1024}}, {{768, 2048, 512}}};

using testing::Outcome;

std::string temporary(const std::string& name) {
  const auto folder = std::filesystem::temp_directory_path();
  return (folder / format("tilewright-{}-{}", ::getpid(), name)).string();
}

std::vector<Workload> workloads_of(const std::vector<Problem>& problems) {
  std::vector<Workload> workloads;
  for (const Problem& problem : problems) workloads.push_back(workload_of(problem));
  return workloads;
}

// Searches a part of the space unless the test sets another: the verb does not depend on it.
Outcome run(const TuneOptions& options, const ResolvedDevice& device,
            const std::vector<Problem>& problems = kThree) {
  TuneOptions quick = options;
  quick.problems = {"512x512x512"};  // the share is what is tuned
  if (quick.config.empty()) quick.config = "family=sm90,schedule=pingpong,cluster=1x1,raster=row";
  return testing::outcome_of([&](Console& console) {
    const auto verb = [&](const ReportSink& show) {
      return tune_problems(read_tune(quick), share_of(workloads_of(problems)), {device}, show,
                           console);
    };
    Console answers = beside_document(quick.output, console);
    return print_parts(verb, quick.format, answers);
  });
}

// A GPU that calls `hook` before it times a config.
ResolvedDevice gpu_with_hook(const std::function<void()>& before_timing) {
  return testing::fake_gpu([before_timing](FakeRunner& runner) {
    runner.time_us = [before_timing](const TileConfig&) {
      before_timing();
      return 100.0;
    };
  });
}

using testing::contains;

TEST_CASE("a measured run prints a table per problem and a summary, and writes the artefact") {
  TuneOptions options;
  options.output = temporary("best.yaml");
  options.rounds = 20;
  const Outcome outcome = run(options, testing::fake_gpu());
  CHECK(outcome.code == ExitCode::Good);
  CHECK(contains(outcome.out, "geometric mean vs ref: 1.0"));
  CHECK(!contains(outcome.out, "predicted, nothing ran"));
  const Artefact artefact = load_best(options.output);
  CHECK(artefact.entries.size() == 3);
  CHECK(!artefact.predicted);
  CHECK(artefact.rounds == 20);
  CHECK(artefact.method.timer == "fake");
  for (const Problem& problem : kThree) {
    REQUIRE(find_entry(artefact, workload_of(problem)) != nullptr);
    CHECK(find_entry(artefact, workload_of(problem))->timing.has_value());
  }
  std::filesystem::remove(options.output);
}

TEST_CASE("the report, the summary and the artefact name problems where the library is faster") {
  TuneOptions options;
  options.output = temporary("library.yaml");
  options.rounds = 20;
  const Outcome outcome = run(options, testing::fake_gpu([](FakeRunner& runner) {
                                runner.reference_us = {120.0, 90.0};
                              }));
  CHECK(contains(outcome.out, "winner: library, reference algorithm 1\n"));
  CHECK(contains(outcome.out, "choice"));
  CHECK(contains(outcome.out, " library\n"));
  CHECK(
      contains(read_file(options.output), "winner: library\n    algorithm: reference algorithm 1"));
  std::filesystem::remove(options.output);
}

TEST_CASE("a store keeps the measurements: a resumed run measures nothing twice") {
  TuneOptions options;
  options.store = temporary("store.jsonl");
  options.rounds = 10;
  int64_t timed = 0;
  const ResolvedDevice device = gpu_with_hook([&timed] { ++timed; });
  const Outcome first = run(options, device);
  CHECK(timed > 0);
  timed = 0;
  options.resume = true;
  const Outcome kept = run(options, device);
  CHECK(kept.code == ExitCode::Good);
  CHECK(contains(kept.err, "3 problems: " + options.store + " holds the answers already; kept"));
  CHECK(timed == 0);
  // A run that was killed before it had its answers takes the same steps again.
  std::string records;
  const std::string text = read_file(options.store);
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty() && !contains(line, "\"answer\"")) records.append(line).append("\n");
  }
  write_file(options.store, records);
  const Outcome second = run(options, device);
  CHECK(second.code == ExitCode::Good);
  CHECK(second.out == first.out);
  CHECK(contains(second.err, "launches came from the store, 0 were timed"));
  CHECK(timed == 0);
  // Other options are another session.
  options.rounds = 11;
  CHECK(contains(run(options, device).err, "no run with these options"));
  CHECK(timed > 0);
  std::filesystem::remove(options.store);
}

// `count` GPUs of one host; arrange(runner, i) sets up the runner of GPU i.
std::vector<ResolvedDevice> gpus(int count, const std::function<void(FakeRunner&, int)>& arrange) {
  std::vector<std::string> uuids;
  for (int i = 0; i < count; ++i) uuids.push_back(format("GPU-{}", i));
  std::vector<ResolvedDevice> devices;
  for (int i = 0; i < count; ++i) {
    const auto open = [arrange, i] {
      auto runner = std::make_unique<FakeRunner>();
      runner->noise = 0;
      arrange(*runner, i);
      return runner;
    };
    devices.push_back({.spec = testing::h200(),
                       .gpu_index = i,
                       .backend = std::make_shared<testing::FakeHost>(open, uuids),
                       .why_no_gpu = ""});
  }
  return devices;
}

Outcome run_on(const TuneOptions& options, const std::vector<ResolvedDevice>& devices) {
  TuneOptions quick = options;
  quick.problems = {"512x512x512"};
  quick.config = "family=sm90,schedule=pingpong,cluster=1x1,stages=4,raster=row";
  quick.rounds = 10;
  return testing::shown(quick.format, [&](const ReportSink& show, Console& console) {
    return tune_problems(read_tune(quick), share_of(workloads_of(kThree)), devices, show, console);
  });
}

TEST_CASE("several GPUs write the artefact of one, in the order of the problems") {
  TuneOptions options;
  options.output = temporary("several.yaml");
  std::string alone;
  for (const int count : {1, 2, 3, 5}) {
    options.store = temporary(format("several-{}.jsonl", count));
    const Outcome outcome = run_on(options, gpus(count, [](FakeRunner&, int) {}));
    CHECK(outcome.code == ExitCode::Good);
    if (count == 1) alone = read_file(options.output);
    CHECK(read_file(options.output) == alone);
    // Other GPUs of the same model keep the answers and measure nothing.
    options.resume = true;
    const auto must_not = [](FakeRunner& runner, int) {
      runner.time_us = [](const TileConfig&) {
        FAIL_CHECK("a kernel was timed");
        return 1.0;
      };
    };
    std::vector<ResolvedDevice> others = gpus(6, must_not);
    others.erase(others.begin(), others.begin() + count);
    const Outcome resumed = run_on(options, {others.back()});
    CHECK(resumed.code == ExitCode::Good);
    CHECK(contains(resumed.err, "already; kept"));
    CHECK(read_file(options.output) == alone);
    options.resume = false;
    std::filesystem::remove(options.store);
  }
  std::filesystem::remove(options.output);
}

// Counts how often each problem is built.
class CountingCompiler : public KernelCompiler {
 public:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, int> asked;
  };
  explicit CountingCompiler(Counts& counts) : counts_(counts) {}
  std::vector<BuildResult> build(std::span<const Plan> plans, const std::string&) override {
    const std::lock_guard lock(counts_.mutex);
    ++counts_.asked[to_string(plans.front().workload)];
    return std::vector<BuildResult>(plans.size());
  }

 private:
  Counts& counts_;
};

TEST_CASE("each problem is compiled once, by any GPU, and not at all if a store has its answer") {
  TuneOptions options;
  options.store = temporary("ahead.jsonl");
  const auto asked = [&] {
    CountingCompiler::Counts counts;
    std::vector<ResolvedDevice> devices = gpus(2, [](FakeRunner&, int) {});
    for (const ResolvedDevice& device : devices) {
      dynamic_cast<testing::FakeHost&>(*device.backend).make_compiler = [&counts] {
        return std::make_unique<CountingCompiler>(counts);
      };
    }
    CHECK(run_on(options, devices).code == ExitCode::Good);
    return counts.asked;
  };
  const std::map<std::string, int> first = asked();
  CHECK(first.size() == kThree.size());
  for (const auto& [problem, times] : first) CHECK(times == 1);
  options.resume = true;
  CHECK(asked().empty());
  std::filesystem::remove(options.store);
}

TEST_CASE("a GPU that fails loses its current problem, and the run ends with 4") {
  TuneOptions options;
  options.output = temporary("ended.yaml");
  const Outcome outcome = run_on(options, gpus(2, [](FakeRunner& runner, int index) {
                                   if (index == 0) return;
                                   runner.time_us = [](const TileConfig&) -> double {
                                     throw environment_error("GPU 1 fell off the bus");
                                   };
                                 }));
  CHECK(outcome.code == ExitCode::Environment);
  CHECK(contains(outcome.err, "GPU 1 fell off the bus: the other GPUs continue"));
  CHECK(load_best(options.output).entries.size() == 2);
  std::filesystem::remove(options.output);
}

TEST_CASE("the shares of the ranks contain each problem once") {
  std::vector<Problem> problems;
  for (int64_t i = 1; i < 40; ++i) problems.push_back({{128 * i, 256 * (i % 5 + 1), 512}});
  for (const int size : {1, 2, 4, 7, 50}) {
    std::multiset<size_t> indices;
    for (int rank = 0; rank < size; ++rank) {
      const TuneShare share = share_of(workloads_of(problems), {.rank = rank, .size = size});
      indices.insert(share.indices.begin(), share.indices.end());
      CHECK(std::is_sorted(share.indices.begin(), share.indices.end()));
    }
    CHECK(indices.size() == problems.size());
    CHECK(std::set<size_t>(indices.begin(), indices.end()).size() == problems.size());
  }
}

TEST_CASE("a budget of configs is kept, and the choice meets --require") {
  TuneOptions options;
  options.rounds = 10;
  options.budget.configs = 9;
  options.config = "family=sm90";  // split-K in order of arrival among the rest
  options.require.deterministic = true;
  options.format = Format::Json;
  const auto json = Document::parse(run(options, testing::fake_gpu(), {{{128, 128, 65536}}}).out);
  const auto& entry = json.at("entries")[0];
  CHECK(entry.at("considered").at("measured") == 9);
  CHECK(entry.at("considered").at("rejected").at("determinism").get<int>() > 0);
  CHECK(entry.at("determinism") == "bitwise");
}

TEST_CASE("a search for another stack is marked in the artefact, and best prints that mark") {
  TuneOptions options;
  options.rounds = 10;
  options.budget.configs = 9;
  options.config = "family=sm90";
  options.require = parse_requirement("export:triton");
  options.output = temporary("triton.yaml");
  run(options, testing::fake_gpu(), {{{512, 512, 512}}});
  const Artefact artefact = load_best(options.output);
  const TuneEntry& entry = artefact.entries.front();
  CHECK(entry.required == "export:triton");
  CHECK(why_unsupported(Stack::Triton, entry.problem, entry.choice).empty());
  BestOptions asked;
  asked.problem = "512x512x512";
  asked.from = options.output;
  for (const BestExport as :
       {BestExport::Config, BestExport::Yaml, BestExport::Json, BestExport::Triton}) {
    CAPTURE(static_cast<int>(as));
    asked.export_as = as;
    const Outcome best = testing::printed(
        Format::Text, [&](Console& console) { return run_best(read_best(asked), console); });
    CHECK(best.code == ExitCode::Good);
    CHECK(contains(best.err, "found with --require export:triton"));
    if (as != BestExport::Config) CHECK(contains(best.out, "export:triton"));
  }
  options.config = "schedule=pingpong";
  CHECK(run(options, testing::fake_gpu(), {{{512, 512, 512}}}).code == ExitCode::No);
}

TEST_CASE("a preset's run is marked as predicted everywhere and runs nothing") {
  TuneOptions options;
  options.output = temporary("predicted.yaml");
  const Outcome outcome = run(options, testing::fake_preset());
  CHECK(outcome.code == ExitCode::Good);
  CHECK(contains(outcome.out, "predicted, nothing ran"));
  CHECK(load_best(options.output).predicted);
  std::filesystem::remove(options.output);
}

TEST_CASE("JSON on standard output is only JSON, and holds what the artefact holds") {
  for (const bool gpu : {true, false}) {
    TuneOptions options;
    options.format = Format::Json;
    options.rounds = 10;
    const Outcome outcome = run(options, gpu ? testing::fake_gpu() : testing::fake_preset());
    const auto json = Document::parse(outcome.out);
    CHECK(json.at("entries").size() == 3);
    CHECK(json.at("schema") == "tilewright.best/1");
    CHECK(json.at("entries")[0].at("evidence").contains("median_us") == gpu);
  }
}

TEST_CASE("with the artefact on standard output the tables are left out") {
  std::ostringstream standard_output;
  std::streambuf* const before = std::cout.rdbuf(standard_output.rdbuf());
  TuneOptions options;
  options.output = "-";
  const Outcome outcome = run(options, testing::fake_preset());
  std::cout.rdbuf(before);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "predicted us"));
  CHECK(parse_best(standard_output.str(), "standard output").entries.size() == 3);
}

TEST_CASE("an interrupt keeps the finished problems") {
  TuneOptions options;
  options.output = temporary("interrupted.yaml");
  options.rounds = 10;
  int64_t timed = 0;
  REQUIRE(run(options, gpu_with_hook([&timed] { ++timed; })).code == ExitCode::Good);
  const int64_t interrupted_at = timed * 3 / 4;
  timed = 0;
  std::filesystem::remove(options.output);
  const Outcome outcome = run(options, gpu_with_hook([&timed, interrupted_at] {
                                if (++timed == interrupted_at) request_interruption();
                              }));
  CHECK(outcome.code == ExitCode::Interrupted);
  CHECK(contains(outcome.err, "interrupted: 2 of 3 problems"));
  CHECK(load_best(options.output).entries.size() == 2);
  std::filesystem::remove(options.output);
}

TEST_CASE("every finished problem is on disk before the next one ends") {
  TuneOptions options;
  options.output = temporary("growing.yaml");
  options.rounds = 10;
  std::set<size_t> seen = {0};
  std::string last;
  run(options, gpu_with_hook([&] {
        if (!std::filesystem::exists(options.output)) return;
        // Parses the file only if it changed: the hook runs thousands of times.
        const std::string text = read_file(options.output);
        if (text == last) return;
        seen.insert(load_best(options.output).entries.size());
        last = text;
      }));
  CHECK(seen == std::set<size_t>{0, 1, 2});
  std::filesystem::remove(options.output);
}

TEST_CASE("an interrupt before the first answer leaves an older artefact unchanged") {
  TuneOptions options;
  options.output = temporary("old.yaml");
  run(options, testing::fake_gpu(), {kThree[0]});
  const std::string older = read_file(options.output);
  request_interruption();
  const Outcome outcome = run(options, testing::fake_gpu());
  CHECK(outcome.code == ExitCode::Interrupted);
  CHECK(read_file(options.output) == older);
  std::filesystem::remove(options.output);
}

TEST_CASE("tunes into one file keep other problems and types, and replace the same problem") {
  TuneOptions options;
  options.output = temporary("shared.yaml");
  options.rounds = 10;
  const auto gpu_with_driver = [](const std::string& driver) {
    const ResolvedDevice device = testing::fake_gpu();
    dynamic_cast<testing::FakeHost&>(*device.backend).driver = driver;
    return device;
  };
  const Problem half{.shape = kThree[0].shape, .kind = {.dtype = DataType::F16}};
  run(options, gpu_with_driver("1.0"), {kThree[0]});
  const TuneEntry first = load_best(options.output).entries[0];
  REQUIRE(first.origin);
  CHECK(first.origin->software.driver == "1.0");
  CHECK(first.origin->software.library == "cublasLt 13.1.0");
  CHECK(first.origin->rounds == 10);
  run(options, gpu_with_driver("1.0"), {kThree[1], half});
  CHECK(load_best(options.output).entries.size() == 3);
  CHECK(load_best(options.output).entries[0] == first);
  options.format = Format::Json;
  const Outcome again = run(options, gpu_with_driver("2.0"), {kThree[1]});
  CHECK(load_best(options.output).entries.size() == 3);
  CHECK(load_best(options.output).entries[0] == first);
  CHECK(contains(again.err, "1024x1024x1024 bf16 tn: "));
  CHECK(contains(again.err, "driver 1.0 is now 2.0"));
  CHECK(contains(again.err, "2 answers of other problems kept"));
  CHECK(contains(again.err, "the answers' driver differs: 1.0 (2 answers), 2.0 (1 answer)"));
  // Standard output holds only the requested problem, because scripts read it.
  CHECK(Document::parse(again.out).at("entries").size() == 1);
  CHECK(Document::parse(again.out).at("entries")[0].at("origin").at("driver") == "2.0");
  options.format = Format::Text;
  // Refused before anything runs, except with --overwrite.
  const Outcome predicted = run(options, testing::fake_preset(), {kThree[2]});
  CHECK(predicted.code == ExitCode::Usage);
  CHECK(contains(predicted.err, "a prediction replaces no measurement"));
  options.regime = Regime::Hot;
  const Outcome hot =
      run(options, testing::fake_gpu([](FakeRunner&) { FAIL("a runner was opened"); }));
  CHECK(hot.code == ExitCode::Usage);
  CHECK(contains(hot.err, "--regime rotate"));
  options.overwrite = true;
  CHECK(run(options, testing::fake_gpu_of("hot"), {kThree[2]}).code == ExitCode::Good);
  CHECK(load_best(options.output).entries.size() == 1);
  std::filesystem::remove(options.output);
}

TEST_CASE("a wrong kernel beside right ones is named on stderr and changes no exit code") {
  TuneOptions options;
  options.rounds = 10;
  const Outcome outcome = run(options, testing::fake_gpu([](FakeRunner& runner) {
                                runner.is_wrong = [](const TileConfig& c) { return c.cta.m == 64; };
                              }));
  CHECK(outcome.code == ExitCode::Good);
  CHECK(contains(outcome.err, "wrong results, not timed: family=sm90,cta=64x"));
}

TEST_CASE("where all kernels are wrong for one problem the others are still tuned; exit 5") {
  TuneOptions options;
  options.output = temporary("wrong.yaml");
  options.rounds = 10;
  // The results of the runner's first problem are wrong.
  const Outcome outcome =
      run(options, testing::fake_gpu([](FakeRunner& runner) {
            FakeRunner* const self = &runner;
            runner.is_wrong = [self](const TileConfig&) {
              return std::count(self->calls.begin(), self->calls.end(), "prepare") == 1;
            };
          }));
  CHECK(outcome.code == ExitCode::WrongResult);
  CHECK(contains(outcome.err, "computed wrong results"));
  CHECK(load_best(options.output).entries.size() == 2);
  std::filesystem::remove(options.output);
}

TEST_CASE("nothing legal: exit 1, with the rule") {
  TuneOptions options;
  options.config = "cta=256x256x64";
  for (const ResolvedDevice& device : {testing::fake_gpu(), testing::fake_preset()}) {
    const Outcome outcome = run(options, device);
    CHECK(outcome.code == ExitCode::No);
    CHECK(contains(outcome.err, "rule registers"));
  }
}

TEST_CASE("a dry run counts what each rule removes and runs nothing") {
  TuneOptions options;
  options.dry_run = true;
  const ResolvedDevice device = testing::fake_gpu([](FakeRunner&) { FAIL("a runner was opened"); });
  const Outcome text = run(options, device);
  CHECK(text.code == ExitCode::Good);
  CHECK(contains(text.out, "shared-memory"));
  options.format = Format::Json;
  const auto json = Document::parse(run(options, device).out);
  for (const auto& problem : json.at("problems")) {
    int64_t sum = problem.at("legal").get<int64_t>();
    for (const auto& rule : problem.at("rejected").items()) sum += rule.value().get<int64_t>();
    CHECK(sum == problem.at("enumerated").get<int64_t>());
  }
}

TEST_CASE("operands beyond the device's memory are refused before anything runs") {
  const ResolvedDevice device = testing::fake_gpu([](FakeRunner&) { FAIL("a runner was opened"); });
  const Outcome outcome = run({}, device, {{{512, 512, 512}}, {{1000000, 1000000, 64}}});
  CHECK(outcome.code == ExitCode::Usage);
  CHECK(contains(outcome.err, "1000000x1000000x64"));
}

TEST_CASE("read_tune refuses bad option values before anything looks for a device") {
  const auto message = [](const TuneOptions& options) -> std::string {
    try {
      read_tune(options);
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::Usage);
      return error.what();
    }
    return "";
  };
  TuneOptions options;
  options.device = "no such device";
  options.problems = {"64x64x64", "64x0x64"};
  CHECK(contains(message(options), "N is 0"));
  options.problems = {"64x64x64"};
  options.config = "cta=banana";
  CHECK(contains(message(options), "banana"));
  options.config = "";
  options.resume = true;
  CHECK(contains(message(options), "--store"));
  options.resume = false;
  options.incumbent = "cta=128x128x64";
  CHECK(contains(message(options), "'family' is missing"));
  options.incumbent = "";
  options.output = "/no/such/folder/best.yaml";
  CHECK(contains(message(options), "/no/such/folder"));
}

TEST_CASE("tables fit a narrow terminal") {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  console.terminal_out = true;
  console.terminal_err = true;
  console.width = 60;
  TuneOptions options;
  options.problems = {"512x512x512"};
  options.rounds = 10;
  print_parts(
      [&](const ReportSink& show) {
        return tune_problems(read_tune(options), share_of(workloads_of(kThree)),
                             {testing::fake_gpu()}, show, console);
      },
      Format::Text, console);
  std::istringstream lines(out.str());
  bool in_table = false;
  int tables = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("best:") == 0) in_table = false;
    if (in_table) CHECK(line.size() <= 60);
    if (line.find("#  ") == 0) in_table = ++tables > 0;
  }
  CHECK(tables == 3);
}

}  // namespace
}  // namespace tilewright
