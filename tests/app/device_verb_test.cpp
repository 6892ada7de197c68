#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/device_preset.hpp"
#include "store/rate_keys.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "support/fake_backend.hpp"
#include "support/fake_link_prober.hpp"
#include "support/fake_prober.hpp"
#include "support/fake_runner.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

DeviceOptions device_asked(const std::string& name, const std::string& action = "") {
  DeviceOptions options;
  options.name = name;
  options.action = action;
  return options;
}

Outcome run(const DeviceOptions& options, const BackendLoader& load = testing::no_backend) {
  return testing::printed(options.format, [&](Console& console) {
    return run_device(read_device(options), console, load);
  });
}

// One H200 with made-up probe results and product times.
BackendLoader one_gpu(std::vector<Finding> findings = {}) {
  auto backend = std::make_shared<testing::FakeBackend>(std::vector<DeviceSpec>{testing::h200()});
  backend->make_prober = [] { return std::make_unique<testing::FakeProber>(); };
  backend->make_runner = [](const DeviceSpec&) { return std::make_unique<testing::FakeRunner>(); };
  backend->findings = std::move(findings);
  return [backend] { return BackendOrReason{backend, ""}; };
}

TEST_CASE("auto without a GPU shows the preset and the reason in one line") {
  const Outcome shown = run(device_asked("auto"));
  CHECK(shown.code == ExitCode::Good);
  CHECK(shown.err == "no usable GPU: this build has no GPU module; this is the h200 preset\n");
  CHECK(contains(shown.out, "h200 (preset"));
  CHECK(contains(shown.out, "predicted"));
}

TEST_CASE("list names the GPUs of the host, then every preset") {
  const std::string text = run(device_asked("list"), one_gpu()).out;
  CHECK(contains(text, "cuda:0"));
  size_t after = text.find("cuda:0");
  for (const std::string& name : device_preset_names()) {
    CAPTURE(name);
    const size_t at = text.find("\n" + name + ' ', after);
    REQUIRE(at != std::string::npos);
    after = at;
  }
  DeviceOptions json = device_asked("list");
  json.format = Format::Json;
  CHECK(contains(run(json).out, "\"sm_count\": 132"));
}

TEST_CASE("a preset shows which of its rates are another's") {
  const std::string shown = run(device_asked("h100")).out;
  CHECK(contains(shown, "in its file: launch.cluster_us, "));
  CHECK(contains(shown, "37 are those of h200: launch.first_load_sooner_us, clock.least_share, "));
  CHECK(contains(shown, "times are predicted"));
  CHECK(contains(run(device_asked("a100")).out, "no time is predicted"));
}

TEST_CASE("a host of several GPUs shows them and their links") {
  const std::string shown = run(device_asked("h200x2")).out;
  CHECK(contains(shown, "h200x2 (preset"));
  CHECK(contains(shown, "GPUs                  2 on one host"));
  CHECK(contains(shown, "  links               stores 366 GB/s (50 of one SM)"));
  CHECK_FALSE(contains(run(device_asked("h200")).out, "on one host"));
  DeviceOptions json = device_asked("h200x2");
  json.format = Format::Json;
  CHECK(contains(run(json).out, "\"gpus\": 2"));
  CHECK(contains(run(json).out, "\"flag_us\": 1.36"));
  CHECK(contains(run(device_asked("list")).out, "NAMExW"));
  CHECK(contains(run(device_asked("h201x2")).err, "did you mean 'h200x2'?"));
  CHECK(run(device_asked("h200x1")).code == ExitCode::Usage);
}

TEST_CASE("JSON has every field of the spec") {
  DeviceOptions options = device_asked("a100");
  options.format = Format::Json;
  const Outcome shown = run(options);
  CHECK(shown.code == ExitCode::Good);
  CHECK(shown.err.empty());
  CHECK(contains(shown.out, "\"preset\": true"));
  CHECK(contains(shown.out, "\"sm_count\": 108"));
  CHECK(contains(shown.out, "\"architecture\": \"sm_80\""));
  CHECK(contains(shown.out, "\"issue_share\": 0.85"));
  CHECK(contains(shown.out, "\"base\": \"h200\""));
  CHECK(contains(shown.out, "\"mma.memory_share\""));  // among the defaults
}

TEST_CASE("calibrate writes a device file that reads back, with the measured rates") {
  const auto path =
      std::filesystem::temp_directory_path() / format("{}-calibrated.yaml", ::getpid());
  DeviceOptions options = device_asked("calibrate");
  options.output = path.string();
  const Outcome measured = run(options, one_gpu());
  CHECK(measured.code == ExitCode::Good);
  CHECK(contains(measured.out, "4.00 TB/s copying"));
  CHECK(contains(measured.out, "8192x8192x8192"));
  CHECK(contains(measured.err, "--device " + path.string()));
  DeviceSpec device = load_device_preset(path.string());
  CHECK(device.dram_bytes_per_s == 4e12);
  CHECK(device.tensor_flops_per_clock_per_sm == 4080);
  CHECK(device.sm_count == 132);
  CHECK(contains(run(device_asked(path.string())).out, "4.00 TB/s"));
  // The file also holds the finer rates, copied from the preset because no probe measures them.
  CHECK(device.join == load_device_preset("h200").join);
  CHECK(contains(read_file(path), "  meet_us: 0.9"));
  CHECK(contains(run(device_asked(path.string())).out,
                 format("all {} are those of h200", rate_keys(device).size())));
  std::filesystem::remove(path);
}

