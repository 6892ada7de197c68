#include "tile/config/config_keys.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// Whether a whole config must have a key: artefacts from before a key lack it.
enum class Presence {
  Always,
  Optional,
  // Printed only where they differ from the default: other launches do not use them.
  OfGroups,
  OfTriangles,
  AcrossGpus,
};

// One key: its name, rules and conversions.
struct KeyRecord {
  std::string_view name;
  Presence presence = Presence::Always;
  std::vector<std::string_view> candidate_values;  // of a search, preferred ones first
  bool is_number = false;
  std::function<void(TileConfig&, std::string_view)> read;
  std::function<void(const TileConfig&, TileConfig&)> copy;
  std::function<bool(const TileConfig&, const TileConfig&)> equal;
  std::function<std::string(const TileConfig&)> print;

  bool is_of(Family family) const { return has_key(family, name); }
};

template <class Value>
std::string print_value(const Value& value) {
  return to_string(value);
}
std::string print_value(int value) {
  return format("{}", value);
}
std::string print_value(bool value) {
  return value ? "true" : "false";
}

// The key of the config's member `field`.
template <class Field, class Parse>
KeyRecord key(std::string_view name, Field field, Parse parse, Presence presence = Presence::Always,
              const std::vector<std::string_view>& candidate_values = {}) {
  using Value = std::invoke_result_t<Parse, std::string_view>;
  return {
      .name = name,
      .presence = presence,
      .candidate_values = candidate_values,
      .is_number = std::is_same_v<Value, int>,
      .read = [field, parse](TileConfig& c, std::string_view text) { field(c) = parse(text); },
      .copy = [field](const TileConfig& from, TileConfig& to) { field(to) = field(from); },
      .equal = [field](const TileConfig& a, const TileConfig& b) { return field(a) == field(b); },
      .print = [field](const TileConfig& c) { return print_value(field(c)); }};
}

int parse_number(std::string_view name, std::string_view text, int least, int most) {
  const std::optional<int64_t> value = parse_count(text);
  if (!value || *value < least || *value > most) {
    throw usage_error(
        format("config: {}='{}' is not a whole number from {} to {}", name, text, least, most));
  }
  return static_cast<int>(*value);
}

int parse_l2_promotion(std::string_view text) {
  const int bytes = parse_number("l2_promotion", text, 0, 256);
  if (bytes != 0 && bytes != 64 && bytes != 128 && bytes != 256) {
    throw usage_error(format("config: l2_promotion={} is not 0, 64, 128 or 256 bytes", bytes));
  }
  return bytes;
}

bool parse_swap(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw usage_error(format("config: swap_ab '{}' is not true or false", text));
}

DataType parse_parts(std::string_view text) {
  for (const DataType type : {DataType::F32, DataType::BF16, DataType::F16}) {
    if (text == to_string(type)) return type;
  }
  throw usage_error(format("config: parts '{}' is not f32, bf16 or f16", text));
}

// Every key, in the artefact's order.
const std::vector<KeyRecord>& key_table() {
  constexpr int kMaxSmall = 32;
  const auto small = [](std::string_view name) {
    return [name](std::string_view text) { return parse_number(name, text, 1, kMaxSmall); };
  };
  static const std::vector<KeyRecord> table = {
      key(
          "family", [](auto& c) -> auto& { return c.family; }, parse_family),
      key(
          "cta", [](auto& c) -> auto& { return c.cta; }, parse_tile),
      key(
          "cluster", [](auto& c) -> auto& { return c.cluster; }, parse_cluster),
      key(
          "warps", [](auto& c) -> auto& { return c.sm80.warps; }, parse_warps),
      key(
          "k_warps", [](auto& c) -> auto& { return c.skinny.k_warps; }, small("k_warps")),
      key(
          "stages", [](auto& c) -> auto& { return c.stages; }, small("stages")),
      key("schedule", [](auto& c) -> auto& { return c.schedule; }, parse_kernel_schedule,
          Presence::Always, {"pingpong", "cooperative"}),
      key(
          "smem", [](auto& c) -> auto& { return c.sm80.smem; }, parse_smem_arrangement),
      key(
          "raster", [](auto& c) -> auto& { return c.raster; }, parse_raster),
      key(
          "l2_promotion", [](auto& c) -> auto& { return c.l2_promotion_bytes; },
          parse_l2_promotion),
      key(
          "evict_first", [](auto& c) -> auto& { return c.evict_first; }, parse_evict_first,
          Presence::Optional),
      key(
          "decomposition", [](auto& c) -> auto& { return c.decomposition; }, parse_decomposition),
      key("group_schedule", [](auto& c) -> auto& { return c.group_schedule; }, parse_group_schedule,
          Presence::OfGroups, {std::begin(kGroupSchedules), std::end(kGroupSchedules)}),
      key("problem_order", [](auto& c) -> auto& { return c.problem_order; }, parse_problem_order,
          Presence::OfGroups, {std::begin(kProblemOrders), std::end(kProblemOrders)}),
      key(
          "visitor", [](auto& c) -> auto& { return c.visitor; }, parse_visitor,
          Presence::OfTriangles),
      key("swap_ab", [](auto& c) -> auto& { return c.swap_ab; }, parse_swap, Presence::Optional,
          {"false", "true"}),
      key("rank_order", [](auto& c) -> auto& { return c.peers.order; }, parse_rank_order,
          Presence::AcrossGpus, {"chunks", "ring"}),
      key("chunks", [](auto& c) -> auto& { return c.peers.chunks; }, small("chunks"),
          Presence::AcrossGpus, {"1", "2", "4", "8", "16", "32"}),
      key("parts", [](auto& c) -> auto& { return c.peers.parts; }, parse_parts,
          Presence::AcrossGpus, {"bf16", "f16", "f32"}),
      key("k_chunks", [](auto& c) -> auto& { return c.peers.k_chunks; }, small("k_chunks"),
          Presence::AcrossGpus, {"1", "4", "16"})};
  return table;
}

