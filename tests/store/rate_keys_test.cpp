#include "store/rate_keys.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "record/node.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"
#include "support/error_message.hpp"
#include "support/preset_text.hpp"
#include "support/rates.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::preset_text;

// A file that takes all rates from its base: a preset without its own.
std::string old_file() {
  std::string text = preset_text("h100");
  const size_t rates = text.find('\n', text.find("base: h200")) + 1;
  return text.erase(rates, text.find("sources:") - rates);
}

std::string with(const std::string& maps) {
  std::string text = old_file();
  return text.insert(text.find("sources:"), maps);
}

std::string rates_error(const std::string& maps) {
  return testing::error_message_of([&] { parse_device_preset(with(maps), "mine.yaml"); });
}

std::vector<std::string> all_paths() {
  DeviceSpec device;
  std::vector<std::string> paths;
  for (const RateKey& key : rate_keys(device)) paths.push_back(path_of(key));
  return paths;
}

Document rates_of(DeviceSpec device) {
  Document document;
  device.file_rates = all_paths();
  write_rates(device, document);
  return document;
}

TEST_CASE("every rate comes from a file, which takes missing rates from its base") {
  const DeviceSpec base = load_device_preset("h200");
  CHECK(base.file_rates == all_paths());
  CHECK(base.base.empty());
  const DeviceSpec plain = parse_device_preset(old_file(), "old.yaml");
  CHECK(plain.file_rates.empty());
  CHECK(plain.base == "h200");
  CHECK(rates_of(plain) == rates_of(base));
  DeviceSpec untold;
  for (const RateKey& key : rate_keys(untold)) {
    CAPTURE(path_of(key));
    DeviceSpec other = base;
    take_rates(other, untold);
    CHECK(rates_of(other)[std::string(key.section)][std::string(key.key)] !=
          rates_of(base)[std::string(key.section)][std::string(key.key)]);
  }
}

// Removes a rate's line from a preset, with the list below it.
std::string without(const std::string& text, const RateKey& key) {
  const size_t section = text.find(format("\n{}:\n", key.section));
  REQUIRE(section != std::string::npos);
  const size_t line = text.find(format("\n  {}:", key.key), section) + 1;
  size_t end = text.find('\n', line) + 1;
  while (text.compare(end, 5, "    -") == 0) end = text.find('\n', end) + 1;
  return text.substr(0, line) + text.substr(end);
}

TEST_CASE("a missing rate is refused by name, or reported as borrowed from the base") {
  const std::string whole = preset_text("h200");
  DeviceSpec keys;
  for (const RateKey& key : rate_keys(keys)) {
    const std::string path = path_of(key);
    CAPTURE(path);
    const std::string text = without(whole, key);
    const std::string error_message =
        testing::error_message_of([&] { parse_device_preset(text, "mine.yaml"); });
    CHECK(contains(error_message, "mine.yaml"));
    CHECK(contains(error_message, path));
    CHECK(contains(error_message, "base: h200"));
    const DeviceSpec device = parse_device_preset("base: h200\n" + text, "mine.yaml");
    CHECK(inherited_rates(device) == std::vector<std::string>{path});
    CHECK(borrowed_rates_line(device) ==
          format("device h200: 1 of {} rates are not its own and are those of h200: {}",
                 all_paths().size(), path));
    CHECK(rates_of(device) == rates_of(parse_device_preset(whole, "h200.yaml")));
  }
  CHECK(borrowed_rates_line(load_device_preset("h200")).empty());
  CHECK(borrowed_rates_line(parse_device_preset(old_file(), "old.yaml")) ==
        format("device h100: {0} of {0} rates are not its own and are those of h200: launch, "
               "clock, l2, memory, ...",
               all_paths().size()));
}

TEST_CASE("a base is a preset, may itself have a base, and is named") {
  std::string text = old_file();
  const auto with_base = [&text](const std::string& name) {
    std::string other = text;
    const std::string line = "base: h200";
    return other.replace(other.find(line), line.size(), "base: " + name);
  };
  CHECK(contains(testing::error_message_of([&] { parse_device_preset(with_base("h20"), "x"); }),
                 "unknown preset 'h20' - did you mean 'h200'?"));
  const DeviceSpec device = parse_device_preset(with_base("a100"), "x");
  CHECK(device.mma.issue_share == load_device_preset("a100").mma.issue_share);
  CHECK(device.mma.issue_share != load_device_preset("h200").mma.issue_share);
  CHECK(contains(borrowed_rates_line(device), "are those of a100"));
}

