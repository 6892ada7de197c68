#include "search/enumerate.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/interruption.hpp"
#include "base/text.hpp"
#include "search/space.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// As reject_config checks them: a config that breaks a later rule passed the ones before.
constexpr std::array<std::string_view, 18> kRuleOrder = {
    "operation", "pointless",     "architecture", "tile-shape", "cluster",   "warps",
    "smem",      "shared-memory", "registers",    "layout",     "alignment", "wave",
    "group",     "decomposition", "operands",     "reduction",  "raster",    "duplicate"};

void count(Enumeration& found, const Rejection& rejection, int64_t configs) {
  found.rejected[rejection.rule] += configs;
  found.examples.try_emplace(rejection.rule, rejection.reason);
}

// Why another value of the space does the same or better for these sizes: only choices are refused,
// never what a request names.
std::optional<Rejection> pointless(const Problem& problem, const TileConfig& config,
                                   const SearchSpace& space) {
  constexpr int64_t kNarrow = 64;
  constexpr int kMostSwappedRows = 256;
  if (!space.has_pointless) return {};
  const GemmShape s = kernel_shape(problem.shape, config);
  const auto refuse = [](std::string why) { return Rejection{"pointless", std::move(why)}; };
  if (!names_key(space.named, "swap_ab") && config.swap_ab) {
    const GemmShape& p = problem.shape;
    if (p.m > kMostSwappedRows) return refuse(format("swap_ab serves few rows; M is {}", p.m));
    if (p.m == p.n && k_contiguous_a(problem.kind.layout) == k_contiguous_b(problem.kind.layout)) {
      return refuse("swap_ab mirrors the kernels of a square whose operands lie alike");
    }
  }
  const bool is_divided = !std::holds_alternative<DataParallel>(config.decomposition);
  if (space.clusters.size() > 1 && config.cluster.m * config.cluster.n > 2 && !is_divided) {
    return refuse(format("cluster {} leaves multiprocessors idle and pays where K is divided",
                         to_string(config.cluster)));
  }
  if (space.cta.size() == 1) return {};
  if (config.cta.m > 64 && config.cta.m / 2 >= s.m) {
    return refuse(format("half of cta {} covers {} rows", to_string(config.cta), s.m));
  }
  if (config.cta.n > 8 && config.cta.n - 8 >= s.n) {
    return refuse(format("a narrower tile than {} covers {} columns", to_string(config.cta), s.n));
  }
  if (config.cta.n < kNarrow && s.n >= 2 * kNarrow) {
    return refuse(format("cta {} is narrow for {} columns", to_string(config.cta), s.n));
  }
  return {};
}

void add_kernel(Enumeration& found, const Problem& problem, TileConfig config,
                const SearchSpace& space, const DeviceSpec& device) {
  throw_if_interrupted();
  const int64_t requests = l2_request_count(space);
  const auto raster_count = static_cast<int64_t>(space.rasters.size());
  // Row order walks the fewest slots, so what it breaks every raster breaks.
  config.raster = {};
  if (const auto rejection = reject_config(problem, config, device)) {
    return count(found, *rejection, raster_count * requests);
  }
  if (const auto rejection = pointless(problem, config, space)) {
    return count(found, *rejection, raster_count * requests);
  }
  const TileCoord grid = cluster_grid(problem.shape, config);
  LegalKernel kernel{config, {}};
  std::vector<Raster> walks;
  for (const Raster& raster : space.rasters) {
    config.raster = raster;
    if (const auto rejection = reject_config(problem, config, device)) {
      count(found, *rejection, requests);
      continue;
    }
    const Raster walk = plainest(raster, grid);
    if (std::find(walks.begin(), walks.end(), walk) != walks.end()) {
      const Rejection same{"duplicate", to_string(raster) + " walks this grid like another raster"};
      count(found, same, requests);
      continue;
    }
    walks.push_back(walk);
    kernel.rasters.push_back(raster);
  }
  if (kernel.rasters.empty()) return;
  kernel.config.raster = kernel.rasters.front();
  found.legal += static_cast<int64_t>(kernel.rasters.size()) * requests;
  found.kernels.push_back(kernel);
}

