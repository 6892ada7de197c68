#include "store/rate_keys.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"
#include "support/complaint.hpp"
#include "support/preset_text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::preset_text;

// A file without any of the rates, as they were before the maps.
std::string old_file() {
  return preset_text("h100");
}

std::string with(const std::string& maps) {
  std::string text = old_file();
  return text.insert(text.find("sources:"), maps);
}

std::string rates_complaint(const std::string& maps) {
  return testing::complaint_of([&] { parse_device_preset(with(maps), "mine.yaml"); });
}

// Another value of the rate, `factor` times as large where that is a number.
void change(const RateKey& key, double factor) {
  std::visit(
      [&](auto* value) {
        using Value = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, std::vector<GroupRun>>) {
          for (GroupRun& run : *value) {
            run.group = (run.group + (factor > 1 ? 1 : 3)) % kGroupCount;
          }
        } else if constexpr (std::is_same_v<Value, std::array<double, kGroupCount>>) {
          for (size_t i = 0; i < value->size(); i += 2) (*value)[i] *= factor;
        } else if constexpr (std::is_same_v<Value, int>) {
          *value = std::max(1, static_cast<int>(*value * factor * factor * factor));
        } else {
          *value *= factor;
        }
      },
      key.value);
}

struct Run {
  const char* shape;
  const char* config;
};

// Prices of one of each kind of run.
std::vector<double> prices(const DeviceSpec& device) {
  std::vector<double> us;
  for (const Run& run : std::initializer_list<Run>{
           {"4096x4096x1024", "family=sm90,cta=128x128x64,cluster=2x1,stages=4"},
           {"6144x6144x4096", "family=sm90,cta=128x128x64,cluster=1x1,stages=4"},
           {"2048x2048x256", "family=sm90,cta=256x128x64,cluster=4x1,stages=4"},
           {"4096x8192x4096", "family=sm90,cta=64x128x64,stages=4,evict_first=ab"},
           {"1024x1024x4100", "family=sm90,cta=64x64x64,cluster=1x4,stages=4"},
           {"3000x3000x3000", "family=sm90,cta=128x128x64,cluster=1x1,stages=4"},
           {"128x128x4096", "family=sm90,cta=128x128x64,cluster=1x1,stages=3"},
           {"512x512x16384", "family=sm90,cta=128x128x64,stages=4,decomposition=split-k:4:serial"},
           {"512x512x16384", "family=sm90,cta=128x128x64,stages=4,decomposition=split-k:4:atomic"},
           {"512x512x16384",
            "family=sm90,cta=128x128x64,stages=4,decomposition=split-k:4:workspace"},
           {"512x512x16384",
            "family=sm90,cta=128x128x64,stages=4,decomposition=split-k:4:reduce-scatter"},
           {"512x512x16384", "family=sm90,cta=128x128x64,stages=4,decomposition=split-k:4:cluster"},
           {"512x512x16384",
            "family=sm90,cta=128x128x64,stages=4,decomposition=stream-k:all:workspace"},
           {"4096x4096x4096", "family=sm80,cta=128x128x32,warps=2x2,stages=4"},
           {"1024x1024x4098", "family=sm80,cta=128x64x32,warps=2x2,stages=4"},
           {"1024x1024x4097", "family=sm80,cta=128x64x32,warps=2x2,stages=4"},
           {"2048x2048x4096", "family=sm80,cta=64x64x64,warps=2x2,stages=7"},
           {"64x16384x1024", "family=sm80,cta=16x64x64,warps=1x4,stages=4"},
           {"64x256x4096", "family=sm80,cta=16x64x64,warps=1x4,stages=5,decomposition=split-k:2"},
           {"64x256x4096",
            "family=sm80,cta=16x64x64,warps=1x4,stages=5,decomposition=split-k:2:workspace"},
           {"8x28672x4096", "family=skinny,cta=8x16x128,k_warps=4,stages=2"},
           {"1024x1024x4048", "cta=64x128x64,cluster=1x1,stages=8"},
           {"8x1024x8192", "family=skinny,cta=8x32x128,k_warps=1,stages=1"},
           {"8x2048x8192",
            "family=skinny,cta=8x16x64,k_warps=4,stages=2,decomposition=split-k:2:workspace"},
       }) {
    const Problem problem{parse_shape(run.shape)};
    const TileConfig config = config_of(parse_config(run.config));
    us.push_back(estimate(problem, config, device).us);
  }
  return us;
}

TEST_CASE("the defaults are an H200's: its file gives each of them, with the same value") {
  DeviceSpec device = load_device_preset("h200");
  std::vector<std::string> all;
  for (const RateKey& key : rate_keys(device)) all.push_back(path_of(key));
  CHECK(device.own_rates == all);
  DeviceSpec plain = parse_device_preset(old_file(), "old.yaml");
  CHECK(plain.own_rates.empty());
  const auto rates = [](DeviceSpec& d) {
    Document document;
    d.own_rates.clear();
    write_rates(d, document);
    return document;
  };
  CHECK(rates(plain) == rates(device));
  DeviceSpec untold;
  CHECK(rates(untold) == rates(device));
}

