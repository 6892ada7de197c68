#include "host/devices.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "store/device_preset.hpp"
#include "support/error_message.hpp"
#include "support/fake_backend.hpp"

namespace tilewright {
namespace {

using testing::FakeBackend;
using testing::no_backend;

BackendOrReason two_gpus() {
  DeviceSpec h200 = load_device_preset("h200");
  h200.name = "NVIDIA H200";
  h200.launch_us = 0;
  DeviceSpec a100 = load_device_preset("a100");
  a100.name = "NVIDIA A100-SXM4-80GB";
  return {std::make_shared<FakeBackend>(std::vector<DeviceSpec>{h200, a100}), ""};
}

struct Failure {
  ExitCode code = ExitCode::Good;
  std::string message;
};

Failure failure(const std::string& name, const BackendLoader& load) {
  try {
    resolve_device(name, load);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

using testing::contains;

TEST_CASE("auto is the first GPU, with the rates of its preset") {
  const ResolvedDevice device = resolve_device("auto", two_gpus);
  CHECK(device.gpu_index == 0);
  CHECK(device.spec.name == "NVIDIA H200");
  CHECK(device.spec.launch_us == load_device_preset("h200").launch_us);
  CHECK(device.backend != nullptr);
  CHECK(device.why_no_gpu.empty());
}

TEST_CASE("auto without a GPU is the h200 preset, with the reason") {
  const ResolvedDevice device = resolve_device("auto", no_backend);
  CHECK(device.gpu_index == -1);
  CHECK(device.spec == load_device_preset("h200"));
  CHECK(device.why_no_gpu == "this build has no GPU module");
  const auto empty = [] {
    return BackendOrReason{std::make_shared<FakeBackend>(std::vector<DeviceSpec>{}), ""};
  };
  CHECK(resolve_device("auto", empty).why_no_gpu == "the driver is missing");
}

TEST_CASE("cuda:N is that GPU or an environment error") {
  CHECK(resolve_device("cuda:1", two_gpus).spec.name == "NVIDIA A100-SXM4-80GB");
  CHECK(resolve_device("cuda:1", two_gpus).spec.sustained_clock_hz ==
        load_device_preset("a100").sustained_clock_hz);
  CHECK(failure("cuda:2", two_gpus).code == ExitCode::Environment);
  CHECK(contains(failure("cuda:2", two_gpus).message, "2 GPUs"));
  CHECK(failure("cuda:0", no_backend).code == ExitCode::Environment);
  CHECK(contains(failure("cuda:0", no_backend).message, "no GPU module"));
  CHECK(failure("cuda:x", two_gpus).code == ExitCode::Usage);
  CHECK(failure("cuda:-1", two_gpus).code == ExitCode::Usage);
}

TEST_CASE("all requires GPUs of one kind; a rank takes the GPU of its local rank") {
  const DeviceSpec h200 = load_device_preset("h200");
  const auto four = [&h200] {
    return BackendOrReason{std::make_shared<FakeBackend>(std::vector<DeviceSpec>(4, h200)), ""};
  };
  const auto one = [&h200] {
    return BackendOrReason{std::make_shared<FakeBackend>(std::vector<DeviceSpec>{h200}), ""};
  };
  const auto refused = [](const std::string& name, const Rank& rank, const BackendLoader& load) {
    try {
      resolve_devices(name, rank, load);
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::Environment);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::vector<ResolvedDevice> all = resolve_devices("all", {}, four);
  REQUIRE(all.size() == 4);
  for (int i = 0; i < 4; ++i) CHECK(all[static_cast<size_t>(i)].gpu_index == i);
  CHECK(contains(refused("all", {}, two_gpus), "cuda:1 is NVIDIA A100"));
  CHECK(contains(refused("all", {}, no_backend), "no GPU module"));
  for (int local = 0; local < 4; ++local) {
    const Rank rank{.rank = 8 + local, .size = 16, .local = local};
    CHECK(resolve_devices("auto", rank, four).front().gpu_index == local);
    CHECK(resolve_devices("cuda:2", rank, four).front().gpu_index == 2);
    // The launcher may show each rank only one GPU.
    CHECK(resolve_devices("auto", rank, one).front().gpu_index == 0);
  }
  CHECK(contains(refused("auto", {.rank = 5, .size = 8, .local = 5}, four),
                 "and the host has 4 GPUs"));
  CHECK(contains(refused("auto", {.rank = 1, .size = 2}, no_backend), "rank 1 of 2 has no GPU"));
}

TEST_CASE("a preset never loads the GPU module") {
  const auto must_not = []() -> BackendOrReason {
    FAIL("loaded");
    return {};
  };
  CHECK(resolve_device("l40s", must_not).spec.name == "l40s");
  CHECK(contains(failure("h2000", must_not).message, "did you mean 'h200'?"));
}

// A GPU that reports these states, one after the other.
ResolvedDevice watched_gpu(const std::vector<DeviceState>& states) {
  const auto backend = std::make_shared<testing::FakeBackend>(std::vector<DeviceSpec>{});
  backend->states = states;
  return {.spec = {}, .gpu_index = 0, .backend = backend, .why_no_gpu = {}};
}

DeviceState with(std::vector<std::string> processes, double heat_s = 0, bool hot = false) {
  DeviceState state;
  state.processes = std::move(processes);
  state.thermal_throttled_s = heat_s;
  state.is_thermally_throttled = hot;
  return state;
}

TEST_CASE("the watch names other processes before and after a run, and heat; else it is silent") {
  const auto said = [](const DeviceState& before, const DeviceState& after) {
    const ResolvedDevice device = watched_gpu({before, after});
    std::ostringstream err;
    { const DeviceWatch watch(device, err, true); }
    return err.str();
  };
  CHECK(said({}, with({"7"})).empty());
  CHECK(said(with({"12"}), with({"12", "7"})) ==
        "1 other process computes on the GPU: 12; this disturbs every measured time\n");
  CHECK(said({}, with({"7", "12"})) ==
        "another process started to use the GPU during the run: 7, 12; measure again without it\n");
  CHECK(said(with({}, 3), with({}, 4.5)) ==
        "the GPU reduced its clock because of heat for 1.5 s during the run\n");
  CHECK(said(with({}, 3), with({}, 3.01)).empty());
}

TEST_CASE("the watch waits for a busy or hot GPU for a while, then refuses it") {
  constexpr Patience kLong{.most = std::chrono::seconds(60), .step = std::chrono::milliseconds(1)};
  constexpr Patience kShort{.most = std::chrono::milliseconds(30),
                            .step = std::chrono::milliseconds(1)};
  for (const DeviceState& busy : {with({"12", "13"}), with({}, 0, true)}) {
    const ResolvedDevice freed = watched_gpu({busy, busy, with({}), with({"7"})});
    std::ostringstream err;
    DeviceWatch watch(freed, err, false, kLong);
    CHECK(contains(err.str(), "; waiting up to 60 s for its end\n"));
    CHECK(watch.report_disturbances(ExitCode::Good) == ExitCode::Good);

    const ResolvedDevice taken = watched_gpu(std::vector<DeviceState>(1000, busy));
    try {
      const DeviceWatch refused(taken, err, false, kShort);
      FAIL("went on");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::Inconclusive);
      CHECK(contains(error.what(), "or add --shared"));
    }
    // With --shared the verb continues at once.
    std::ostringstream said;
    const DeviceWatch sharing(taken, said, true);
    CHECK(!contains(said.str(), "waiting"));
  }
}

TEST_CASE("a process that came meanwhile makes an answer inconclusive, except with --shared") {
  for (const bool shared : {false, true}) {
    for (const ExitCode code : {ExitCode::Good, ExitCode::No}) {
      const ResolvedDevice device = watched_gpu({with({}), with({"7", "12"})});
      std::ostringstream err;
      DeviceWatch watch(device, err, shared);
      const bool changes = !shared && code == ExitCode::Good;
      CHECK(watch.report_disturbances(code) == (changes ? ExitCode::Inconclusive : code));
      CHECK(contains(err.str(), "another process started"));
    }
  }
}

}  // namespace
}  // namespace tilewright