TEST_CASE("calibrate's JSON has the probes and a residual for every product") {
  DeviceOptions options = device_asked("cuda:0", "calibrate");
  options.format = Format::Json;
  const Outcome measured = run(options, one_gpu());
  CHECK(measured.code == ExitCode::Good);
  CHECK(contains(measured.out, "\"l2_near_clocks\": 210"));
  CHECK(contains(measured.out, "\"residual_pct\""));
  CHECK(contains(measured.out, "\"intercept_us\""));
}

TEST_CASE("what calibrate writes predicts times, whatever the rates it began with") {
  const auto path = std::filesystem::temp_directory_path() / format("{}-own.yaml", ::getpid());
  DeviceOptions options = device_asked("calibrate");
  options.output = path.string();
  CHECK(run(options, one_gpu()).code == ExitCode::Good);
  std::string text = read_file(path);
  CHECK(contains(text, "calibrated: true"));
  CHECK(predicts_time(load_device_preset(path.string())));
  std::filesystem::remove(path);
}

TEST_CASE("calibrate names what its probes need") {
  DeviceSpec a100 = load_device_preset("a100");
  const auto backend = std::make_shared<testing::FakeBackend>(std::vector<DeviceSpec>{a100});
  const Outcome refused = run(device_asked("calibrate"), [backend] {
    return BackendOrReason{backend, ""};
  });
  CHECK(refused.code == ExitCode::Environment);
  CHECK(contains(refused.err, "compute capability 9.0, and a100 has 8.0"));
}

TEST_CASE("calibrate without a GPU is an environment error that writes nothing") {
  DeviceOptions options = device_asked("h200", "calibrate");
  options.output = "never.yaml";
  const Outcome refused = run(options);
  CHECK(refused.code == ExitCode::Environment);
  CHECK(contains(refused.err, "needs a GPU: 'h200' is a preset"));
  CHECK(refused.out.empty());
  CHECK(!std::filesystem::exists("never.yaml"));
  CHECK(run(device_asked("calibrate")).code == ExitCode::Environment);
}

// GPUs of one host with invented links.
std::shared_ptr<testing::FakeBackend> linked_host(std::vector<DeviceSpec> gpus) {
  auto backend = std::make_shared<testing::FakeBackend>(std::move(gpus));
  backend->make_link_prober = [](std::span<const int>) {
    return std::make_unique<testing::FakeLinkProber>();
  };
  return backend;
}

Outcome run_links(const std::shared_ptr<testing::FakeBackend>& backend,
                  const std::string& output = "", Format format = Format::Text) {
  DeviceOptions options = device_asked("calibrate");
  options.links = true;
  options.output = output;
  options.format = format;
  return run(options, [backend] { return BackendOrReason{backend, ""}; });
}

TEST_CASE("calibrate --links writes the links and the GPUs, and keeps all other rates") {
  const auto path = std::filesystem::temp_directory_path() / format("{}-links.yaml", ::getpid());
  const Outcome measured =
      run_links(linked_host({testing::h200(), testing::h200()}), path.string());
  CHECK(measured.code == ExitCode::Good);
  CHECK(contains(measured.out, "cuda:0 -> cuda:1"));
  CHECK(contains(measured.out, "cuda:0 <-> cuda:1"));
  CHECK(contains(measured.out, "stores 315 GB/s (8 of one SM), sums 279, loads 261"));
  CHECK(contains(measured.out, "adds of two GPUs to one address: exact"));
  CHECK(contains(measured.err, "--device " + path.string()));
  const DeviceSpec device = load_device_preset(path.string());
  CHECK(device.gpus == 2);
  CHECK(device.links.add_bytes_per_us == 279e3);
  CHECK(device.links.flag_us == 1.25);
  CHECK(device.join == load_device_preset("h200").join);
  CHECK(device.launch_us == load_device_preset("h200").launch_us);
  CHECK(device.file_rates == load_device_preset("h200").file_rates);
  CHECK(predicts_time(device));
  CHECK(contains(run(device_asked(path.string())).out, "2 on one host"));
  std::filesystem::remove(path);
}