// From the files alone: whether all rates are own, or stem from parts of one generation.
bool has_times(const std::string& name) {
  const Node file = Node::parse(preset_text(name), name);
  const std::optional<Node> base = file.find("base");
  if (!base) return true;
  const Node other = Node::parse(preset_text(base->text()), base->text());
  return file.at("compute_capability").text() == other.at("compute_capability").text() &&
         has_times(base->text());
}

TEST_CASE("a device predicts times where no rate is another generation's") {
  for (const std::string& name : device_preset_names()) {
    CAPTURE(name);
    CHECK(predicts_time(load_device_preset(name)) == has_times(name));
  }
  CHECK(predicts_time(load_device_preset("h100")));
  DeviceSpec device = load_device_preset("a100");
  CHECK_FALSE(predicts_time(device));
  CHECK(device.foreign_rates == inherited_rates(device));
  // One borrowed rate is enough.
  for (const RateKey& key : rate_keys(device)) {
    const std::string path = path_of(key);
    CAPTURE(path);
    device.file_rates = all_paths();
    CHECK(predicts_time(parse_device_preset(device_yaml(device, {}), "x")));
    std::erase(device.file_rates, path);
    const DeviceSpec read = parse_device_preset(device_yaml(device, {}), "x");
    CHECK_FALSE(predicts_time(read));
    CHECK(read.foreign_rates == std::vector<std::string>{path});
    CHECK(contains(borrowed_rates_line(read), "device calibrate"));
  }
}

TEST_CASE("a GPU is measured, and a calibrated file predicts its times") {
  const DeviceSpec preset = load_device_preset("a100");
  DeviceSpec gpu = with_rates(preset, preset);
  CHECK(predicts_time(gpu));
  gpu.file_rates.clear();
  gpu.base = "a100";
  CHECK_FALSE(predicts_time(parse_device_preset(device_yaml(gpu, {}), "x")));
  gpu.calibrated = true;
  const DeviceSpec read = parse_device_preset(device_yaml(gpu, {}), "x");
  CHECK(read.calibrated);
  CHECK(predicts_time(read));
  CHECK(parse_device_preset(device_yaml(read, {}), "x") == read);
}

TEST_CASE("a file with every rate changed reads back, and default rates stay default") {
  DeviceSpec device = load_device_preset("h200");
  for (const RateKey& key : rate_keys(device)) testing::change(key, 0.5);
  CHECK(parse_device_preset(device_yaml(device, {}), "x") == device);
  device.base = "h200";
  device.file_rates = {"launch.cluster_us", "tile.hit_clocks", "tile.miss_clocks"};
  CHECK(parse_device_preset(device_yaml(device, {}), "x") == device);
  device.file_rates.clear();
  const std::string text = device_yaml(device, {});
  CHECK(contains(
      text,
      "defaults: [launch, clock, l2, memory, sm, groups, tile, scheduling, join, mma, skinny, "
      "links]"));
  CHECK(parse_device_preset(text, "x") == device);
}

TEST_CASE("every rate is read from its file and carried from a preset to a GPU") {
  const DeviceSpec before = load_device_preset("h200");
  DeviceSpec device = before;
  for (const RateKey& key : rate_keys(device)) {
    const std::string path = path_of(key);
    CAPTURE(path);
    const DeviceSpec kept = device;
    testing::change(key, 0.5);
    CHECK(device != kept);
    CHECK(parse_device_preset(device_yaml(device, {}), "x") == device);
    CHECK(with_rates(before, device) == device);
  }
}

TEST_CASE("a text distinguishes rates of the file from those of its base") {
  DeviceSpec device = load_device_preset("h200");
  const size_t all = rate_keys(device).size();
  CHECK(own_rates_text(device) == format("all {} are in its file", all));
  CHECK(own_rates_text(parse_device_preset(old_file(), "old.yaml")) ==
        format("all {} are those of h200", all));
  CHECK(own_rates_text(load_device_preset("a100")) ==
        format("2 of {} are in its file: sm.fp32_per_clock, mma.issue_share; {} are those of h200: "
               "launch, clock, l2, memory, sm.threads, sm.reserved_smem_bytes, "
               "sm.specials_per_clock, groups, tile, scheduling, join, mma.warps_wanted, "
               "mma.narrow_copy_share, mma.register_copy_share, mma.memory_share, mma.latency_us, "
               "mma.epilogue_clocks, mma.store_bytes_per_clock, mma.sm80_turn_us, "
               "mma.second_kernel_us, skinny, links",
               all, all - 2));
  device.base = "h200";
  std::erase(device.file_rates, "sm.threads");
  std::erase(device.file_rates, "launch.cluster_us");
  std::erase(device.file_rates, "launch.first_load_sooner_us");
  std::erase(device.file_rates, "launch.ping_pong_us");
  std::erase(device.file_rates, "launch.further_cta_us");
  std::erase(device.file_rates, "launch.fill_us");
  const std::string text = own_rates_text(device);
  CHECK(
      text.starts_with(format("{} of {} are in its file: clock, l2, memory, sm.reserved_smem_byt"
                              "es, ",
                              all - 6, all)));
  CHECK(text.ends_with("; 6 are those of h200: launch, sm.threads"));
}

