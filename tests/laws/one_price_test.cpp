// One plan, one price: every verb reports the same time for a config, and proof, picture and list
// show the same assignments.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "draw/assignment_grids.hpp"
#include "model/estimate.hpp"
#include "model/timeline.hpp"
#include "request/job.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "search/predict.hpp"
#include "search/rank.hpp"
#include "search/tuner.hpp"
#include "store/device_preset.hpp"
#include "store/rate_keys.hpp"
#include "support/devices.hpp"
#include "support/fake_backend.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "verbs/schedule_subject.hpp"
#include "verbs/sweep.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

bool same(double a, double b) {
  return std::abs(a - b) <= 1e-3 * std::max(a, b);
}

double analysed_us(const std::string& shape, const TileConfig& config) {
  ScheduleOptions options;
  options.problem = shape;
  options.config = to_string(config);
  options.device = "h200";
  const ScheduleSubject subject = plan_schedule(read_schedule_request(options));
  CHECK(subject.plan.config == config);
  CHECK(subject.not_runnable.empty());
  const ScheduleNumbers numbers = report_schedule(subject);
  CHECK(numbers.report.proof.complete);
  return numbers.report.predicted_us.value_or(-1);
}

double benched_us(const Problem& problem, const TileConfig& config) {
  return predict_bench(workload_of(problem), testing::h200(), {{"", config}})
      .rows.front()
      .predicted.us;
}

double tuned_us(const Problem& problem, const TileConfig& config) {
  TunePolicy policy;
  policy.spaces = requested_spaces(parse_config(to_string(config)));
  const TuneResult result = predict(workload_of(problem), testing::h200(), policy);
  CHECK(result.entry.choice == config);
  return result.entry.predicted.us;
}

// The picture must have the units of the list.
bool draws_assignments(const Plan& plan) {
  std::vector<std::vector<WorkTile>> drawn(static_cast<size_t>(plan.ctas()));
  for (const DealtUnit& dealt : dealt_units(plan)) {
    if (dealt.unit.kind != UnitKind::Work) continue;
    drawn[static_cast<size_t>(dealt.unit.cta)].push_back(dealt.unit.work);
  }
  return drawn == assignments(plan);
}

const std::vector<const char*> kDecompositions = {"data-parallel",
                                                  "split-k:2",
                                                  "split-k:3:serial-tma",
                                                  "split-k:4:atomic",
                                                  "split-k:2:atomic-tma",
                                                  "split-k:5:workspace",
                                                  "split-k:4:reduce-scatter",
                                                  "split-k:2:in-place",
                                                  "split-k:4:cluster",
                                                  "stream-k",
                                                  "stream-k:one-tile:atomic",
                                                  "stream-k:all:workspace",
                                                  "stream-k:serial-tma"};

