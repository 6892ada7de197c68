#include "store/rate_keys.hpp"

#include <algorithm>
#include <type_traits>

#include "base/text.hpp"

namespace tilewright {
namespace {

std::string_view words(RateRange range) {
  switch (range) {
    case RateRange::Positive: return "above 0";
    case RateRange::NotNegative: return "at least 0";
    case RateRange::BelowOne: return "from 0 to below 1";
    case RateRange::UpToOne: return "above 0 and at most 1";
    case RateRange::OneOrTwo: return "1 or 2";
  }
  return "";
}

bool holds(RateRange range, double value) {
  switch (range) {
    case RateRange::Positive: return value > 0;
    case RateRange::NotNegative: return value >= 0;
    case RateRange::BelowOne: return value >= 0 && value < 1;
    case RateRange::UpToOne: return value > 0 && value <= 1;
    case RateRange::OneOrTwo: return value == 1 || value == 2;
  }
  return false;
}

template <class Number>
Number in_range(const YamlReader& node, Number value, RateRange range) {
  if (holds(range, static_cast<double>(value))) return value;
  throw node.fail(format("should be {}, and is {}", words(range), value));
}

void read(const YamlReader& node, double& value, RateRange range) {
  value = in_range(node, node.number(), range);
}

void read(const YamlReader& node, int& value, RateRange range) {
  value = in_range(node, node.small_count(), range);
}

void read(const YamlReader& node, std::array<double, kGroupCount>& values, RateRange range) {
  const std::vector<YamlReader> items = node.items();
  if (items.size() != values.size()) {
    throw node.fail(format("should have {} numbers, and has {}", values.size(), items.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) read(items[i], values[i], range);
}

void read(const YamlReader& node, std::vector<GroupRun>& runs, RateRange) {
  runs.clear();
  for (const YamlReader& item : node.items()) {
    const std::vector<YamlReader> pair = item.items();
    if (pair.size() != 2) throw item.fail("should be [group, end]");
    const GroupRun run = {pair[0].small_count(), pair[1].small_count()};
    if (run.group >= kGroupCount) {
      throw pair[0].fail(format("should be below {}, and is {}", kGroupCount, run.group));
    }
    const int before = runs.empty() ? 0 : runs.back().end;
    if (run.end <= before) {
      throw pair[1].fail(format("should be above {}, and is {}", before, run.end));
    }
    runs.push_back(run);
  }
  if (runs.empty()) throw node.fail("should have a run at least");
}

Document written(double value) {
  return value;
}

Document written(int value) {
  return value;
}

Document written(const std::array<double, kGroupCount>& values) {
  return values;
}

Document written(const std::vector<GroupRun>& runs) {
  Document list = Document::array();
  for (const GroupRun& run : runs) list.push_back(Document::array({run.group, run.end}));
  return list;
}

std::vector<std::string_view> sections_of(const std::vector<RateKey>& keys) {
  std::vector<std::string_view> sections;
  for (const RateKey& key : keys) {
    if (sections.empty() || sections.back() != key.section) sections.push_back(key.section);
  }
  return sections;
}

bool is_own(const DeviceSpec& device, const RateKey& key) {
  return std::find(device.own_rates.begin(), device.own_rates.end(), path_of(key)) !=
         device.own_rates.end();
}

// Rates that are the device's own, or those that are not; a map of nothing else by its name.
std::vector<std::string> briefly(DeviceSpec device, bool own) {
  const std::vector<RateKey> keys = rate_keys(device);
  std::vector<std::string> names;
  for (const std::string_view section : sections_of(keys)) {
    std::vector<std::string> wanted;
    bool whole = true;
    for (const RateKey& key : keys) {
      if (key.section != section) continue;
      const bool fits = is_own(device, key) == own;
      if (fits) wanted.push_back(path_of(key));
      whole = whole && fits;
    }
    if (whole) wanted = {std::string(section)};
    names.insert(names.end(), wanted.begin(), wanted.end());
  }
  return names;
}

// Paths of the rates that the key `defaults` lists.
std::vector<std::string> read_defaults(const YamlReader& list, const std::vector<RateKey>& keys) {
  std::vector<std::string> paths;
  paths.reserve(keys.size());
  for (const RateKey& key : keys) paths.push_back(path_of(key));
  std::vector<std::string_view> known = sections_of(keys);
  known.insert(known.end(), paths.begin(), paths.end());
  std::vector<std::string> defaults;
  for (const YamlReader& item : list.items()) {
    const std::string name = item.text();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw item.fail(format("unknown rate '{}'{}", name, did_you_mean(name, known)));
    }
    for (const RateKey& key : keys) {
      if (key.section == name || path_of(key) == name) defaults.push_back(path_of(key));
    }
  }
  return defaults;
}

// Of the device as a whole, and of the kernels' families.
std::vector<RateKey> device_keys(DeviceSpec& d) {
  return {
      {"launch", "first_load_sooner_us", &d.launch.first_load_sooner_us, RateRange::NotNegative},
      {"launch", "cluster_us", &d.launch.cluster_us, RateRange::NotNegative},
      {"clock", "idle_exponent", &d.clock.idle_exponent, RateRange::NotNegative},
      {"clock", "most_gain", &d.clock.most_gain, RateRange::Positive},
      {"clock", "brief_us", &d.clock.brief_us, RateRange::Positive},
      {"clock", "length_exponent", &d.clock.length_exponent, RateRange::NotNegative},
      {"clock", "least_share", &d.clock.least_share, RateRange::UpToOne},
      {"l2", "partitions", &d.l2.partitions, RateRange::OneOrTwo},
      {"l2", "ways", &d.l2.ways, RateRange::Positive},
      {"l2", "write_room", &d.l2.write_room, RateRange::Positive},
      {"l2", "merged_share", &d.l2.merged_share, RateRange::BelowOne},
      {"l2", "merged_across_share", &d.l2.merged_across_share, RateRange::BelowOne},
      {"l2", "evict_first_share", &d.l2.evict_first_share, RateRange::Positive},
      {"l2", "evict_first_ways", &d.l2.evict_first_ways, RateRange::Positive},
      {"l2", "zero_row_bytes", &d.l2.zero_row_bytes, RateRange::NotNegative},
      {"l2", "misaligned_row_bytes", &d.l2.misaligned_row_bytes, RateRange::NotNegative},
      {"memory", "repack_share", &d.memory.repack_share, RateRange::UpToOne},
      {"memory", "repeat_share", &d.memory.repeat_share, RateRange::NotNegative},
      {"sm", "threads", &d.sm.threads, RateRange::Positive},
      {"sm", "reserved_smem_bytes", &d.sm.reserved_smem_bytes, RateRange::NotNegative},
      {"sm", "fp32_per_clock", &d.sm.fp32_per_clock, RateRange::Positive},
      {"sm", "specials_per_clock", &d.sm.specials_per_clock, RateRange::Positive},
      {"groups", "cluster_fill_share", &d.groups.cluster_fill_share, RateRange::UpToOne},
      {"groups", "pace", &d.groups.pace, RateRange::Positive},
      {"groups", "lone_cta_runs", &d.groups.lone_cta_runs, RateRange::Positive},
  };
}

std::vector<RateKey> family_keys(DeviceSpec& d) {
  return {
      {"tile", "shared_bytes_per_clock", &d.tile.shared_bytes_per_clock, RateRange::Positive},
      {"tile", "misaligned_row_clocks", &d.tile.misaligned_row_clocks, RateRange::NotNegative},
      {"tile", "step_clocks", &d.tile.step_clocks, RateRange::NotNegative},
      {"tile", "hit_clocks", &d.tile.hit_clocks, RateRange::NotNegative},
      {"tile", "receive_bytes_per_clock", &d.tile.receive_bytes_per_clock, RateRange::Positive},
      {"tile", "miss_clocks", &d.tile.miss_clocks, RateRange::NotNegative},
      {"tile", "multicast_rows", &d.tile.multicast_rows, RateRange::Positive},
      {"tile", "thin_slice_share", &d.tile.thin_slice_share, RateRange::NotNegative},
      {"tile", "late_stages", &d.tile.late_stages, RateRange::NotNegative},
      {"tile", "warpgroup_clocks", &d.tile.warpgroup_clocks, RateRange::NotNegative},
      {"tile", "epilogue_clocks", &d.tile.epilogue_clocks, RateRange::NotNegative},
      {"tile", "store_clocks", &d.tile.store_clocks, RateRange::NotNegative},
      {"tile", "epilogue_bytes_per_clock", &d.tile.epilogue_bytes_per_clock, RateRange::Positive},
      {"tile", "hand_over_clocks", &d.tile.hand_over_clocks, RateRange::NotNegative},
      {"tile", "multicast_share", &d.tile.multicast_share, RateRange::NotNegative},
      {"scheduling", "search_first_us", &d.scheduling.search_first_us, RateRange::NotNegative},
      {"scheduling", "search_unit_us", &d.scheduling.search_unit_us, RateRange::NotNegative},
      {"scheduling", "table_first_us", &d.scheduling.table_first_us, RateRange::NotNegative},
      {"scheduling", "counter_first_us", &d.scheduling.counter_first_us, RateRange::NotNegative},
      {"scheduling", "counter_unit_us", &d.scheduling.counter_unit_us, RateRange::NotNegative},
      {"scheduling", "counter_cluster_unit_us", &d.scheduling.counter_cluster_unit_us,
       RateRange::NotNegative},
      {"scheduling", "own_maps_us", &d.scheduling.own_maps_us, RateRange::NotNegative},
      {"scheduling", "list_us", &d.scheduling.list_us, RateRange::NotNegative},
      {"scheduling", "triangle_us", &d.scheduling.triangle_us, RateRange::NotNegative},
      {"scheduling", "hilbert_clocks", &d.scheduling.hilbert_clocks, RateRange::NotNegative},
      {"scheduling", "morton_clocks", &d.scheduling.morton_clocks, RateRange::NotNegative},
      {"join", "sm90_turn_us", &d.join.sm90_turn_us, RateRange::NotNegative},
      {"join", "part_bytes_per_us", &d.join.part_bytes_per_us, RateRange::Positive},
      {"join", "meet_us", &d.join.meet_us, RateRange::NotNegative},
      {"join", "atomic_bytes_per_us", &d.join.atomic_bytes_per_us, RateRange::Positive},
      {"join", "workspace_bytes_per_us", &d.join.workspace_bytes_per_us, RateRange::Positive},
      {"join", "second_kernel_us", &d.join.second_kernel_us, RateRange::NotNegative},
      {"join", "share_us", &d.join.share_us, RateRange::NotNegative},
      {"join", "cluster_meet_us", &d.join.cluster_meet_us, RateRange::NotNegative},
      {"join", "cluster_bytes_per_us", &d.join.cluster_bytes_per_us, RateRange::Positive},
      {"mma", "issue_share", &d.mma.issue_share, RateRange::UpToOne},
      {"mma", "warps_wanted", &d.mma.warps_wanted, RateRange::Positive},
      {"mma", "narrow_copy_share", &d.mma.narrow_copy_share, RateRange::NotNegative},
      {"mma", "register_copy_share", &d.mma.register_copy_share, RateRange::NotNegative},
      {"mma", "memory_share", &d.mma.memory_share, RateRange::Positive},
      {"mma", "epilogue_clocks", &d.mma.epilogue_clocks, RateRange::NotNegative},
      {"mma", "sm80_turn_us", &d.mma.sm80_turn_us, RateRange::NotNegative},
      {"mma", "second_kernel_us", &d.mma.second_kernel_us, RateRange::NotNegative},
      {"skinny", "memory_share", &d.skinny.memory_share, RateRange::Positive},
      {"skinny", "full_rate_s", &d.skinny.full_rate_s, RateRange::Positive},
      {"skinny", "warps_wanted", &d.skinny.warps_wanted, RateRange::Positive},
      {"skinny", "wave_share", &d.skinny.wave_share, RateRange::NotNegative},
      {"skinny", "wide_lines_share", &d.skinny.wide_lines_share, RateRange::NotNegative},
      {"skinny", "sliced_wave_share", &d.skinny.sliced_wave_share, RateRange::NotNegative},
      {"skinny", "one_batch_share", &d.skinny.one_batch_share, RateRange::NotNegative},
      {"skinny", "activation_share", &d.skinny.activation_share, RateRange::NotNegative},
      {"skinny", "arrival_us", &d.skinny.arrival_us, RateRange::NotNegative},
  };
}

}  // namespace

std::vector<RateKey> rate_keys(DeviceSpec& d) {
  std::vector<RateKey> keys = device_keys(d);
  const std::vector<RateKey> more = family_keys(d);
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

std::string path_of(const RateKey& key) {
  return format("{}.{}", key.section, key.key);
}

std::vector<std::string_view> rate_sections() {
  DeviceSpec device;
  std::vector<std::string_view> sections = sections_of(rate_keys(device));
  sections.emplace_back("defaults");
  return sections;
}

void take_rates(DeviceSpec& device, DeviceSpec from) {
  const std::vector<RateKey> keys = rate_keys(device);
  const std::vector<RateKey> theirs = rate_keys(from);
  for (size_t i = 0; i < keys.size(); ++i) {
    std::visit([&](auto* value) { *value = *std::get<decltype(value)>(theirs[i].value); },
               keys[i].value);
  }
}

void read_rates(const YamlReader& file, DeviceSpec& device) {
  const std::vector<RateKey> keys = rate_keys(device);
  for (const std::string_view section : sections_of(keys)) {
    const std::optional<YamlReader> map = file.find(std::string(section));
    if (!map) continue;
    std::vector<std::string_view> known;
    for (const RateKey& key : keys) {
      if (key.section == section) known.push_back(key.key);
    }
    map->allow_only(known);
    for (const RateKey& key : keys) {
      if (key.section != section) continue;
      const std::optional<YamlReader> node = map->find(std::string(key.key));
      if (!node) continue;
      std::visit([&](auto* value) { read(*node, *value, key.range); }, key.value);
      device.own_rates.push_back(path_of(key));
    }
  }
  if (const std::optional<YamlReader> list = file.find("defaults")) {
    for (const std::string& path : read_defaults(*list, keys)) std::erase(device.own_rates, path);
  }
  if (device.base.empty() && device.own_rates.size() < keys.size()) {
    throw file.fail(format("has no rates of its own for {}; say whose they are, as in 'base: h200'",
                           join(briefly(device, false), ", ")));
  }
}

void write_rates(const DeviceSpec& device, Document& document) {
  DeviceSpec copy = device;
  for (const RateKey& key : rate_keys(copy)) {
    std::visit(
        [&](const auto* value) {
          document[std::string(key.section)][std::string(key.key)] = written(*value);
        },
        key.value);
  }
  const std::vector<std::string> defaults = briefly(device, false);
  if (!defaults.empty()) document["defaults"] = defaults;
}

std::vector<std::string> borrowed_rates(const DeviceSpec& device) {
  DeviceSpec copy = device;
  std::vector<std::string> paths;
  if (device.base.empty()) return paths;
  for (const RateKey& key : rate_keys(copy)) {
    if (!is_own(device, key)) paths.push_back(path_of(key));
  }
  return paths;
}

std::string own_rates_text(const DeviceSpec& device) {
  DeviceSpec copy = device;
  const size_t all = rate_keys(copy).size();
  const size_t own = device.own_rates.size();
  if (own == all) return format("all {} stand in its file", all);
  if (own == 0) return format("all {} stand as in {}", all, device.base);
  if (own <= all / 2) {
    return format("in its file: {}; the other {} stand as in {}", join(briefly(device, true), ", "),
                  all - own, device.base);
  }
  return format("as in {}: {}; the other {} stand in its file", device.base,
                join(briefly(device, false), ", "), own);
}

std::string borrowed_rates_line(const DeviceSpec& device) {
  constexpr size_t kMostNames = 4;
  const size_t borrowed = borrowed_rates(device).size();
  if (borrowed == 0) return "";
  std::vector<std::string> names = briefly(device, false);
  if (names.size() > kMostNames) {
    names.resize(kMostNames);
    names.emplace_back("...");
  }
  DeviceSpec copy = device;
  return format("device {}: {} of {} rates are not its own and stand as in {}: {}", device.name,
                borrowed, rate_keys(copy).size(), device.base, join(names, ", "));
}

}  // namespace tilewright