std::vector<Family> families_with(const KeyRecord& record) {
  std::vector<Family> families = all_families();
  std::erase_if(families, [&record](Family family) { return !record.is_of(family); });
  return families;
}

std::string names_of(const std::function<bool(const KeyRecord&)>& wanted) {
  std::vector<std::string> names;
  for (const KeyRecord& record : key_table()) {
    if (wanted(record)) names.emplace_back(record.name);
  }
  return join(names, ", ");
}

// Throws where no family has all keys of the request.
void require_family(const ConfigRequest& request) {
  if (!families_of(request).empty()) return;
  for (const KeyRecord& record : key_table()) {
    const Family family = request.values.family;
    if (!names_key(request, "family") || !names_key(request, record.name) || record.is_of(family)) {
      continue;
    }
    throw usage_error(
        format("config: family {} has no key '{}': its keys are {}", to_string(family), record.name,
               names_of([&](const KeyRecord& other) { return other.is_of(family); })));
  }
  throw usage_error(
      format("config: no family has all of the keys {}",
             names_of([&](const KeyRecord& record) { return names_key(request, record.name); })));
}

// False where a launch of the workload does not use the key.
bool concerns(const KeyRecord& record, const Workload& workload) {
  switch (record.presence) {
    case Presence::OfGroups: return is_group(workload);
    case Presence::OfTriangles: return is_triangular(workload);
    case Presence::AcrossGpus: return is_across_gpus(workload);
    default: return true;
  }
}

// True where every launch uses the key.
bool is_of_all(const KeyRecord& record) {
  return record.presence == Presence::Always || record.presence == Presence::Optional;
}

KeyScope keys_of(const KeyRecord& record) {
  if (record.presence == Presence::AcrossGpus) return KeyScope::AcrossGpus;
  return record.presence == Presence::OfGroups ? KeyScope::Groups : KeyScope::Products;
}

std::vector<ConfigKey> printed_keys(const TileConfig& config,
                                    const std::function<bool(const KeyRecord&)>& is_always) {
  std::vector<ConfigKey> keys;
  for (const KeyRecord& record : key_table()) {
    if (!record.is_of(config.family)) continue;
    const std::string value = record.print(config);
    if (!is_always(record) && value == record.print({})) continue;
    keys.push_back({std::string(record.name), value, record.is_number});
  }
  return keys;
}

std::string assignments_text(const std::vector<ConfigKey>& keys) {
  std::vector<std::string> assignments;
  assignments.reserve(keys.size());
  for (const ConfigKey& key : keys) assignments.push_back(key.name + "=" + key.value);
  return join(assignments, ",");
}

// True where a search chooses among the key's values.
bool has_candidates(const KeyRecord& record, Family family, const ConfigRequest& request,
                    KeyScope keys) {
  if (keys_of(record) != keys || record.candidate_values.empty()) return false;
  return record.is_of(family) && !names_key(request, record.name);
}

}  // namespace

bool names_key(const ConfigRequest& request, std::string_view key) {
  return request.named.find(key) != request.named.end();
}

void name_key(ConfigRequest& request, std::string_view key, std::string_view value) {
  std::vector<std::string_view> known;
  for (const KeyRecord& record : key_table()) {
    if (record.name == key) {
      record.read(request.values, value);
      request.named.emplace(key);
      return;
    }
    known.push_back(record.name);
  }
  throw usage_error(format("config: unknown key '{}'{}", key, did_you_mean(key, known)));
}