TEST_CASE("analyze, bench, tune and the timeline give one time for every legal config") {
  int64_t compared = 0;
  for (const char* const shape :
       {"512x512x4096", "1000x1500x2049", "256x256x8192", "2304x1152x1024", "4097x640x512"}) {
    const Problem problem{parse_shape(shape)};
    for (const char* const tile : {"cta=128x128x64,stages=4,cluster=1x1",
                                   "cta=128x128x64,stages=5,cluster=2x1,raster=swizzle-merge:2",
                                   "cta=128x112x64,stages=4,cluster=1x1,schedule=pingpong",
                                   "cta=64x128x64,stages=6,cluster=2x2,raster=hilbert",
                                   "cta=64x64x64,stages=6,cluster=4x2,raster=row",
                                   "cta=192x128x64,stages=4,cluster=1x2,raster=col"}) {
      for (const char* const decomposition : kDecompositions) {
        TileConfig config = config_of(parse_config(std::string("family=sm90,") + tile));
        config.decomposition = parse_decomposition(decomposition);
        if (reject_config(problem, config, testing::h200())) continue;
        CAPTURE(shape);
        CAPTURE(to_string(config));
        const Plan plan = make_plan(problem, config, testing::h200());
        const double us = estimate(plan, testing::h200()).us;
        CHECK(same(us, predict_timeline(plan, testing::h200()).us));
        CHECK(same(us, analysed_us(shape, config)));
        CHECK(same(us, benched_us(problem, config)));
        CHECK(same(us, tuned_us(problem, config)));
        CHECK(draws_assignments(plan));
        ++compared;
      }
    }
  }
  for (const char* const config :
       {"family=sm80,cta=128x128x32,warps=2x2,stages=4,smem=fitted,raster=row,"
        "decomposition=data-parallel",
        "family=sm80,cta=64x64x64,warps=2x2,stages=3,smem=fitted,raster=swizzle-merge:2,"
        "decomposition=split-k:2:workspace",
        "family=sm80,cta=64x64x64,warps=2x2,stages=3,smem=fitted,raster=row,"
        "decomposition=split-k:4:serial",
        "family=skinny,cta=8x16x128,k_warps=4,stages=2,decomposition=data-parallel",
        "family=skinny,cta=8x32x128,k_warps=8,stages=2,decomposition=split-k:2:workspace"}) {
    for (const char* const shape : {"8x4096x4096", "8x28672x4096", "1024x2000x1024"}) {
      const Problem problem{parse_shape(shape)};
      const TileConfig parsed = config_of(parse_config(config));
      if (reject_config(problem, parsed, testing::h200())) continue;
      CAPTURE(shape);
      CAPTURE(config);
      const Plan plan = make_plan(problem, parsed, testing::h200());
      const double us = estimate(plan, testing::h200()).us;
      CHECK(same(us, predict_timeline(plan, testing::h200()).us));
      CHECK(same(us, analysed_us(shape, parsed)));
      CHECK(same(us, benched_us(problem, parsed)));
      CHECK(same(us, tuned_us(problem, parsed)));
      ++compared;
    }
  }
  MESSAGE("compared ", compared, " pairs");
  CHECK(compared >= 200);
}

TEST_CASE("groups and triangles have one time in all commands, in every schedule and order") {
  for (const char* const shapes : {"1152x768x128,1152x768x1024,768x1152x128",
                                   "512x512x512,0x512x64,512x256x0,1024x512x4096"}) {
    for (const char* const decomposition :
         {"data-parallel", "split-k:3:workspace", "split-k:2", "stream-k", "stream-k:all:atomic"}) {
      for (const char* const schedule : {"device-only", "host-precompute", "dynamic"}) {
        for (const char* const order : {"given", "k-descending", "lpt"}) {
          ScheduleOptions options;
          options.problem = shapes;
          options.device = "h200";
          options.config = std::string("cta=128x128x64,cluster=1x1,decomposition=") + decomposition;
          options.group_schedule = parse_group_schedule(schedule);
          options.problem_order = parse_problem_order(order);
          CAPTURE(shapes);
          CAPTURE(options.config);
          CAPTURE(schedule);
          CAPTURE(order);
          const ScheduleSubject subject = plan_schedule(read_schedule_request(options));
          const ScheduleNumbers numbers = report_schedule(subject);
          CHECK(numbers.report.proof.complete);
          // For groups, kernels run whole tiles, or parts that the host's table assigns.
          const bool runs = decomposition == std::string("data-parallel") ||
                            (decomposition == std::string("split-k:2") &&
                             schedule == std::string("host-precompute"));
          CHECK(subject.not_runnable.empty() == runs);
          CHECK(same(numbers.report.predicted_us.value_or(-1),
                     estimate(subject.plan, testing::h200()).us));
          CHECK(draws_assignments(subject.plan));
        }
      }
    }
  }
  for (const char* const op : {"syrk", "syr2k", "her2k"}) {
    ScheduleOptions options;
    options.problem = "1024x1024x512";
    options.device = "h200";
    options.kind.op = op;
    options.cta = "128x128x64";
    const ScheduleSubject subject = plan_schedule(read_schedule_request(options));
    const ScheduleNumbers numbers = report_schedule(subject);
    CHECK(numbers.report.proof.complete);
    CHECK(
        same(numbers.report.predicted_us.value_or(-1), estimate(subject.plan, testing::h200()).us));
  }
}