bool is_in(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&part](const std::string& text) { return contains(text, part); });
}

// The key `defaults` of a device's file: sections, or paths of rates.
std::set<std::string> named_defaults(const Node& file) {
  std::set<std::string> names;
  for (const Node& item : file.at("defaults").items()) names.insert(item.text());
  return names;
}

// Numbers of a file that are no rates of a section.
std::map<std::string, double> limits_of(const Node& file) {
  const std::set<std::string> words = {"schema", "name",     "marketing_name", "compute_capability",
                                       "base",   "defaults", "sources"};
  std::map<std::string, double> limits;
  for (const auto& [key, value] : file.pairs()) {
    if (words.count(key) == 0 && !value.is_map()) limits[key] = value.number();
  }
  return limits;
}

TEST_CASE("a preset names the rates of its base, and the source of each that only equals one") {
  for (const std::string& name : device_preset_names()) {
    const DeviceSpec device = load_device_preset(name);
    if (device.base.empty()) continue;
    CAPTURE(name);
    const Node file = Node::parse(preset_text(name), name);
    const Node base_file = Node::parse(preset_text(device.base), device.base);
    std::vector<std::string> sources;
    for (const Node& source : file.at("sources").items()) sources.push_back(source.text());
    const std::set<std::string> defaults = named_defaults(file);
    const Document own = rates_of(device);
    const Document base = rates_of(load_device_preset(device.base));
    size_t inherited = 0;
    DeviceSpec keys;
    for (const RateKey& key : rate_keys(keys)) {
      const std::string section(key.section);
      const std::string rate(key.key);
      CAPTURE(path_of(key));
      const bool given = file.find(section) && file.at(section).find(rate);
      const bool named = defaults.count(section) + defaults.count(path_of(key)) > 0;
      CHECK(given != named);
      inherited += named ? 1 : 0;
      const bool equal = own[section][rate] == base[section][rate];
      CHECK((!named || equal));
      CHECK((!given || !equal || is_in(sources, path_of(key))));
    }
    CHECK(inherited_rates(device).size() == inherited);
    const std::map<std::string, double> limits = limits_of(base_file);
    for (const auto& limit : limits_of(file)) {
      const std::string& key = limit.first;
      CAPTURE(key);
      CHECK((limits.at(key) != limit.second || is_in(sources, key)));
    }
  }
}

TEST_CASE("unknown maps and rates are refused with the likely one; so are impossible values") {
  CHECK(contains(rates_error("tiles: {}\n"), "unknown key 'tiles' - did you mean 'tile'?"));
  CHECK(contains(rates_error("join: {meat_us: 2}\n"),
                 "join.meat_us: unknown key 'meat_us' - did you mean 'meet_us'?"));
  CHECK(contains(rates_error("defaults: [join.meat_us]\n"),
                 "unknown rate 'join.meat_us' - did you mean 'join.meet_us'?"));
  CHECK(contains(rates_error("join: 3\n"), "join: should be a map, and is '3'"));
  CHECK(contains(rates_error("join: {meet_us: -1}\n"), "should be at least 0, and is -1"));
  CHECK(contains(rates_error("tile: {misaligned_row_clocks: fast}\n"), "should be a number"));
  CHECK(contains(rates_error("l2: {merged_share: 1}\n"), "from 0 to below 1, and is 1"));
  CHECK(contains(rates_error("mma: {issue_share: 1.1}\n"), "above 0 and at most 1, and is 1.1"));
  CHECK(contains(rates_error("l2: {ways: 0}\n"), "should be above 0 and at most 1024, and is 0"));
  CHECK(contains(rates_error("l2: {partitions: 3}\n"), "should be 1 or 2, and is 3"));
  CHECK(contains(rates_error("groups: {pace: [1, 1]}\n"), "should have 8 numbers, and has 2"));
  CHECK(
      contains(rates_error("groups: {lone_cta_runs: [[8, 9]]}\n"), "should be below 8, and is 8"));
  CHECK(contains(rates_error("groups: {lone_cta_runs: [[0, 9], [1, 9]]}\n"), "above 9, and is 9"));
  CHECK(contains(rates_error("groups: {lone_cta_runs: [[0]]}\n"), "should be [group, end]"));
  CHECK(contains(rates_error("groups: {lone_cta_runs: []}\n"), "should have at least one run"));
}

}  // namespace
}  // namespace tilewright