ConfigRequest with_key(ConfigRequest request, std::string_view key, std::string_view value) {
  name_key(request, key, value);
  require_family(request);
  return request;
}

ConfigRequest parse_config(std::string_view text) {
  ConfigRequest request;
  for (const std::string& assignment : split_assignments(text)) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      throw usage_error(
          format("config '{}': '{}' is not key=value, such as cta=128x256x64", text, assignment));
    }
    std::string name(trim(std::string_view(assignment).substr(0, equals)));
    if (name == "tile") name = "cta";
    if (names_key(request, name)) throw usage_error(format("config: {} is given twice", name));
    name_key(request, name, trim(std::string_view(assignment).substr(equals + 1)));
  }
  require_family(request);
  return request;
}

std::vector<Family> families_of(const ConfigRequest& request) {
  std::vector<Family> families;
  for (const Family family : all_families()) {
    if (names_key(request, "family") && request.values.family != family) continue;
    const std::vector<KeyRecord>& table = key_table();
    const bool has_all = std::all_of(table.begin(), table.end(), [&](const KeyRecord& record) {
      return !names_key(request, record.name) || record.is_of(family);
    });
    if (has_all) families.push_back(family);
  }
  return families;
}

std::optional<std::string> missing_key(const ConfigRequest& request) {
  if (!names_key(request, "family")) return "family";
  for (const KeyRecord& record : key_table()) {
    const bool wanted = record.is_of(request.values.family) && record.presence == Presence::Always;
    if (wanted && !names_key(request, record.name)) return std::string(record.name);
  }
  return std::nullopt;
}

TileConfig config_of(const ConfigRequest& request) {
  TileConfig config = request.values;
  config.family = families_of(request).front();
  return config;
}

std::vector<ConfigKey> config_keys(const TileConfig& config) {
  return printed_keys(config, is_of_all);
}

std::vector<ConfigKeyFacts> config_key_facts() {
  std::vector<ConfigKeyFacts> facts;
  for (const KeyRecord& record : key_table()) {
    facts.push_back({record.name, families_with(record), record.print({})});
  }
  return facts;
}

std::vector<ChangedKey> changed_keys(const TileConfig& now, const TileConfig& before) {
  std::vector<ChangedKey> changes;
  for (const KeyRecord& record : key_table()) {
    if (!record.is_of(now.family) || record.equal(now, before)) continue;
    changes.push_back({std::string(record.name), record.print(now), record.print(before)});
  }
  return changes;
}

std::string to_string(const TileConfig& config) {
  return assignments_text(config_keys(config));
}

std::vector<ConfigKey> launch_config_keys(const TileConfig& config, const Workload& workload) {
  return printed_keys(config,
                      [&workload](const KeyRecord& record) { return concerns(record, workload); });
}

std::string launch_config_text(const TileConfig& config, const Workload& workload) {
  return assignments_text(launch_config_keys(config, workload));
}

bool satisfies(const TileConfig& config, const ConfigRequest& request) {
  const std::vector<KeyRecord>& table = key_table();
  return std::all_of(table.begin(), table.end(), [&](const KeyRecord& record) {
    return !names_key(request, record.name) || record.equal(request.values, config);
  });
}

TileConfig with_named(TileConfig config, const ConfigRequest& request) {
  for (const KeyRecord& record : key_table()) {
    if (names_key(request, record.name)) record.copy(request.values, config);
  }
  return config;
}

std::vector<TileConfig> with_candidate_values(const std::vector<TileConfig>& configs, Family family,
                                              const ConfigRequest& request, KeyScope keys) {
  std::vector<TileConfig> all = configs;
  const std::vector<KeyRecord>& table = key_table();
  for (auto record = table.rbegin(); record != table.rend(); ++record) {
    if (!has_candidates(*record, family, request, keys)) continue;
    std::vector<TileConfig> more;
    more.reserve(all.size() * record->candidate_values.size());
    for (const TileConfig& config : all) {
      for (const std::string_view value : record->candidate_values) {
        more.push_back(config);
        record->read(more.back(), value);
      }
    }
    all = std::move(more);
  }
  return all;
}

int64_t candidate_value_count(Family family, const ConfigRequest& request, KeyScope keys) {
  int64_t count = 1;
  for (const KeyRecord& record : key_table()) {
    if (has_candidates(record, family, request, keys)) {
      count *= static_cast<int64_t>(record.candidate_values.size());
    }
  }
  return count;
}

}  // namespace tilewright