TEST_CASE("bench and analyze give triangles of any tile shape one time") {
  int64_t compared = 0;
  for (const char* const op : {"syrk", "syr2k", "her2k"}) {
    for (const char* const uplo : {"lower", "upper"}) {
      for (const char* const problem : {"264x264x64", "1000x1000x512", "5000x5000x300"}) {
        for (const char* const tile :
             {"cta=128x128x64", "cta=256x128x64", "cta=128x256x64", "cta=64x128x64",
              "cta=128x192x64,raster=swizzle-merge:4", "cta=128x128x64,visitor=plain"}) {
          ScheduleOptions options;
          options.problem = problem;
          options.device = "h200";
          options.kind.op = op;
          options.kind.uplo = uplo;
          options.config = std::string("family=sm90,cluster=1x1,swap_ab=false,") + tile;
          CAPTURE(op);
          CAPTURE(uplo);
          CAPTURE(problem);
          CAPTURE(tile);
          const ScheduleSubject subject = plan_schedule(read_schedule_request(options));
          const ScheduleReport report = report_schedule(subject).report;
          const Estimate benched =
              predict_bench(subject.plan.workload, testing::h200(), {{"", subject.plan.config}})
                  .rows.front()
                  .predicted;
          CHECK(report.predicted_us.value_or(-1) == doctest::Approx(benched.us).epsilon(0.001));
          // wave_efficiency is tiles over the places of all waves.
          if (!visits_square(subject.plan)) {
            const double places = static_cast<double>(benched.waves * subject.plan.resident);
            CHECK(benched.wave_efficiency ==
                  doctest::Approx(static_cast<double>(report.proof.wanted) / places));
          }
          ++compared;
        }
      }
    }
  }
  CHECK(compared == 108);
}

// Missing keys of a request are completed in one way.
TEST_CASE("analyze and bench complete a config alike and predict the same time") {
  struct Kind {
    const char* problem;
    const char* op = "gemm";
    const char* uplo = "";
    const char* layout = "tn";
  };
  int64_t compared = 0;
  for (const Kind& kind :
       {Kind{"300x1024x512,256x256x256"}, Kind{"700x1024x512,0x1024x512,9x1024x512"},
        Kind{"64x64x4096,64x64x64", "gemm", "", "nt"}, Kind{"520x520x256", "syrk", "upper"},
        Kind{"264x264x64,512x512x128", "syr2k"}, Kind{"512x512x128", "her2k", "full"},
        Kind{"301x520x1024"}, Kind{"8x512x16384"}}) {
    for (const char* const config :
         {"cta=128x128x64", "cta=128x64x64,stages=4", "cluster=2x1", "schedule=pingpong",
          "cta=64x128x64,swap_ab=false", "cta=128x128x64,cluster=1x1,raster=row",
          "stages=3,l2_promotion=128", "cta=128x128x64,group_schedule=dynamic",
          "cta=192x128x64,visitor=plain", "family=sm80,cta=64x64x64", "stages=2"}) {
      KindOptions options;
      options.layout = kind.layout;
      options.op = kind.op;
      options.uplo = kind.uplo;
      const Workload workload = read_workload(kind.problem, options);
      const ConfigRequest request = parse_config(config);
      if (!complete(request, workload, testing::h200()).config) continue;
      CAPTURE(kind.problem);
      CAPTURE(kind.op);
      CAPTURE(config);
      ScheduleOptions analyzed;
      analyzed.problem = kind.problem;
      analyzed.kind.op = kind.op;
      analyzed.kind.uplo = kind.uplo;
      analyzed.kind.layout = kind.layout;
      analyzed.config = config;
      analyzed.device = "h200";
      const ScheduleSubject subject = plan_schedule(read_schedule_request(analyzed));
      CHECK(subject.not_runnable.empty());
      const TileConfig benched = complete_config(request, workload, subject.device);
      CHECK(launch_config_text(subject.plan.config, workload) ==
            launch_config_text(benched, workload));
      CHECK(same(
          report_schedule(subject).report.predicted_us.value_or(-1),
          predict_bench(workload, subject.device, {{config, benched}}).rows.front().predicted.us));
      ++compared;
    }
  }
  MESSAGE("compared ", compared, " completions");
  CHECK(compared >= 50);
}

