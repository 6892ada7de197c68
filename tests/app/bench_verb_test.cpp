#include "verbs/bench_verb.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::FakeRunner;
using testing::Outcome;

Outcome run_bench(const BenchOptions& options, const ResolvedDevice& device) {
  return testing::printed(options.format, [&](Console& console) {
    BenchOptions cube = options;
    cube.problem = "1024x1024x1024";
    return bench_on(device, read_bench(cube), console);
  });
}

BenchOptions two() {
  BenchOptions options;
  options.problem = "1x1x1";
  options.configs = {"cta=128x128x64,raster=row", "stages=3"};
  options.rounds = 12;
  return options;
}

TEST_CASE("requested and effective values are both printed, and JSON output is only JSON") {
  BenchOptions options = two();
  for (const ResolvedDevice& device : {testing::fake_gpu(), testing::fake_preset()}) {
    options.format = Format::Text;
    const std::string text = run_bench(options, device).out;
    CHECK(text.find("requested cta=128x128x64,raster=row") != std::string::npos);
    CHECK(text.find("in all rows: effective family=sm90,") != std::string::npos);
    options.format = Format::Csv;
    const std::string csv = run_bench(options, device).out;
    CHECK(csv.rfind("#,requested,family,cta,", 0) == 0);
    CHECK(csv.find("\r\n1,\"cta=128x128x64,raster=row\",sm90,128x128x64,") != std::string::npos);
    options.format = Format::Json;
    const auto json = Document::parse(run_bench(options, device).out);
    CHECK(json.at("predicted") == (device.gpu_index < 0));
    CHECK(json.at("rows")[1].at("requested") == "stages=3");
    const auto effective = json.at("rows")[1].at("effective").get<std::string>();
    CHECK(parse_config(effective).values.stages == 3);
    CHECK(json.at("rows")[0].contains("median_us") == (device.gpu_index >= 0));
  }
}

// As the command line calls the verb.
Outcome answered(const BenchOptions& options) {
  const BenchRequest request = read_bench(options);
  if (!request.sweep) {
    return testing::printed(options.format,
                            [&](Console& console) { return run_bench(request, console); });
  }
  return testing::outcome_of([&](Console& console) {
    return print(sweep_bench(request, console), options.format, console);
  });
}

TEST_CASE("a decomposition that cuts as a simpler one does is marked, in text and JSON") {
  BenchOptions options;
  options.problem = "128x4096x8192";
  options.device = "h200";
  options.configs = {"cta=128x128x64,decomposition=split-k:4",
                     "cta=128x128x64,decomposition=stream-k,swap_ab=true,raster=split-merge:3"};
  const auto out = [&options] { return answered(options).out; };
  CHECK(out().find("predicted; equals split-k:4\n") != std::string::npos);
  options.format = Format::Json;
  const auto rows = Document::parse(out()).at("rows");
  CHECK_FALSE(rows[0].contains("equals"));
  CHECK(rows[1].at("equals") == "split-k:4");
}

TEST_CASE("the effective config lists the keys of groups and triangles at their defaults too") {
  struct Case {
    const char* shapes;
    MatrixOp op;
    const char* config;
    const char* keys;
  };
  for (const Case& c :
       {Case{"256x256x256,512x256x256", MatrixOp::Gemm, ",group_schedule=device-only",
             ",group_schedule=device-only,problem_order=given,swap_ab="},
        Case{"512x512x256", MatrixOp::Syrk, "",
             ",decomposition=data-parallel,visitor=triangular,swap_ab="},
        Case{"256x256x256,512x512x256", MatrixOp::Syrk, ",group_schedule=dynamic",
             ",group_schedule=dynamic,problem_order=given,visitor=triangular,swap_ab="},
        Case{"512x512x256", MatrixOp::Gemm, "", ",decomposition=data-parallel,swap_ab="}}) {
    Workload workload;
    workload.op = c.op;
    workload.shapes = parse_shapes(c.shapes, c.op);
    BenchOptions options;
    options.problem = "1x1x1";
    options.configs = {std::string("cta=128x128x64,problem_order=given,"
                                   "decomposition=data-parallel") +
                       c.config};
    if (!is_group(workload)) options.configs = {"cta=128x128x64,decomposition=data-parallel"};
    for (const Format format : {Format::Text, Format::Json}) {
      options.format = format;
      const Outcome outcome = testing::printed(format, [&](Console& console) {
        BenchRequest request = read_bench(options);
        request.workloads = {workload};
        return bench_on(testing::fake_preset(), request, console);
      });
      CAPTURE(outcome.out);
      CHECK(outcome.out.find(c.keys) != std::string::npos);
    }
  }
}

TEST_CASE("the regime is printed with the times; hot launches have no predicted times") {
  BenchOptions options = two();
  options.format = Format::Json;
  for (const char* const regime : {"rotate", "hot", "cold"}) {
    options.regime = parse_regime(regime);
    const ResolvedDevice gpu = testing::fake_gpu_of(regime);
    const auto json = Document::parse(run_bench(options, gpu).out);
    const bool is_hot = options.regime == Regime::Hot;
    CHECK(json.at("regime") == regime);
    CHECK(testing::asked_regime(gpu) == regime);
    CHECK(json.at("rows")[0].contains("predicted_us") != is_hot);
    CHECK(run_bench(options, testing::fake_preset()).code ==
          (is_hot ? ExitCode::Environment : ExitCode::Good));
  }
}

