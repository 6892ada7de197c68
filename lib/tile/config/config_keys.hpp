// The keys of a config: which families have each, and how to parse, print, compare and copy it.
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

/// A config with values for some keys; the others are still to be chosen.
struct ConfigRequest {
  TileConfig values;                         // of the named keys; the others have their defaults
  std::set<std::string, std::less<>> named;  // keys
  bool operator==(const ConfigRequest&) const = default;
};

/// True where the request names the key.
bool names_key(const ConfigRequest& request, std::string_view key);

/// Names a key with its value as text. Throws a usage error as parse_config() does.
void name_key(ConfigRequest& request, std::string_view key, std::string_view value);

/// The request with one more key, or with another value of one that it names. Throws as
/// parse_config() does.
ConfigRequest with_key(ConfigRequest request, std::string_view key, std::string_view value);

/// "cta=128x256x64,cluster=2x1,stages=4,raster=swizzle-merge:8,l2_promotion=128,..." in any order.
/// `tile` names `cta`, too. Throws a usage error with the key and its valid values, or the families
/// that lack it.
ConfigRequest parse_config(std::string_view text);

/// The families that have every key that the request names; only the named family if it names one.
std::vector<Family> families_of(const ConfigRequest& request);
/// The first key of the request's family that it does not name. swap_ab and evict_first, which are
/// newer than some artefacts, and the keys of groups may be left out.
std::optional<std::string> missing_key(const ConfigRequest& request);
/// The request as a config: keys that it does not name have their defaults.
TileConfig config_of(const ConfigRequest& request);

/// One key of a config and its value.
struct ConfigKey {
  std::string name;
  std::string value;
  bool is_number = false;
  bool operator==(const ConfigKey&) const = default;
};

/// Every key of the config's family, in the artefact's order; keys of groups and of triangles only
/// where they differ from their defaults.
std::vector<ConfigKey> config_keys(const TileConfig& config);

/// Every key that a launch of the workload uses, in the artefact's order: keys of groups or of
/// triangles even where they have their defaults.
std::vector<ConfigKey> launch_config_keys(const TileConfig& config, const Workload& workload);

/// The keys of launch_config_keys(), "key=value,...".
std::string launch_config_text(const TileConfig& config, const Workload& workload);

/// A key without a config: the families that have it, and its default.
struct ConfigKeyFacts {
  std::string_view name;
  std::vector<Family> families;
  std::string default_value;
};

/// The facts of every key, in the artefact's order.
std::vector<ConfigKeyFacts> config_key_facts();

/// A key in which two configs differ, and its value in each.
struct ChangedKey {
  std::string name;
  std::string value;
  std::string before;
};

/// The keys in which two configs of one family differ, in the artefact's order.
std::vector<ChangedKey> changed_keys(const TileConfig& now, const TileConfig& before);

/// True where the config has every value that the request names.
bool satisfies(const TileConfig& config, const ConfigRequest& request);

/// The config with the values that the request names.
TileConfig with_named(TileConfig config, const ConfigRequest& request);

/// Which launches use a key: all, or only those of groups.
enum class KeyScope { Products, Groups, AcrossGpus };

/// Each config of the family, once for every combination of the values that a search tries
/// (KeyRecord::candidate_values), preferred ones first. Keys that the request names keep their
/// value.
std::vector<TileConfig> with_candidate_values(const std::vector<TileConfig>& configs, Family family,
                                              const ConfigRequest& request,
                                              KeyScope keys = KeyScope::Products);
/// The number of configs that with_candidate_values() returns for each one.
int64_t candidate_value_count(Family family, const ConfigRequest& request,
                              KeyScope keys = KeyScope::Products);

}  // namespace tilewright
