#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "record/document.hpp"
#include "request/job.hpp"
#include "store/best_table.hpp"
#include "support/artefacts.hpp"
#include "support/error_message.hpp"
#include "verbs/bench_verb.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

const std::vector<Problem> kSuiteProblems = {
    {.shape = {1024, 1024, 1024}},
    {.shape = {2048, 512, 256}, .kind = {.layout = MatrixLayout::NT}}};

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const Problem& problem : kSuiteProblems) all.push_back(workload_of(problem));
  return all;
}

testing::Outcome run_suite(const BenchOptions& options, const ResolvedDevice& device) {
  BenchOptions named = options;
  named.problem = "@" TILEWRIGHT_SOURCE_DIR "/presets/problems/quickstart.yaml";
  return testing::printed(options.format, [&](Console& console) {
    BenchRequest request = read_bench(named);
    request.workloads = workloads();
    return bench_on(device, request, console);
  });
}

TEST_CASE("a suite's ratios, their mean and the ceiling come from the same rounds") {
  BenchOptions options;
  options.against = parse_references("cublaslt");
  options.rounds = 12;
  options.format = Format::Json;
  // The reference's fastest algorithm takes 104 us, the configs take 100 us.
  const auto json = Document::parse(run_suite(options, testing::fake_gpu()).out);
  CHECK(json.at("geometric_mean").get<double>() == doctest::Approx(1.04).epsilon(0.02));
  CHECK(json.at("lowest").get<double>() <= json.at("geometric_mean").get<double>());
  REQUIRE(json.at("problems").size() == 2);
  CHECK(json.at("problems")[1].at("layout") == "nt");
  const auto& cube = json.at("problems")[0];
  const double floor_us =
      2.0 * 1024 * 1024 * 1024 / (4096.0 * 132 * testing::h200().sustained_clock_hz) * 1e6;
  CHECK(cube.at("ceiling_pct").get<double>() ==
        doctest::Approx(100 * floor_us / cube.at("rows")[0].at("median_us").get<double>()));
  options.format = Format::Text;
  const std::string text = run_suite(options, testing::fake_gpu()).out;
  CHECK(text.find("2048x512x256 bf16 nt") != std::string::npos);
  CHECK(text.find("geometric mean 1.0") != std::string::npos);
}

TEST_CASE("configs come from the artefact; for problems that it lacks they are chosen") {
  const auto path = std::filesystem::temp_directory_path() / "tilewright_bench_suite_best.yaml";
  Artefact artefact;
  TuneEntry entry;
  entry.problem = workload_of(kSuiteProblems[1]);
  entry.predicted.us = 9;
  entry.choice.cta = {64, 96, 64};
  entry.choice.stages = 5;
  artefact.entries = {entry};
  write_file(path, print_best(artefact));
  BenchOptions options;
  options.from = path.string();
  options.format = Format::Json;
  const testing::Outcome ran = run_suite(options, testing::fake_preset());
  options.configs = {"stages=3"};
  const testing::Outcome given = run_suite(options, testing::fake_preset());
  std::filesystem::remove(path);
  CHECK(testing::contains(ran.err, "1 of 2 problems are not in " + path.string() +
                                       ": the model chooses their configs\n"));
  CHECK(testing::contains(given.err, "1 of 2 problems are not in"));
  CHECK(testing::contains(given.err, "their configs are those of --config\n"));
  const auto json = Document::parse(ran.out);
  CHECK(json.at("problems")[0].at("rows")[0].at("requested") == "predicted best");
  CHECK(json.at("problems")[1].at("rows")[0].at("requested") == "tuned");
  CHECK(json.at("problems")[1].at("rows")[0].at("effective") == to_string(entry.choice));
}

TEST_CASE("the table's headline names the regime of its times") {
  BenchOptions options;
  options.rounds = 12;
  for (const std::string regime : {"rotate", "hot", "cold"}) {
    options.regime = parse_regime(regime);
    options.format = Format::Text;
    const ResolvedDevice gpu = testing::fake_gpu_of(regime);
    const std::string headline = run_suite(options, gpu).out.substr(0, 60);
    CHECK(testing::asked_regime(gpu) == regime);
    CHECK(testing::contains(headline, regime + " launches\n") == (regime != "rotate"));
    CHECK(testing::contains(headline, "launches") == (regime != "rotate"));
    if (regime != "hot") continue;
    options.format = Format::Json;
    const Document answer = Document::parse(run_suite(options, gpu).out);
    for (const Document& problem : answer.at("problems")) {
      CHECK(problem.at("regime") == regime);
    }
  }
  CHECK(run_suite(options, testing::fake_preset()).code ==
        ExitCode::Good);  // cold: the model predicts it
  options.regime = Regime::Hot;
  CHECK(run_suite(options, testing::fake_preset()).code == ExitCode::Environment);
}

TEST_CASE("an interrupted suite prints the finished problems") {
  BenchOptions options;
  options.format = Format::Json;
  options.rounds = 12;
  // Five pilot rounds, a warm-up and twelve rounds a problem.
  const auto run_until = [&](int64_t round) {
    const ResolvedDevice device = testing::fake_gpu(
        [round](testing::FakeRunner& runner) { runner.rounds_before_interrupt = round; });
    return run_suite(options, device);
  };
  REQUIRE(run_until(-1).code == ExitCode::Good);
  const testing::Outcome ran = run_until(27);
  CHECK(ran.code == ExitCode::Interrupted);
  CHECK(testing::contains(ran.err, "interrupted: 1 of 2 problems"));
  CHECK(Document::parse(ran.out).at("problems").size() == 1);
  CHECK(run_until(0).out.empty());
}

TEST_CASE("wrong results fail the suite, but its other problems are still printed") {
  const ResolvedDevice device = testing::fake_gpu([](testing::FakeRunner& runner) {
    runner.is_wrong = [first = true](const TileConfig&) mutable {
      return std::exchange(first, false);
    };
  });
  const testing::Outcome ran = run_suite({}, device);
  CHECK(ran.code == ExitCode::WrongResult);
  CHECK(ran.out.find("D(0, 64) is -1") != std::string::npos);
  CHECK(ran.out.find("2048x512x256") != std::string::npos);
}

TEST_CASE("several configs for several problems are refused") {
  BenchOptions options;
  options.configs = {"stages=3", "stages=4"};
  CHECK(run_suite(options, testing::fake_preset()).code == ExitCode::Usage);
}

TEST_CASE("the dense suite names every problem once") {
  const std::vector<Workload> problems = read_runnable(read_arguments({"@dense"}), {});
  CHECK(problems.size() > 40);
  for (size_t i = 0; i < problems.size(); ++i) {
    for (size_t j = 0; j < i; ++j) CHECK(problems[i] != problems[j]);
  }
}

}  // namespace
}  // namespace tilewright
