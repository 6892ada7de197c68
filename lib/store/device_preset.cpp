#include "store/device_preset.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "record/field_table.hpp"
#include "store/preset_path.hpp"
#include "store/rate_keys.hpp"

namespace tilewright {

namespace {

DeviceSpec parse_with_bases(std::string_view text, const std::string& source, int depth);

// "9.0" as major and minor.
void read_compute_capability(const Node& node, DeviceSpec& device) {
  const std::string text = node.text();
  const auto parts = split(text, '.');
  const auto major = parse_count(parts[0]);
  const auto minor = parse_count(parts.size() == 2 ? parts[1] : "");
  if (!major || !minor || *major > 99 || *minor > 99) {
    throw node.fail(format("'{}' is no compute capability, such as \"9.0\"", text));
  }
  device.compute_major = static_cast<int>(*major);
  device.compute_minor = static_cast<int>(*minor);
}

constexpr std::array kFigures = {
    always<&DeviceSpec::name>("name"),
    always<&DeviceSpec::marketing_name>("marketing_name"),
    Field<DeviceSpec>{"compute_capability", true, [](const DeviceSpec&) { return true; },
                      [](const DeviceSpec& device) -> Document {
                        return format("{}.{}", device.compute_major, device.compute_minor);
                      },
                      read_compute_capability},
    when_set<&DeviceSpec::gpus>("gpus"),
    positive<&DeviceSpec::sm_count>("sm_count"),
    always<&DeviceSpec::smem_per_cta_bytes>("smem_per_cta_bytes"),
    always<&DeviceSpec::registers_per_sm>("registers_per_sm"),
    always<&DeviceSpec::max_cluster_size>("max_cluster_size"),
    positive<&DeviceSpec::l2_bytes>("l2_bytes"),
    positive<&DeviceSpec::l2_effective_bytes>("l2_effective_bytes"),
    positive<&DeviceSpec::memory_bytes>("memory_bytes"),
    positive<&DeviceSpec::tensor_flops_per_clock_per_sm>("tensor_flops_per_clock_per_sm"),
    positive<&DeviceSpec::sustained_clock_hz>("sustained_clock_hz"),
    positive<&DeviceSpec::dram_bytes_per_s>("dram_bytes_per_s"),
    positive<&DeviceSpec::l2_bytes_per_clock>("l2_bytes_per_clock"),
    positive<&DeviceSpec::launch_us>("launch_us"),
};

// The text of presets/devices/NAME.yaml and its name in messages.
struct PresetFile {
  std::string text;
  std::string source;
};

PresetFile file_of_preset(std::string_view name) {
  const std::filesystem::path path = presets_folder() / "devices" / format("{}.yaml", name);
  return {read_file(path), path.string()};
}

// Loads the preset that supplies the rates that a file lacks. A base may itself have a base; a
// cycle is an error.
DeviceSpec load_base(const Node& node, int depth) {
  constexpr int kMaxBases = 8;
  const std::string name = node.text();
  const std::vector<std::string> names = device_preset_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw node.fail(format("unknown preset '{}'{}; the presets are {}", name,
                           did_you_mean(name, views), join(names, ", ")));
  }
  if (depth == kMaxBases) throw node.fail(format("'{}' has itself as its base", name));
  const PresetFile file = file_of_preset(name);
  return parse_with_bases(file.text, file.source, depth + 1);
}

// All keys except those of read_rates().
DeviceSpec read_figures(const Node& file) {
  std::vector<std::string_view> known = {"schema", "base", "calibrated", "sources"};
  for (const auto& keys : {keys_of<DeviceSpec>(kFigures), rate_sections()}) {
    known.insert(known.end(), keys.begin(), keys.end());
  }
  file.allow_only(known);
  auto device = record_from<DeviceSpec>(file, kFigures);
  for (const char* const key : {"name", "marketing_name"}) read_name(file.at(key));
  if (device.sm_count > kMaxMultiprocessors) {
    throw file.at("sm_count")
        .fail(format("{} multiprocessors are not from 1 to {}", device.sm_count,
                     kMaxMultiprocessors));
  }
  if (device.gpus < 1 || device.gpus > tw::kMaxGpus) {
    throw file.at("gpus").fail(
        format("{} GPUs of a host are not from 1 to {}", device.gpus, tw::kMaxGpus));
  }
  return device;
}

DeviceSpec parse_with_bases(std::string_view text, const std::string& source, int depth) {
  const Node file = Node::parse(text, source);
  file.require_schema("tilewright.device/1");
  DeviceSpec device = read_figures(file);
  for (const Node& source_line : file.at("sources").items()) source_line.text();
  if (const std::optional<Node> base = file.find("base")) {
    take_rates(device, load_base(*base, depth));
    device.base = base->text();
  }
  read_rates(file, device);
  if (const std::optional<Node> fitted = file.find("calibrated")) {
    device.calibrated = fitted->flag();
  }
  return device;
}

// Keeps the last result, because a sweep loads one device a thousand times, and a pipe delivers its
// text only once.
DeviceSpec parse_once(const PresetFile& file, bool is_pipe) {
  struct Parsed {
    PresetFile file;
    DeviceSpec device;
  };
  thread_local std::optional<Parsed> last;
  const bool is_same = last && last->file.source == file.source;
  if (is_pipe && is_same) return last->device;
  const std::string text = is_pipe ? read_file(file.source) : file.text;
  if (!is_same || last->file.text != text) {
    last.reset();
    last = Parsed{{text, file.source}, parse_device_preset(text, file.source)};
  }
  return last->device;
}

DeviceSpec load_file(const std::string& path) {
  std::error_code unknown;
  const bool is_pipe =
      std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown);
  return parse_once({is_pipe ? "" : read_file(path), path}, is_pipe);
}

