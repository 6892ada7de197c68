#include "store/rate_keys.hpp"

#include <algorithm>
#include <type_traits>

#include "base/text.hpp"

namespace tilewright {
namespace {

void read(const Node& node, double& value, RateRange range) {
  value = node.number(range);
}

void read(const Node& node, int& value, RateRange range) {
  value = node.small_count();
  (void)node.number(range);
}

void read(const Node& node, std::array<double, kGpcCount>& values, RateRange range) {
  const std::vector<Node> items = node.items();
  if (items.size() != values.size()) {
    throw node.fail(format("should have {} numbers, and has {}", values.size(), items.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) read(items[i], values[i], range);
}

void read(const Node& node, std::vector<GpcRun>& runs, RateRange) {
  runs.clear();
  for (const Node& item : node.items()) {
    const std::vector<Node> pair = item.items();
    if (pair.size() != 2) throw item.fail("should be [group, end]");
    const GpcRun run = {pair[0].small_count(), pair[1].small_count()};
    if (run.gpc >= kGpcCount) {
      throw pair[0].fail(format("should be below {}, and is {}", kGpcCount, run.gpc));
    }
    const int before = runs.empty() ? 0 : runs.back().end;
    if (run.end <= before) {
      throw pair[1].fail(format("should be above {}, and is {}", before, run.end));
    }
    runs.push_back(run);
  }
  if (runs.empty()) throw node.fail("should have at least one run");
}

Document written(double value) {
  return value;
}

Document written(int value) {
  return value;
}

Document written(const std::array<double, kGpcCount>& values) {
  return values;
}

Document written(const std::vector<GpcRun>& runs) {
  Document list = Document::array();
  for (const GpcRun& run : runs) list.push_back(Document::array({run.gpc, run.end}));
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
  return std::find(device.file_rates.begin(), device.file_rates.end(), path_of(key)) !=
         device.file_rates.end();
}

// The rates that are the device's own (or not, if `own` is false). A section in which all rates
// qualify is listed by its name.
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

// Paths of the rates in the key `defaults`.
std::vector<std::string> read_defaults(const Node& list, const std::vector<RateKey>& keys) {
  std::vector<std::string> paths;
  paths.reserve(keys.size());
  for (const RateKey& key : keys) paths.push_back(path_of(key));
  std::vector<std::string_view> known = sections_of(keys);
  known.insert(known.end(), paths.begin(), paths.end());
  std::vector<std::string> defaults;
  for (const Node& item : list.items()) {
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

}  // namespace

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
  const bool is_alike =
      device.compute_major == from.compute_major && device.compute_minor == from.compute_minor;
  device.foreign_rates.clear();
  if (is_alike && !predicts_time(from)) device.foreign_rates = from.foreign_rates;
  if (is_alike) return;
  for (const RateKey& key : keys) device.foreign_rates.push_back(path_of(key));
}

void read_rates(const Node& file, DeviceSpec& device) {
  const std::vector<RateKey> keys = rate_keys(device);
  for (const std::string_view section : sections_of(keys)) {
    const std::optional<Node> map = file.find(std::string(section));
    if (!map) continue;
    std::vector<std::string_view> known;
    for (const RateKey& key : keys) {
      if (key.section == section) known.push_back(key.key);
    }
    map->allow_only(known);
    for (const RateKey& key : keys) {
      if (key.section != section) continue;
      const std::optional<Node> node = map->find(std::string(key.key));
      if (!node) continue;
      std::visit([&](auto* value) { read(*node, *value, key.range); }, key.value);
      device.file_rates.push_back(path_of(key));
    }
  }
  if (const std::optional<Node> list = file.find("defaults")) {
    for (const std::string& path : read_defaults(*list, keys)) std::erase(device.file_rates, path);
  }
  for (const std::string& path : device.file_rates) std::erase(device.foreign_rates, path);
  if (device.base.empty() && device.file_rates.size() < keys.size()) {
    throw file.fail(
        format("has no rates of its own for {}; name a preset that has them, as in 'base: h200'",
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

std::vector<std::string> inherited_rates(const DeviceSpec& device) {
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
  const size_t own = device.file_rates.size();
  if (own == all) return format("all {} are in its file", all);
  if (own == 0) return format("all {} are those of {}", all, device.base);
  return format("{} of {} are in its file: {}; {} are those of {}: {}", own, all,
                join(briefly(device, true), ", "), all - own, device.base,
                join(briefly(device, false), ", "));
}

std::string borrowed_rates_line(const DeviceSpec& device) {
  constexpr size_t kMaxNames = 4;
  const size_t borrowed = inherited_rates(device).size();
  if (borrowed == 0) return "";
  std::vector<std::string> names = briefly(device, false);
  if (names.size() > kMaxNames) {
    names.resize(kMaxNames);
    names.emplace_back("...");
  }
  DeviceSpec copy = device;
  const size_t all = rate_keys(copy).size();
  if (predicts_time(device)) {
    return format("device {}: {} of {} rates are not its own and are those of {}: {}", device.name,
                  borrowed, all, device.base, join(names, ", "));
  }
  return format(
      "device {}: {} of {} rates are not its own and are those of {}, another generation's: no "
      "time is predicted, and waves and traffic rank; a file with rates of its own has times, as "
      "'device calibrate' writes on a GPU of compute capability 9.0",
      device.name, borrowed, all, device.base);
}

}  // namespace tilewright