TEST_CASE("options beside --config act as keys of the config") {
  ScheduleOptions options;
  options.problem = "300x1024x512,256x256x256";
  options.device = "h200";
  options.config = "cta=128x128x64";
  for (const char* const schedule : {"device-only", "host-precompute", "dynamic"}) {
    options.group_schedule = parse_group_schedule(schedule);
    ScheduleOptions in_config = options;
    in_config.config += std::string(",group_schedule=") + schedule;
    in_config.group_schedule.reset();
    const TileConfig config = plan_schedule(read_schedule_request(options)).plan.config;
    CHECK(to_string(config.group_schedule) == schedule);
    CHECK(config == plan_schedule(read_schedule_request(in_config)).plan.config);
  }
}

TEST_CASE("every verb that predicts times names the rates of another device in one line") {
  const auto lines = [](const std::string& device) {
    const auto said = [](const auto& verb) { return testing::outcome_of(verb).err; };
    std::vector<std::string> all;
    ScheduleOptions schedule;
    schedule.problem = "512x512x512";
    schedule.cta = "128x128x64";
    schedule.device = device;
    all.push_back(said([&](Console& c) {
      return print(run_analyze_schedule(read_schedule_request(schedule)), Format::Text, c);
    }));
    schedule.sweep.range = parse_sweep_range("splits=1..2");
    all.push_back(
        said([&](Console& c) { return print(sweep_schedule(schedule, c), Format::Text, c); }));
    GridOptions grid;
    grid.grid = "8x8";
    grid.raster = "row";
    grid.cta = "128x128x64";
    grid.k = 512;
    grid.device = device;
    all.push_back(said([&](Console& c) {
      return print(run_analyze_grid(read_grid_request(grid)), Format::Text, c);
    }));
    GridOptions ranked = grid;
    ranked.grid = "1024x1024x512";
    ranked.raster.clear();
    ranked.k = 0;
    ranked.rank = true;
    all.push_back(said([&](Console& c) {
      return print(run_rank_grid(read_rank_request(ranked), c), Format::Text, c);
    }));
    BenchOptions bench;
    bench.problem = "512x512x512";
    bench.configs = {"family=sm90,cta=128x128x64,stages=4"};
    bench.device = device;
    all.push_back(
        said([&](Console& c) { return print(run_bench(read_bench(bench), c), bench.format, c); }));
    TuneOptions tune;
    tune.problems = {"512x512x512"};
    tune.device = device;
    all.push_back(said([&](Console& c) {
      const auto verb = [&](const ReportSink& show) {
        return run_tune(read_tune(tune), show, c, testing::no_backend);
      };
      return print_parts(verb, tune.format, c);
    }));
    return all;
  };
  const std::string line = borrowed_rates_line(load_device_preset("h100"));
  CHECK(line.starts_with("device h100: "));
  for (const std::string& said : lines("h100")) {
    CAPTURE(said);
    const size_t at = said.find(line + '\n');
    CHECK(at != std::string::npos);
    CHECK(said.find(line, at + 1) == std::string::npos);
  }
  for (const std::string& said : lines("h200")) {
    CAPTURE(said);
    CHECK(said.find("are those of") == std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright
