#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"
#include "store/calibration_sources.hpp"
#include "store/device_preset.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

TEST_CASE("every preset reads back from its own text") {
  for (const std::string& name : device_preset_names()) {
    const DeviceSpec device = load_device_preset(name);
    CHECK(parse_device_preset(device_yaml(device, {"measured: today"}), name) == device);
  }
}

TEST_CASE("a device file may be named instead of a preset") {
  const auto path = std::filesystem::temp_directory_path() / format("{}-mine.yaml", ::getpid());
  DeviceSpec device = load_device_preset("h200");
  device.name = "mine";
  device.launch_us = 3.25;
  write_file(path, device_yaml(device, {}));
  CHECK(load_device_preset(path.string()) == device);
  std::filesystem::remove(path);
  CHECK(testing::contains(testing::error_message_of([&] { load_device_preset(path.string()); }),
                          path.string()));
}

TEST_CASE("sources give the date and the model's error for each product") {
  Calibration c;
  c.device = load_device_preset("h200");
  c.products = {{{{4096, 4096, 4096}}, {}, 200, 210}};
  c.depths = {{{{1408, 3072, 256}}, {}, 8, 7.6}};
  c.depth = {5.5, 0.01, 0.1, 0.2};
  const std::string text = device_yaml(c.device, calibration_sources(c, "2026-11-21"));
  CHECK(testing::contains(text, "4096x4096x4096 200.0 us +5.0 %"));
  CHECK(testing::contains(text, "1408x3072x256 8.0 us -5.0 %"));
  CHECK(testing::contains(text, "fitted 2026-11-21"));
  CHECK(testing::contains(text, "that wave's start plus launch.first_load_sooner_us, 0.17 us"));
  CHECK(parse_device_preset(text, "x") == c.device);
}

}  // namespace
}  // namespace tilewright
