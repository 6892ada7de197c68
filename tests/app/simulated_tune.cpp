// simulated_tune ARGUMENT...: `tilewright tune` on simulated GPUs, for scripts that kill it.
// Takes tune's PROBLEM..., -o, --overwrite, --store, --resume, --rounds, --budget, --config,
// --device, --epilogue, --rank, --dispatch, --replay and --regime, and
//   --pause-us N    sleeps N us in each round
//   --temper F      multiplies all times by F, as another state of the device would
//   --exact         times without noise
//   --by-rows       tiles with a 16th of the product's rows are the fastest
//   --gpus A,B,...  names of the host's GPUs

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "app/fake_device.hpp"
#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "host/console.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

struct Simulation {
  int64_t pause_us = 0;
  double temper = 1;
  bool exact = false;
  bool by_rows = false;
  std::string regime = {};
  std::vector<std::string> gpus = {"GPU-fake"};
};

class SlowRunner : public testing::FakeRunner {
 public:
  explicit SlowRunner(const Simulation& simulation) : simulation_(simulation) {
    time_us = [this](const TileConfig& c) {
      return simulation_.temper * (100.0 + c.stages + c.cta.m / 64.0 + misfit_us(c));
    };
    for (double& us : reference_us) us *= simulation.temper;
    if (simulation.exact) noise = 0;
    if (!simulation.regime.empty()) regime = simulation.regime + ": simulated";
  }
  void prepare(const Workload& workload) override {
    FakeRunner::prepare(workload);
    rows_ = workload.shapes.front().m;
  }
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    std::this_thread::sleep_for(std::chrono::microseconds(simulation_.pause_us));
    return FakeRunner::time_round(contenders);
  }

 private:
  double misfit_us(const TileConfig& c) const {
    if (!simulation_.by_rows) return 0;
    return 20 * std::abs(std::log2(static_cast<double>(rows_) / (16.0 * c.cta.m)));
  }

  Simulation simulation_;
  int64_t rows_ = 1;
};

int run(int argc, char** argv) {
  TuneOptions options;
  Simulation simulation;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--resume") {
      options.resume = true;
    } else if (word == "--overwrite") {
      options.overwrite = true;
    } else if (word == "--exact") {
      simulation.exact = true;
    } else if (word == "--by-rows") {
      simulation.by_rows = true;
    } else if (word[0] != '-') {
      options.problems.push_back(word);
    } else if (i + 1 < argc) {
      const std::string value = argv[++i];
      if (word == "-o") options.output = value;
      if (word == "--store") options.store = value;
      if (word == "--budget") options.budget = parse_budget(value);
      if (word == "--config") options.config = value;
      if (word == "--dispatch") options.dispatch = value;
      if (word == "--epilogue") options.kind.epilogue = value;
      if (word == "--regime") options.regime = parse_regime(simulation.regime = value);
      if (word == "--replay") options.replay = value;
      if (word == "--device") options.device = value;
      if (word == "--rank") options.rank = value;
      if (word == "--rounds") options.rounds = std::stoll(value);
      if (word == "--pause-us") simulation.pause_us = std::stoll(value);
      if (word == "--temper") simulation.temper = std::stod(value);
      if (word == "--gpus") {
        simulation.gpus.clear();
        for (const std::string_view name : split(value, ',')) simulation.gpus.emplace_back(name);
      }
    }
  }
  const auto load = [simulation]() -> BackendOrReason {
    const auto open = [simulation] { return std::make_unique<SlowRunner>(simulation); };
    return {std::make_shared<testing::FakeHost>(open, simulation.gpus), ""};
  };
  Console console{.out = std::cout, .err = std::cerr};
  const TuneRequest request = read_tune(options);
  const auto verb = [&](const ReportSink& show) { return run_tune(request, show, console, load); };
  Console shown = beside_document(options.output, console);
  return static_cast<int>(print_parts(verb, options.format, shown));
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) { tilewright::request_interruption(); });
  try {
    return tilewright::run(argc, argv);
  } catch (const tilewright::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
