// bench --beside: what reaches the runner, what is printed, and what is refused.
#include <doctest/doctest.h>

#include <string>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "support/error_message.hpp"
#include "verbs/bench_verb.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

BenchOptions beside_options(const char* beside) {
  BenchOptions options;
  options.problem = "1024x1024x1024";
  options.configs = {"cta=128x128x64,raster=row", "stages=3"};
  options.rounds = 12;
  options.against = parse_references("cublaslt");
  if (*beside != '\0') options.beside = parse_beside(beside);
  return options;
}

ResolvedDevice gpu_with_neighbour() {
  return testing::fake_gpu([](testing::FakeRunner& runner) {
    runner.beside_gb_per_s = [](const Contender& c) { return c.config ? 1041.0 : 977.0; };
  });
}

Outcome bench_beside(const BenchOptions& options, const ResolvedDevice& device) {
  return testing::printed(options.format, [&](Console& console) {
    return bench_on(device, read_bench(options), console);
  });
}

const RunnerOptions& opened_with(const ResolvedDevice& device) {
  return dynamic_cast<const testing::FakeHost&>(*device.backend).asked();
}

TEST_CASE("the runner is opened with the neighbour that the option names") {
  for (const char* const beside : {"", "copy", "collective:8"}) {
    const ResolvedDevice gpu = gpu_with_neighbour();
    BenchOptions options = beside_options(beside);
    CHECK(bench_beside(options, gpu).code == ExitCode::Good);
    CHECK(opened_with(gpu).beside == options.beside);
    options.regime = Regime::Cold;
    bench_beside(options, gpu);
    CHECK(opened_with(gpu).regime == Regime::Cold);
  }
}

TEST_CASE("the rates are a line, a column and keys, with the option only") {
  BenchOptions options = beside_options("copy");
  options.kind.sms = 100;
  const Outcome text = bench_beside(options, gpu_with_neighbour());
  CHECK(contains(text.out, "\nbeside copy on 32 multiprocessors: 1180 GB/s alone\n"));
  CHECK(contains(text.out, " beside GB/s\n"));
  CHECK(contains(text.out, "\nbeside reference algorithm 1: 977 GB/s\n"));
  options.format = Format::Csv;
  CHECK(contains(bench_beside(options, gpu_with_neighbour()).out, ",ratio,beside GB/s,"));
  options.format = Format::Json;
  const auto json = Document::parse(bench_beside(options, gpu_with_neighbour()).out);
  CHECK(json.at("beside") ==
        Document{{"kind", "copy"}, {"multiprocessors", 32}, {"alone_gb_per_s", 1180.0}});
  CHECK(json.at("rows")[1].at("beside_gb_per_s") == 1041.0);
  CHECK(json.at("baseline").at("beside_gb_per_s") == 977.0);
  for (const Format format : {Format::Text, Format::Csv, Format::Json}) {
    BenchOptions without = beside_options("");
    without.format = format;
    CHECK(!contains(bench_beside(without, gpu_with_neighbour()).out, "beside"));
  }
}

TEST_CASE("a neighbour without a rate is reported, and the times stay") {
  BenchOptions options = beside_options("collective:1");
  const Outcome text = bench_beside(options, testing::fake_gpu());
  CHECK(text.code == ExitCode::Good);
  CHECK(contains(text.out, "\nbeside collective on 1 multiprocessor: no rate: nothing runs"));
  options.format = Format::Json;
  const auto json = Document::parse(bench_beside(options, testing::fake_gpu()).out);
  CHECK(contains(json.at("beside").at("reason").get<std::string>(), "nothing runs"));
  CHECK(json.at("rows")[0].contains("median_us"));
}

TEST_CASE("problems of a suite share a neighbour, or say that theirs differ") {
  BenchOptions options = beside_options("copy");
  options.problem = "@" TILEWRIGHT_SOURCE_DIR "/presets/problems/quickstart.yaml";
  options.configs = {"cta=128x128x64"};
  const auto print = [&](int sms) {
    return testing::printed(options.format, [&](Console& console) {
      BenchRequest request = read_bench(options);
      request.workloads = {workload_of(Problem{{1024, 1024, 1024}}),
                           workload_of(Problem{{2048, 512, 256}})};
      request.workloads[1].kind.sms = sms;
      return bench_on(gpu_with_neighbour(), request, console);
    });
  };
  CHECK(contains(print(0).out, "\nbeside copy on 32 multiprocessors: 1180 GB/s alone\n"));
  CHECK(contains(print(0).out, " beside GB/s "));
  CHECK(
      contains(print(120).out, "\nbeside copy on the multiprocessors that each product leaves\n"));
}

TEST_CASE("a neighbour needs a GPU, and room beside the product") {
  BenchOptions options = beside_options("copy");
  options.against = nullptr;
  CHECK(contains(bench_beside(options, testing::fake_preset()).err,
                 "--beside copy needs a GPU, and device"));
  CHECK(bench_beside(options, testing::fake_preset()).code == ExitCode::Environment);
  options.kind.sms = 120;
  options.beside = parse_beside("copy:13");
  for (const ResolvedDevice& device : {testing::fake_preset(), testing::fake_gpu()}) {
    const Outcome outcome = bench_beside(options, device);
    CHECK(outcome.code == ExitCode::Usage);
    CHECK(contains(outcome.err, "--sms 120 and --beside copy:13 take 133 multiprocessors"));
  }
  options.kind.sms = 0;
  options.kind.parallel = Collective::ReduceScatter;
  options.kind.gpus = 2;
  CHECK(contains(testing::error_message_of([&] { read_bench(options); }),
                 "--beside is for products of one GPU"));
}

}  // namespace
}  // namespace tilewright