// The parts of NAMExW, such as "h200x2".
struct HostName {
  std::string preset;
  int64_t gpus = 0;
};

std::optional<HostName> host_name(const std::string& name) {
  const size_t x = name.rfind('x');
  if (x == std::string::npos) return std::nullopt;
  const std::optional<int64_t> gpus = parse_count(std::string_view(name).substr(x + 1));
  if (!gpus) return std::nullopt;
  return HostName{name.substr(0, x), *gpus};
}

// " - did you mean 'h200x2'?" if the preset before the x is misspelt.
std::string meant_device(const std::string& name, const std::vector<std::string>& presets) {
  std::vector<std::string> known = presets;
  if (const std::optional<HostName> host = host_name(name)) {
    for (const std::string& preset : presets) {
      known.push_back(format("{}x{}", preset, host->gpus));
    }
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  return did_you_mean(name, views);
}

// Rounds to five digits, the precision of a measurement.
double rounded(double value) {
  return std::stod(format("{:.5g}", value));
}

}  // namespace

std::vector<std::string> device_preset_names() {
  std::vector<std::string> names;
  const std::filesystem::path folder = presets_folder() / "devices";
  std::error_code failed;
  for (const auto& file : std::filesystem::directory_iterator(folder, failed)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  if (failed) {
    throw environment_error(format("cannot read '{}': {}", folder.string(), failed.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

DeviceSpec load_device_preset(std::string_view name) {
  if (name.ends_with(".yaml")) return load_file(std::string(name));
  const std::vector<std::string> names = device_preset_names();
  const std::string lower = lower_case(name);
  const auto is_preset = [&names](const std::string& text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  };
  if (is_preset(lower)) return parse_once(file_of_preset(lower), false);
  const std::optional<HostName> host = host_name(lower);
  if (!host || !is_preset(host->preset)) {
    throw usage_error(
        format("unknown device '{}'{}; the devices are auto, cuda:N, FILE.yaml, {}, and NAMExW for "
               "W of them on one host",
               name, meant_device(lower, names), join(names, ", ")));
  }
  if (host->gpus < 2 || host->gpus > tw::kMaxGpus) {
    throw usage_error(format("device '{}': a host has 2 to {} GPUs, as in {}x2; one alone is {}",
                             name, tw::kMaxGpus, host->preset, host->preset));
  }
  DeviceSpec device = parse_once(file_of_preset(host->preset), false);
  device.name = format("{}x{}", host->preset, host->gpus);
  device.gpus = static_cast<int>(host->gpus);
  return device;
}

std::optional<DeviceSpec> preset_like(const DeviceFingerprint& device) {
  for (const std::string& name : device_preset_names()) {
    const DeviceSpec preset = load_device_preset(name);
    if (!same_architecture(fingerprint(preset, true), device)) continue;
    return device.preset ? preset : with_rates(preset, preset);
  }
  return std::nullopt;
}

DeviceSpec parse_device_preset(std::string_view text, const std::string& source) {
  return parse_with_bases(text, source, 0);
}

DeviceSpec nearest_preset(const DeviceSpec& limits) {
  // Lexicographic, because rates depend more on the generation than on the size.
  const auto distance = [&limits](const DeviceSpec& d) {
    return std::make_tuple(
        std::abs(d.compute_major - limits.compute_major),
        std::abs(d.compute_minor - limits.compute_minor), std::abs(d.sm_count - limits.sm_count),
        std::abs(d.l2_bytes - limits.l2_bytes), std::abs(d.memory_bytes - limits.memory_bytes));
  };
  std::vector<DeviceSpec> presets;
  for (const std::string& name : device_preset_names()) presets.push_back(load_device_preset(name));
  if (presets.empty()) throw environment_error("the presets folder has no devices");
  return *std::min_element(
      presets.begin(), presets.end(),
      [&distance](const DeviceSpec& a, const DeviceSpec& b) { return distance(a) < distance(b); });
}

DeviceSpec with_rates(const DeviceSpec& limits, const DeviceSpec& preset) {
  // The preset's DRAM and L2 rates belong to its numbers of multiprocessors and memory stacks; this
  // does not correct them for a part with the same chip and fewer of either.
  DeviceSpec device = preset;
  device.name = limits.name;
  device.marketing_name = limits.marketing_name;
  device.compute_major = limits.compute_major;
  device.compute_minor = limits.compute_minor;
  device.sm_count = limits.sm_count;
  device.smem_per_cta_bytes = limits.smem_per_cta_bytes;
  device.registers_per_sm = limits.registers_per_sm;
  device.max_cluster_size = limits.max_cluster_size;
  device.l2_bytes = limits.l2_bytes;
  device.memory_bytes = limits.memory_bytes;
  device.gpus = limits.gpus;
  device.l2_effective_bytes =
      std::llround(static_cast<double>(preset.l2_effective_bytes) *
                   static_cast<double>(limits.l2_bytes) / static_cast<double>(preset.l2_bytes));
  device.foreign_rates.clear();
  return device;
}

Fields<DeviceSpec> device_figures() {
  return kFigures;
}

std::string device_yaml(const DeviceSpec& d, const std::vector<std::string>& sources) {
  Document figures = {{"schema", "tilewright.device/1"}};
  write_fields(d, figures, kFigures);
  for (auto& figure : figures) {
    if (figure.is_number_float()) figure = rounded(figure.get<double>());
  }
  if (!d.base.empty()) figures["base"] = d.base;
  if (d.calibrated) figures["calibrated"] = true;
  write_rates(d, figures);
  // One source a line, as in the presets; a JSON string is also a YAML string.
  std::string text = to_yaml(figures) + (sources.empty() ? "sources: []\n" : "sources:\n");
  for (const std::string& source : sources) {
    text += format("  - {}\n", Document(source).dump());
  }
  return text;
}

}  // namespace tilewright
