// Walks a space and rejects by named rules; what is left is legal.
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

/// One kernel's legal uses: the config with the first raster and requests of L2, and the rasters
/// that walk a product's grid in different orders. Promotions and evictions are all legal.
struct LegalKernel {
  TileConfig config;
  std::vector<Raster> rasters;
  int64_t config_count = 0;  // in all rasters and requests of L2
  bool operator==(const LegalKernel&) const = default;
};

/// The legal part of spaces for one workload, and how many configs each rule removed. `duplicate`
/// counts configs of a product whose raster walks its grid exactly like an earlier one's.
struct Enumeration {
  int64_t enumerated = 0;
  int64_t legal = 0;
  std::map<std::string, int64_t> rejected;
  std::vector<LegalKernel> kernels;
  std::map<std::string, std::string> examples;  // one reason a rule
  bool operator==(const Enumeration&) const = default;
};

/// Checks every config of the spaces; memory stays with the legal kernels. Of a group a config
/// counts once for every schedule and order of its problems that a search tries.
Enumeration enumerate(const Workload& workload, const std::vector<SearchSpace>& spaces,
                      const DeviceSpec& device);

/// One sentence for people when `found` holds no kernel: the last rule that any config reached, and
/// why it broke it.
std::string why_nothing_legal(const Enumeration& found, const Workload& workload,
                              const DeviceSpec& device);

/// Why no kernel family runs whole tiles of this shape in such clusters on the device, whatever
/// else a config chooses: the rule and its reason; nothing where one does.
std::optional<Rejection> reject_tile(const Problem& problem, const TileShape& cta,
                                     ClusterShape cluster, const DeviceSpec& device);

/// The plainest raster that walks the grid in the same order: row and col for groups of 1 and of
/// the whole axis, swizzle-merge where split-merge's groups divide the grid.
Raster plainest(const Raster& raster, TileCoord grid);

}  // namespace tilewright
