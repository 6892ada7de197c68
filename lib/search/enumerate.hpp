// Walks a space and rejects configs by named rules; the rest is legal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/space.hpp"
#include "tile/plan/legality.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// One kernel's legal uses: the config with the first raster and L2 requests, and the rasters that
/// walk a product's grid in different orders. All promotions and evictions are legal.
struct LegalKernel {
  TileConfig config;
  std::vector<Raster> rasters;
  int64_t config_count = 0;  // in all rasters and requests of L2
  bool operator==(const LegalKernel&) const = default;
};

/// The legal part of spaces for one workload, and how many configs each rule removed. `duplicate`
/// counts configs of a product with a raster that walks its grid exactly like an earlier one.
struct Enumeration {
  int64_t enumerated = 0;
  int64_t legal = 0;
  std::map<std::string, int64_t> rejected;
  std::vector<LegalKernel> kernels;
  std::map<std::string, std::string> examples;  // one reason per rule
  bool operator==(const Enumeration&) const = default;
};

/// Checks every config of the spaces, and keeps only legal kernels in memory. For a group, a config
/// counts once for every schedule and problem order that a search tries.
Enumeration enumerate(const Workload& workload, const std::vector<SearchSpace>& spaces,
                      const DeviceSpec& device);

/// A sentence for the user if `found` holds no kernel: the last rule that any config reached, and
/// the reason why it failed.
std::string why_nothing_legal(const Enumeration& found, const Workload& workload,
                              const DeviceSpec& device);

/// The rule and reason why no kernel family runs whole tiles and clusters of these shapes on the
/// device, whatever else a config chooses; nothing if one does.
std::optional<Rejection> reject_tile(const Problem& problem, const TileShape& cta,
                                     ClusterShape cluster, const DeviceSpec& device);

/// The plainest raster that walks the grid in the same order: row or col for groups of 1 or of the
/// whole axis, swizzle-merge for split-merge if its groups divide the grid.
Raster plainest(const Raster& raster, TileCoord grid);

}  // namespace tilewright