TEST_CASE("links of more than two GPUs show each pair and the ring; JSON has all of them") {
  const auto backend = linked_host({testing::h200(), testing::h200(), testing::h200()});
  const std::string text = run_links(backend).out;
  CHECK(contains(text, "cuda:1 <-> cuda:2"));
  CHECK(contains(text, "ring of 3"));
  const std::string json = run_links(backend, "", Format::Json).out;
  CHECK(contains(json, "\"ring\""));
  CHECK(contains(json, "\"bulk_store_bytes_per_us\": 315000"));
  CHECK(contains(json, "\"lost_count\": 0"));
  CHECK(contains(json, "\"gpus\": 3"));
  backend->make_link_prober = [](std::span<const int>) {
    auto prober = std::make_unique<testing::FakeLinkProber>();
    prober->lost_count = 2;
    return prober;
  };
  CHECK(contains(run_links(backend).out, "adds of two GPUs to one address: lost 6 of 3000"));
}

TEST_CASE("calibrate --links takes the GPUs of one kind that reach each other") {
  const auto backend =
      linked_host({testing::h200(), testing::h200(), load_device_preset("h100"), testing::h200()});
  std::vector<int> taken;
  backend->make_link_prober = [&taken](std::span<const int> gpus) {
    taken.assign(gpus.begin(), gpus.end());
    return std::make_unique<testing::FakeLinkProber>();
  };
  CHECK(run_links(backend).code == ExitCode::Good);
  CHECK(taken == std::vector<int>{0, 1, 3});
  backend->are_peers = [](int a, int b) { return a + b != 4; };  // not cuda:1 and cuda:3
  CHECK(run_links(backend).code == ExitCode::Good);
  CHECK(taken == std::vector<int>{0, 1});
}

TEST_CASE("calibrate --links names what is missing, as an environment error") {
  const Outcome alone = run_links(linked_host({testing::h200(), load_device_preset("h100")}));
  CHECK(alone.code == ExitCode::Environment);
  CHECK(
      contains(alone.err, "needs two GPUs of one kind with peer access: cuda:0 is the only h200"));
  const auto strangers = linked_host({testing::h200(), testing::h200()});
  strangers->are_peers = [](int, int) { return false; };
  CHECK(run_links(strangers).code == ExitCode::Environment);
  CHECK(contains(run_links(strangers).err, "no peer access between cuda:0 and cuda:1"));
  const DeviceSpec a100 = load_device_preset("a100");
  CHECK(contains(run_links(linked_host({a100, a100})).err, "compute capability 9.0"));
  DeviceOptions options = device_asked("h200x2", "calibrate");
  options.links = true;
  CHECK(run(options).code == ExitCode::Environment);
  CHECK(contains(run(options).err, "'h200x2' is a preset"));
}

TEST_CASE("doctor ends with 0 without problems and with 4 with one; unknown is no problem") {
  const Finding fine{"counters", Health::Ok, "permitted", ""};
  const Finding unknown{"clocks", Health::Unknown, "not known", "look there"};
  const Finding bad{"counters", Health::Problem, "not permitted", "run as root"};
  const Outcome healthy = run(device_asked("doctor"), one_gpu({fine, unknown}));
  CHECK(healthy.code == ExitCode::Good);
  CHECK(contains(healthy.out, "ok       presets"));
  CHECK(contains(healthy.out, "unknown  clocks"));
  CHECK(contains(healthy.out, "-> look there"));
  const Outcome ill = run(device_asked("cuda:0", "doctor"), one_gpu({bad, fine}));
  CHECK(ill.code == ExitCode::Environment);
  CHECK(contains(ill.out, "problem  counters       not permitted"));
  DeviceOptions options = device_asked("doctor");
  options.format = Format::Json;
  CHECK(contains(run(options, one_gpu({bad})).out, "\"healthy\": false"));
  CHECK(contains(run(options, one_gpu({fine})).out, "\"healthy\": true"));
}

TEST_CASE("doctor reports a missing GPU and still checks the rest") {
  const Outcome none = run(device_asked("doctor"));
  CHECK(none.code == ExitCode::Environment);
  CHECK(contains(none.out, "this build has no GPU module"));
  CHECK(contains(none.out, "ok       presets"));
  const Outcome other = run(device_asked("cuda:3", "doctor"), one_gpu());
  CHECK(other.code == ExitCode::Environment);
  CHECK(contains(other.out, "cuda:3 does not exist: this host has 1"));
  CHECK(run(device_asked("h200", "doctor"), one_gpu()).code == ExitCode::Usage);
  CHECK(run(device_asked("h200", "doctor")).code == ExitCode::Usage);
}

TEST_CASE("a misspelt action and an output that has no use are usage errors") {
  CHECK(contains(run(device_asked("h200", "calibrat")).err, "did you mean 'calibrate'?"));
  CHECK(contains(run(device_asked("doktor")).err, "did you mean 'doctor'?"));
  DeviceOptions options = device_asked("h200");
  options.output = "x.yaml";
  CHECK(run(options).code == ExitCode::Usage);
}

}  // namespace
}  // namespace tilewright