TEST_CASE("a file with another value of every rate reads back; what it calls defaults stays so") {
  DeviceSpec device = load_device_preset("h200");
  for (const RateKey& key : rate_keys(device)) change(key, 0.5);
  CHECK(parse_device_preset(device_yaml(device, {}), "x") == device);
  device.own_rates = {"launch.cluster_us", "tile.hit_clocks", "tile.miss_clocks"};
  CHECK(parse_device_preset(device_yaml(device, {}), "x") == device);
  device.own_rates.clear();
  const std::string text = device_yaml(device, {});
  CHECK(
      contains(text, "defaults: [launch, clock, l2, memory, sm, groups, tile, join, mma, skinny]"));
  CHECK(parse_device_preset(text, "x") == device);
}

TEST_CASE("every rate is taken from its file, and carried from a preset to a GPU") {
  const DeviceSpec before = load_device_preset("h200");
  DeviceSpec device = before;
  for (const RateKey& key : rate_keys(device)) {
    const std::string path = path_of(key);
    CAPTURE(path);
    const DeviceSpec kept = device;
    change(key, 0.5);
    CHECK(device != kept);
    CHECK(parse_device_preset(device_yaml(device, {}), "x") == device);
    CHECK(with_rates(before, device) == device);
  }
}

TEST_CASE("a rate that changes changes a price") {
  const DeviceSpec before = load_device_preset("h200");
  const std::vector<double> usual = prices(before);
  DeviceSpec device = before;
  for (const RateKey& key : rate_keys(device)) {
    const std::string path = path_of(key);
    CAPTURE(path);
    const DeviceSpec kept = device;
    change(key, 0.5);
    const bool falls = prices(device) != usual;
    device = kept;
    change(key, 2);
    CHECK((falls || prices(device) != usual));
    device = kept;
  }
}

TEST_CASE("before Hopper mma.sync reaches the peak, where no file says otherwise") {
  std::string text = old_file();
  const std::string hopper = "compute_capability: \"9.0\"";
  text.replace(text.find(hopper), hopper.size(), "compute_capability: \"8.6\"");
  CHECK(parse_device_preset(text, "x").mma.issue_share == 0.85);
  CHECK(parse_device_preset(old_file(), "x").mma.issue_share == 0.57);
  CHECK(load_device_preset("a100").mma.issue_share == 0.85);
}

TEST_CASE("what stands in the file is told from defaults") {
  DeviceSpec device = load_device_preset("h200");
  const size_t all = rate_keys(device).size();
  CHECK(own_rates_text(device) == format("all {} stand in its file", all));
  CHECK(own_rates_text(load_device_preset("h100")) ==
        format("all {} are defaults, an H200's", all));
  CHECK(own_rates_text(load_device_preset("a100")) ==
        format("in its file: mma.issue_share; the other {} are defaults, an H200's", all - 1));
  std::erase(device.own_rates, "sm.threads");
  std::erase(device.own_rates, "launch.cluster_us");
  std::erase(device.own_rates, "launch.first_load_sooner_us");
  CHECK(own_rates_text(device) ==
        format("defaults, an H200's: launch, sm.threads; the other {} stand in its file", all - 3));
}

TEST_CASE("unknown maps and rates are refused with the likely one; so are impossible values") {
  CHECK(contains(rates_complaint("tiles: {}\n"), "unknown key 'tiles' - did you mean 'tile'?"));
  CHECK(contains(rates_complaint("join: {meat_us: 2}\n"),
                 "join.meat_us: unknown key 'meat_us' - did you mean 'meet_us'?"));
  CHECK(contains(rates_complaint("defaults: [join.meat_us]\n"),
                 "unknown rate 'join.meat_us' - did you mean 'join.meet_us'?"));
  CHECK(contains(rates_complaint("join: 3\n"), "join: should be a map, and is '3'"));
  CHECK(contains(rates_complaint("join: {meet_us: -1}\n"), "should be at least 0, and is -1"));
  CHECK(contains(rates_complaint("tile: {misaligned_row_clocks: fast}\n"), "should be a number"));
  CHECK(contains(rates_complaint("l2: {merged_share: 1}\n"), "from 0 to below 1, and is 1"));
  CHECK(
      contains(rates_complaint("mma: {issue_share: 1.1}\n"), "above 0 and at most 1, and is 1.1"));
  CHECK(contains(rates_complaint("l2: {ways: 0}\n"), "should be above 0, and is 0"));
  CHECK(contains(rates_complaint("groups: {pace: [1, 1]}\n"), "should have 8 numbers, and has 2"));
  CHECK(contains(rates_complaint("groups: {lone_cta_runs: [[8, 9]]}\n"),
                 "should be below 8, and is 8"));
  CHECK(contains(rates_complaint("groups: {lone_cta_runs: [[0, 9], [1, 9]]}\n"),
                 "above 9, and is 9"));
  CHECK(contains(rates_complaint("groups: {lone_cta_runs: [[0]]}\n"), "should be [group, end]"));
  CHECK(contains(rates_complaint("groups: {lone_cta_runs: []}\n"), "should have a run at least"));
}

}  // namespace
}  // namespace tilewright
