// The keys of a config, one table: who has each, how it is read, printed, compared and taken.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A config of which some keys are named and the rest is to be chosen.
struct ConfigRequest {
  TileConfig values;                         // of the named keys; the others have their defaults
  std::set<std::string, std::less<>> named;  // keys
  bool operator==(const ConfigRequest&) const = default;
};

/// True where the request names the key.
bool names_key(const ConfigRequest& request, std::string_view key);

/// Names a key with its value as text. Throws a usage error as parse_config() does.
void name_key(ConfigRequest& request, std::string_view key, std::string_view value);

/// "cta=128x256x64,cluster=2x1,stages=4,raster=swizzle-merge:8,l2_promotion=128,..." in any order;
/// a usage error names the key and what it takes, or the families that lack it.
ConfigRequest parse_config(std::string_view text);

/// The families that have every key that the request names, or the one that it names.
std::vector<Family> families_of(const ConfigRequest& request);
/// The first key of the request's family that it does not name; swap_ab and evict_first, which came
/// later than artefacts, and the keys of groups may be left out.
std::optional<std::string> missing_key(const ConfigRequest& request);
/// The config of a request's family: what it leaves open has its default.
TileConfig config_of(const ConfigRequest& request);

/// One key of a config and its value.
struct ConfigKey {
  std::string name;
  std::string value;
  bool is_number = false;
  bool operator==(const ConfigKey&) const = default;
};

/// Every key of the config's family, in the artefact's order; those of groups and of triangles
/// where they differ from their defaults.
std::vector<ConfigKey> config_keys(const TileConfig& config);

/// The config as a launch of the workload has it, "key=value,...": every key that concerns it,
/// those of groups or of triangles too, where they have their defaults.
std::string effective_text(const TileConfig& config, const Workload& workload);

/// What is known of a key without a config: who has it, and its value where nobody names it.
struct ConfigKeyFacts {
  std::string_view name;
  std::vector<Family> families;
  std::string otherwise;
};

/// Of every key, in the artefact's order.
std::vector<ConfigKeyFacts> config_key_facts();

/// A key in which two configs differ, and its value in each.
struct ChangedKey {
  std::string name;
  std::string value;
  std::string before;
};

/// Those of two configs of one family, in the artefact's order.
std::vector<ChangedKey> changed_keys(const TileConfig& now, const TileConfig& before);

/// True where the config has every value that the request names.
bool satisfies(const TileConfig& config, const ConfigRequest& request);

/// The config with the values that the request names.
TileConfig with_named(TileConfig config, const ConfigRequest& request);

/// Whom a key concerns: every launch, or those of groups alone.
enum class KeysOf { Products, Groups };

/// Each config of the family with all values that a search tries of the keys that say so in the
/// table, preferred ones first; only the named value of those that the request names.
std::vector<TileConfig> with_tried(const std::vector<TileConfig>& configs, Family family,
                                   const ConfigRequest& request, KeysOf keys = KeysOf::Products);
/// How many each config becomes.
int64_t tried_count(Family family, const ConfigRequest& request, KeysOf keys = KeysOf::Products);

}  // namespace tilewright
