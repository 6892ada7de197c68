#include "store/device_preset.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/preset_path.hpp"
#include "support/error_message.hpp"
#include "support/preset_text.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::preset_text;

std::string preset_error(const std::string& name) {
  return testing::error_message_of([&] { load_device_preset(name); });
}

TEST_CASE("the presets are complete, plausible and named like their files") {
  const auto names = device_preset_names();
  CHECK(names == std::vector<std::string>{"a100", "h100", "h200", "l40s", "rtx4090"});
  for (const std::string& name : names) {
    CAPTURE(name);
    const DeviceSpec d = load_device_preset(name);
    CHECK(d.name == name);
    CHECK(d.sm_count > 100);
    CHECK(d.registers_per_sm == 65536);
    CHECK(d.l2_effective_bytes <= d.l2_bytes);
    CHECK(d.l2_bytes < d.memory_bytes);
    // The sustained arithmetic of these devices is between 100 and 1000 TFLOP/s.
    const double rate = d.tensor_flops_per_clock_per_sm * d.sustained_clock_hz * d.sm_count;
    CHECK(rate > 1e14);
    CHECK(rate < 1e15);
    CHECK(d.dram_bytes_per_s < d.l2_bytes_per_clock * d.sustained_clock_hz);
  }
}

TEST_CASE("the H200 preset is the device that the reference numbers were taken on") {
  const DeviceSpec d = load_device_preset("h200");
  CHECK(d.compute_major == 9);
  CHECK(d.compute_minor == 0);
  CHECK(d.sm_count == 132);
  CHECK(d.smem_per_cta_bytes == 227 * 1024);
  CHECK(d.l2_bytes == 60LL << 20);
  CHECK(d.memory_bytes == 143771LL << 20);
  // cuBLASLt's best at 8192x8192x8192 is 820 TFLOP/s; no kernel issues in every clock.
  const double rate = d.tensor_flops_per_clock_per_sm * d.sustained_clock_hz * d.sm_count;
  CHECK(rate == doctest::Approx(820e12 / 0.95).epsilon(0.03));
}

TEST_CASE("an unknown name lists the known ones and the likely one") {
  CHECK(contains(preset_error("h20"), "did you mean 'h200'?"));
  CHECK(contains(preset_error("h20"), "a100, h100, h200, l40s, rtx4090"));
  CHECK(contains(preset_error("../devices/h200"), "unknown device"));
}

TEST_CASE("NAMExW is the preset with W GPUs on one host, and differs in nothing else") {
  for (const std::string& preset : device_preset_names()) {
    for (const int gpus : {2, 3, 8, 16}) {
      const std::string name = format("{}x{}", preset, gpus);
      CAPTURE(name);
      DeviceSpec host = load_device_preset(name);
      CHECK(host.name == name);
      CHECK(host.gpus == gpus);
      CHECK(host.links.flag_us > 0);
      CHECK(parse_device_preset(device_yaml(host, {}), "x") == host);
      host.name = preset;
      host.gpus = 1;
      CHECK(host == load_device_preset(preset));
    }
  }
  CHECK(load_device_preset("H200X2").name == "h200x2");
}

TEST_CASE("a host has 2 to 16 GPUs, and the name before the x is a preset's") {
  for (const char* const name : {"h200x0", "h200x1", "h200x17", "h200x99", "rtx4090x1"}) {
    CAPTURE(name);
    CHECK(contains(preset_error(name), "a host has 2 to 16 GPUs, as in "));
  }
  CHECK(contains(preset_error("h200x1"), "as in h200x2; one alone is h200"));
  CHECK(contains(preset_error("h201x2"), "did you mean 'h200x2'?"));
  CHECK(contains(preset_error("rtx409"), "did you mean 'rtx4090'?"));
  CHECK(contains(preset_error("rtx409x4"), "did you mean 'rtx4090x4'?"));
  for (const char* const name : {"h200x", "x2", "h200x2x2", "h200x-2", "h200x2.5"}) {
    CAPTURE(name);
    CHECK(contains(preset_error(name), "unknown device"));
  }
}

TEST_CASE("a device file gives its GPUs where they are several") {
  const std::string alone = preset_text("h200");
  CHECK(parse_device_preset(alone, "x").gpus == 1);
  CHECK(parse_device_preset("gpus: 2\n" + alone, "x").gpus == 2);
  CHECK_FALSE(contains(device_yaml(load_device_preset("h200"), {}), "gpus"));
  CHECK(contains(device_yaml(load_device_preset("h200x4"), {}), "gpus: 4"));
  for (const char* const gpus : {"0", "17"}) {
    CHECK(contains(testing::error_message_of(
                       [&] { parse_device_preset(format("gpus: {}\n", gpus) + alone, "x"); }),
                   format("{} GPUs of a host are not from 1 to 16", gpus)));
  }
}

TEST_CASE("a GPU takes its limits from itself and its rates from the nearest preset") {
  DeviceSpec limits = load_device_preset("h100");
  limits.name = "NVIDIA H100 PCIe";
  limits.sm_count = 114;
  limits.gpus = 2;
  limits.dram_bytes_per_s = 0;
  const DeviceSpec preset = nearest_preset(limits);
  CHECK(preset.name == "h100");
  const DeviceSpec device = with_rates(limits, preset);
  CHECK(device.name == "NVIDIA H100 PCIe");
  CHECK(device.sm_count == 114);
  CHECK(device.gpus == 2);
  CHECK(device.dram_bytes_per_s == preset.dram_bytes_per_s);
  CHECK(device.l2_effective_bytes == preset.l2_effective_bytes);
  limits.l2_bytes /= 2;  // as on a MIG slice
  CHECK(with_rates(limits, preset).l2_effective_bytes == preset.l2_effective_bytes / 2);
  for (const std::string& name : device_preset_names()) {
    CHECK(nearest_preset(load_device_preset(name)).name == name);
  }
}

TEST_CASE("no truncation of a preset reads as a device") {
  const std::string text = preset_text("h200");
  // The list of sources is last; a text that ends before it must be refused.
  for (size_t length = 0; length < text.find("sources:"); ++length) {
    CHECK_THROWS_AS(parse_device_preset(text.substr(0, length), "h200.yaml"), Error);
  }
}

TEST_CASE("impossible figures are refused") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = preset_text("h200");
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK_THROWS_AS(parse_device_preset(with("sm_count: 132", "sm_count: -1"), "x"), Error);
  CHECK_THROWS_AS(parse_device_preset(with("l2_bytes: 62914560", "l2_bytes: 0"), "x"), Error);
  CHECK_THROWS_AS(parse_device_preset(with("launch_us: 2.5", "launch_us: fast"), "x"), Error);
  CHECK_THROWS_AS(parse_device_preset(with("\"9.0\"", "\"nine\""), "x"), Error);
  CHECK_THROWS_AS(parse_device_preset(with("launch_us", "launch_ms"), "x"), Error);
}

}  // namespace
}  // namespace tilewright
