// The keys of a config, one table: who has each, how it is read, printed, compared and taken.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tile/config/tile_config.hpp"

namespace tilewright {

/// A config of which some keys are named and the rest is to be chosen.
struct ConfigRequest {
  std::optional<Family> family;
  std::optional<TileShape> cta;
  std::optional<ClusterShape> cluster;
  std::optional<int> stages;
  std::optional<KernelSchedule> schedule;
  std::optional<Raster> raster;
  std::optional<int> l2_promotion_bytes;
  std::optional<EvictFirst> evict_first;
  std::optional<Decomposition> decomposition;
  std::optional<GroupSchedule> group_schedule;
  std::optional<ProblemOrder> problem_order;
  std::optional<bool> swap_ab;
  std::optional<WarpGrid> warps;
  std::optional<SmemArrangement> smem;
  std::optional<int> k_warps;
  bool operator==(const ConfigRequest&) const = default;
};

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

/// Every key of the config's family, in the artefact's order; those of groups where they differ
/// from their defaults.
std::vector<ConfigKey> config_keys(const TileConfig& config);

/// True where the config has every value that the request names.
bool satisfies(const TileConfig& config, const ConfigRequest& request);

}  // namespace tilewright
