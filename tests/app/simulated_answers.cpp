// simulated_answers NAME: prints as JSON what a verb answers on a simulated GPU, for scripts that
// check the keys of documents with measured numbers.

#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/fake_device.hpp"
#include "base/error.hpp"
#include "host/console.hpp"
#include "layout/smem/wavefronts.hpp"
#include "render/report.hpp"
#include "support/devices.hpp"
#include "support/fake_backend.hpp"
#include "support/fake_link_prober.hpp"
#include "support/fake_prober.hpp"
#include "support/fake_runner.hpp"
#include "verbs/bench_verb.hpp"
#include "verbs/profile_verb.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::FakeBackend;
using testing::FakeRunner;

constexpr const char* kConfig = "cta=128x128x64,cluster=1x1,stages=4,raster=row";

BackendLoader host_of(std::vector<DeviceSpec> gpus) {
  auto backend = std::make_shared<FakeBackend>(std::move(gpus));
  backend->make_prober = [] { return std::make_unique<testing::FakeProber>(); };
  backend->make_runner = [](const DeviceSpec&) { return std::make_unique<FakeRunner>(); };
  backend->make_link_prober = [](std::span<const int>) {
    return std::make_unique<testing::FakeLinkProber>();
  };
  backend->findings = {{"counters", Health::Problem, "not permitted", "become root"},
                       {"driver", Health::Ok, "1.2.3", ""}};
  return [backend] { return BackendOrReason{backend, ""}; };
}

ExitCode device(std::string_view action, bool of_links, int gpus, Console& console) {
  DeviceOptions options;
  options.name = action == "list" ? "list" : "cuda:0";
  if (action != "list") options.action = action;
  options.links = of_links;
  const BackendLoader load =
      host_of(std::vector<DeviceSpec>(static_cast<size_t>(gpus), testing::h200()));
  return print(run_device(read_device(options), console, load), Format::Json, console);
}

ExitCode bench(const ResolvedDevice& gpu, Regime regime, Console& console) {
  BenchOptions options;
  options.problem = "512x512x512";
  options.configs = {kConfig, "cta=128x128x64,cluster=1x1,stages=3,raster=row"};
  options.rounds = 12;
  options.regime = regime;
  options.counters = true;
  options.against = parse_references("cublaslt");
  return print(bench_on(gpu, read_bench(options), console), Format::Json, console);
}

ExitCode profile(const ResolvedDevice& gpu, Regime regime, const std::string& trace,
                 Console& console) {
  ProfileOptions options;
  options.problem = "512x512x512";
  options.config = kConfig;
  options.regime = regime;
  options.trace = trace;
  const Report report = profile_config(read_profile(options), gpu, console);
  return trace.empty() ? print(report, Format::Json, console) : ExitCode::Good;
}

ExitCode profile_access(Console& console) {
  const std::vector<WarpAccess> accesses = {
      parse_access(parse_access_op("ldmatrix.x1"), "0,16,32,48,64,80,96,112")};
  const ResolvedDevice gpu{.spec = testing::h200(),
                           .gpu_index = 0,
                           .backend = host_of({testing::h200()})().backend,
                           .why_no_gpu = ""};
  return print(profile_accesses(accesses, {}, gpu), Format::Json, console);
}

ExitCode tune(Objective objective, Console& console) {
  TuneOptions options;
  options.problems = {"256x512x512"};
  options.config = "family=sm90,cluster=1x1,stages=4,schedule=pingpong,swap_ab=false";
  options.budget = parse_budget("6");
  options.rounds = 9;
  options.objective = objective;
  const auto load = []() -> BackendOrReason {
    const auto open = [] {
      auto runner = std::make_unique<FakeRunner>();
      runner->joules = [](const Contender&) { return 0.02; };
      return runner;
    };
    return {std::make_shared<testing::FakeHost>(open), ""};
  };
  const TuneRequest request = read_tune(options);
  return print_parts([&](const ReportSink& show) { return run_tune(request, show, console, load); },
                     Format::Json, console);
}

ResolvedDevice traced_gpu() {
  return testing::fake_gpu([](FakeRunner& runner) {
    runner.recorded.records = {{0, 5, 0, 0, 0, true, 1000, 1500},
                               {1, 6, 1, 1, 0, true, 1010, 1520}};
    runner.recorded.second = KernelTimes{1600, 1700};
  });
}

ResolvedDevice gpu_without_counters() {
  return testing::fake_gpu([](FakeRunner& runner) { runner.counters_permitted = false; });
}

struct Answer {
  std::string_view name;
  std::function<ExitCode(Console&)> print;
};

const Answer kAnswers[] = {
    {"bench", [](Console& c) { return bench(testing::fake_gpu(), Regime::Rotate, c); }},
    {"bench-hot", [](Console& c) { return bench(testing::fake_gpu_of("hot"), Regime::Hot, c); }},
    {"bench-uncounted",
     [](Console& c) { return bench(gpu_without_counters(), Regime::Rotate, c); }},
    {"profile", [](Console& c) { return profile(testing::fake_gpu(), Regime::Rotate, "", c); }},
    {"profile-hot",
     [](Console& c) { return profile(testing::fake_gpu_of("hot"), Regime::Hot, "", c); }},
    {"profile-trace", [](Console& c) { return profile(traced_gpu(), Regime::Rotate, "-", c); }},
    {"profile-access", profile_access},
    {"tune", [](Console& c) { return tune(Objective::Time, c); }},
    {"tune-energy", [](Console& c) { return tune(Objective::Energy, c); }},
    {"device", [](Console& c) { return device("", false, 1, c); }},
    {"device-list", [](Console& c) { return device("list", false, 2, c); }},
    {"device-doctor", [](Console& c) { return device("doctor", false, 1, c); }},
    {"device-calibrate", [](Console& c) { return device("calibrate", false, 1, c); }},
    {"device-calibrate-links", [](Console& c) { return device("calibrate", true, 2, c); }},
    {"device-calibrate-ring", [](Console& c) { return device("calibrate", true, 3, c); }},
};

int run(std::string_view name) {
  Console console{.out = std::cout, .err = std::cerr};
  for (const Answer& answer : kAnswers) {
    if (answer.name == name) return static_cast<int>(answer.print(console));
  }
  std::cerr << name << " is no answer\n";
  return static_cast<int>(ExitCode::Usage);
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  try {
    return tilewright::run(argc > 1 ? argv[1] : "");
  } catch (const tilewright::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