TEST_CASE("against the reference needs a GPU and a known name") {
  BenchOptions options = two();
  options.against = parse_references("cublaslt");
  CHECK(run_bench(options, testing::fake_preset()).code == ExitCode::Environment);
  const Outcome measured = run_bench(options, testing::fake_gpu());
  CHECK(measured.code == ExitCode::Good);
  CHECK(measured.out.find("reference algorithm 1") != std::string::npos);
  const std::string unknown = testing::error_message_of([] { parse_references("cublasl"); });
  CHECK(unknown.find("did you mean 'cublaslt'") != std::string::npos);
}

TEST_CASE("a sweep times every config at every value, also relative to the first config") {
  BenchOptions options = two();
  options.format = Format::Json;
  options.device = "h200";
  options.kind.op = "syr2k";
  const std::string config =
      "cta=128x128x64,raster=row,group_schedule=device-only,problem_order=given";
  options.configs = {config, config + ",visitor=plain"};
  options.problem = "512x512x{k},4096x4096x{k}";
  options.sweep.range = parse_sweep_range("k=64,512");
  options.sweep.metrics = {"1.predicted_us,2.predicted_us,2.over_first"};
  const auto answer = [](const BenchOptions& o) { return Document::parse(answered(o).out); };
  const Document swept = answer(options);
  BenchOptions one = options;
  one.sweep = {};
  one.problem = "512x512x512,4096x4096x512";
  const Document rows = answer(one).at("rows");
  CHECK(rows[0].at("imbalance") < rows[1].at("imbalance"));
  const auto us = [&](int row) { return rows[static_cast<size_t>(row)].at("predicted_us"); };
  const Document point = swept.at("points").at(1);
  CHECK(point.at("1.predicted_us") == us(0));
  CHECK(point.at("2.predicted_us") == us(1));
  CHECK(point.at("2.over_first").get<double>() ==
        doctest::Approx(us(1).get<double>() / us(0).get<double>()));
}

TEST_CASE("a sweep's picture has the times of all configs in one panel, with legend and units") {
  BenchOptions options = two();
  options.device = "h200";
  options.configs = {"cta=128x256x64", "cta=128x128x64", "cta=64x128x64"};
  options.problem = "1024x1024x{k}";
  options.sweep.range = parse_sweep_range("k=64..4096*4");
  const auto picture = [](BenchOptions o, const std::string& metric) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "sweep.svg";
    o.sweep.picture.output = file.string();
    if (!metric.empty()) o.sweep.metrics = {metric};
    CHECK(answered(o).code == ExitCode::Good);
    return read_file(file);
  };
  const auto count = [](const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  const std::string both = picture(options, "");
  CHECK(count(both, ">predicted time, us</text>") == 1);
  CHECK(count(both, ">time divided by the time of config 1</text>") == 1);
  CHECK(count(both, ">k, elements</text>") == 2);
  CHECK(count(both, "class=\"curve\"") == 6);
  for (size_t i = 0; i < options.configs.size(); ++i) {
    CHECK(count(both, format(">{}: {}</text>", i + 1, options.configs[i])) == 1);
  }
  const std::string times = picture(options, "1.predicted_us,3.predicted_us");
  CHECK(count(times, ">predicted time, us</text>") == 1);
  CHECK(count(times, "class=\"curve\"") == 2);
  CHECK(count(times, ">3: cta=64x128x64</text>") == 1);
}

TEST_CASE("counters are printed beside the predictions, or the reason why there are none") {
  BenchOptions options = two();
  options.counters = true;
  CHECK(run_bench(options, testing::fake_gpu()).out.find(" 1000.00 ") != std::string::npos);
  options.format = Format::Json;
  // The model does not predict hot launches.
  const auto hot = Document::parse(run_bench(options, testing::fake_gpu_of("hot")).out);
  for (const Document& row : hot.at("rows")) {
    CHECK(row.contains("counters"));
    CHECK(!row.contains("predicted_dram_read_bytes"));
    CHECK(!row.contains("predicted_dram_write_bytes"));
  }
  const auto counted = Document::parse(run_bench(options, testing::fake_gpu()).out);
  for (const Document& row : counted.at("rows")) {
    CHECK(row.at("counters").at("dram_read_bytes") == 1e9);
    CHECK(row.at("predicted_dram_read_bytes").get<double>() > 0);
  }
  const Outcome refused = run_bench(
      options, testing::fake_gpu([](FakeRunner& runner) { runner.counters_permitted = false; }));
  CHECK(refused.code == ExitCode::Environment);
  CHECK(Document::parse(refused.out).at("rows")[0].at("why_no_counters") ==
        "not permitted: needs root");
  CHECK(run_bench(options, testing::fake_gpu([](FakeRunner& runner) {
                    runner.is_wrong = [](const TileConfig&) { return true; };
                  }))
            .code == ExitCode::WrongResult);
  CHECK(run_bench(options, testing::fake_preset()).code == ExitCode::Environment);
}

TEST_CASE("exit codes: wrong results 5, refused by the compiler 1, illegal 2") {
  CHECK(run_bench(two(), testing::fake_gpu([](FakeRunner& runner) {
                    runner.is_wrong = [](const TileConfig& c) { return c.stages == 3; };
                  }))
            .code == ExitCode::WrongResult);
  CHECK(run_bench(two(), testing::fake_gpu([](FakeRunner& runner) {
                    runner.compiles = [](const TileConfig& c) { return c.stages == 3; };
                  }))
            .code == ExitCode::No);
  BenchOptions illegal = two();
  illegal.configs = {"cta=256x256x64"};
  CHECK(run_bench(illegal, testing::fake_gpu()).code == ExitCode::Usage);
}

}  // namespace
}  // namespace tilewright