// All stages and decompositions of a tile.
void add_kernels(Enumeration& found, const Problem& problem, TileConfig config,
                 const SearchSpace& space, const DeviceSpec& device) {
  std::vector<Decomposition> decompositions = space.decompositions;
  if (space.divides) {
    const std::vector<Decomposition> more = divisions_for(problem, config, device);
    decompositions.insert(decompositions.end(), more.begin(), more.end());
    found.enumerated +=
        static_cast<int64_t>(more.size() * space.stages.size() * space.rasters.size()) *
        l2_request_count(space);
  }
  for (const Decomposition& decomposition : decompositions) {
    for (const int stages : space.stages) {
      config.decomposition = decomposition;
      config.stages = stages;
      add_kernel(found, problem, config, space, device);
    }
  }
}

// The last rule that any config reached.
std::optional<Rejection> last_rejection(const Enumeration& found) {
  for (auto rule = kRuleOrder.rbegin(); rule != kRuleOrder.rend(); ++rule) {
    const auto example = found.examples.find(std::string(*rule));
    if (example != found.examples.end()) return Rejection{example->first, example->second};
  }
  return {};
}

std::vector<Sm80Options> all_warp_grids() {
  constexpr int kMostWarps = 16;
  std::vector<Sm80Options> all;
  for (int m = 1; m <= kMostWarps; ++m) {
    for (int n = 1; m * n <= kMostWarps; ++n) all.push_back({.warps = {m, n}});
  }
  return all;
}

}  // namespace

Enumeration enumerate(const Problem& problem, const std::vector<SearchSpace>& spaces,
                      const DeviceSpec& device) {
  Enumeration found;
  for (const SearchSpace& space : spaces) {
    found.enumerated += config_count(space);
    for (const TileConfig& config : tiles_of(space, problem.kind.dtype)) {
      add_kernels(found, problem, config, space, device);
    }
  }
  return found;
}

Enumeration enumerate(const Problem& problem, const SearchSpace& space, const DeviceSpec& device) {
  return enumerate(problem, std::vector<SearchSpace>{space}, device);
}

std::string why_nothing_legal(const Enumeration& found, const Workload& workload,
                              const DeviceSpec& device) {
  const std::optional<Rejection> last = last_rejection(found);
  if (!last) return "the space is empty";
  return format("no legal config for {} on {}; rule {}: {}", to_string(workload), device.name,
                last->rule, last->reason);
}

std::optional<Rejection> reject_tile(const Problem& problem, const TileShape& cta,
                                     ClusterShape cluster, const DeviceSpec& device) {
  ConfigRequest request =
      parse_config(format("cta={},stages=2,decomposition=data-parallel", to_string(cta)));
  if (cluster != ClusterShape{}) name_key(request, "cluster", to_string(cluster));
  std::vector<SearchSpace> spaces = requested_spaces(request);
  for (SearchSpace& space : spaces) {
    space.rasters = {Raster{}};
    if (has_key(space.family, "warps")) space.sm80 = all_warp_grids();
    if (has_key(space.family, "swap_ab")) name_key(space.named, "swap_ab", "false");
    space.stages = {space.least_stages};
    if (!names_key(request, "cluster")) space.clusters = {{}};
  }
  const Enumeration found = enumerate(problem, spaces, device);
  if (!found.kernels.empty()) return {};
  return last_rejection(found);
}

Raster plainest(const Raster& raster, TileCoord grid) {
  if (raster.kind == tw::RasterKind::Triton) {
    return plainest(
        {.kind = tw::RasterKind::SwizzleMerge, .factor_count = 1, .factors = {raster.factors[0]}},
        grid);
  }
  if (tw::record_of(raster.kind).family != tw::RasterFamily::Plain) return raster;
  if (raster.factor_count == 0) {
    // A single line has one order.
    return grid.m == 1 || grid.n == 1 ? Raster{} : raster;
  }
  if (raster.factor_count != 1) return raster;
  const bool along_m = raster.axis == tw::GroupAxis::M;
  const int extent = along_m ? grid.m : grid.n;
  const int factor = raster.factors[0];
  Raster plain = raster;
  if (plain.kind == tw::RasterKind::SplitMerge && extent % factor == 0) {
    plain.kind = tw::RasterKind::SwizzleMerge;
  }
  if (plain.kind == tw::RasterKind::SplitMerge) return plain;
  const tw::RasterKind across = along_m ? tw::RasterKind::Row : tw::RasterKind::Col;
  const tw::RasterKind along = along_m ? tw::RasterKind::Col : tw::RasterKind::Row;
  if (factor == 1) return plainest({.kind = across}, grid);
  if (factor == extent) return plainest({.kind = along}, grid);
  if (grid.m == 1 || grid.n == 1) return {};
  return plain;
}

}  // namespace tilewright
