// The space of a group or a rank-k update: the rasters that pay inside a problem, for groups who
// finds the problem and in which order they come, and parts of the tiles of deep products.

#include <algorithm>

#include "base/interruption.hpp"
#include "base/text.hpp"
#include "search/enumerate.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

Raster bands(int factor, tw::GroupAxis axis = tw::GroupAxis::M) {
  return {
      .kind = tw::RasterKind::SwizzleMerge, .axis = axis, .factor_count = 1, .factors = {factor}};
}

// Of a triangle bands that are no more rows than it has; of a group few: column order keeps the
// weights that CTAs share together.
std::vector<Raster> rasters_for(const Workload& workload, const TileConfig& config) {
  if (!is_triangular(workload) || config.visitor == Visitor::Plain) {
    std::vector<Raster> rasters = {parse_raster("col"), parse_raster("row"), bands(8)};
    for (const int factor : {2, 4, 16}) rasters.push_back(bands(factor));
    for (const int factor : {2, 4, 8, 16}) rasters.push_back(bands(factor, tw::GroupAxis::N));
    return rasters;
  }
  const TileCoord grid = cluster_grid(workload.shapes.front(), config);
  const int most = workload.uplo == Uplo::Upper ? grid.n : grid.m;
  std::vector<Raster> rasters;
  for (const int rows : {8, 12, 16, 4, 2, 3, 6, 10, 20, 24, 32}) {
    const Raster raster = bands(std::min(rows, most));
    if (std::find(rasters.begin(), rasters.end(), raster) == rasters.end()) {
      rasters.push_back(raster);
    }
  }
  rasters.push_back({});
  return rasters;
}

// Walks one space; what holds for all tiles of a workload is found out once.
class GroupSpace {
 public:
  GroupSpace(const Workload& workload, const SearchSpace& space, const DeviceSpec& device,
             Enumeration& found)
      : workload_(workload),
        space_(space),
        device_(device),
        found_(found),
        rules_(workload, device) {
    divides_ = is_group(workload) && !is_triangular(workload) && runs_groups(space.family);
    if (!is_group(workload)) return;
    modes_ = tried_count(space.family, space.named, KeysOf::Groups);
    ConfigRequest listed = space.named;
    if (divides_) name_key(listed, "group_schedule", to_string(GroupSchedule::HostPrecompute));
    modes_of_parts_ = tried_count(space.family, listed, KeysOf::Groups);
  }

  // The tile whole, or however else the space has it.
  void add(TileConfig config) {
    for (const Decomposition& decomposition : space_.decompositions) {
      config.decomposition = decomposition;
      add_stages(config);
    }
    const bool listed = !names_key(space_.named, "group_schedule") ||
                        config.group_schedule == GroupSchedule::HostPrecompute;
    if (!divides_ || !space_.divides || !listed) return;
    for (const Decomposition& division : divisions_for(workload_, config, device_)) {
      config.decomposition = division;
      add_stages(config);
    }
  }

 private:
  void add_stages(TileConfig config) {
    const bool in_parts = divides_ && std::holds_alternative<SplitK>(config.decomposition);
    if (in_parts) list_parts(config);
    for (const int stages : space_.stages) {
      config.stages = stages;
      add_kernel(config, in_parts ? modes_of_parts_ : modes_);
    }
  }

  // The host's table alone deals out parts; long ones that come last keep everybody waiting.
  void list_parts(TileConfig& config) const {
    if (!names_key(space_.named, "group_schedule")) {
      config.group_schedule = GroupSchedule::HostPrecompute;
    }
    if (!names_key(space_.named, "problem_order")) config.problem_order = ProblemOrder::Lpt;
  }

  void add_kernel(TileConfig config, int64_t modes) {
    throw_if_interrupted();
    const bool named = names_key(space_.named, "raster");
    const std::vector<Raster> rasters = named ? space_.rasters : rasters_for(workload_, config);
    const int64_t of_raster = modes * l2_request_count(space_);
    found_.enumerated += static_cast<int64_t>(rasters.size()) * of_raster;
    LegalKernel kernel{config, {}};
    for (const Raster& raster : rasters) {
      config.raster = raster;
      if (const auto rejection = rules_.reject(config)) {
        found_.rejected[rejection->rule] += of_raster;
        found_.examples.try_emplace(rejection->rule, rejection->reason);
        continue;
      }
      kernel.rasters.push_back(raster);
    }
    if (kernel.rasters.empty()) return;
    kernel.config.raster = kernel.rasters.front();
    found_.legal += static_cast<int64_t>(kernel.rasters.size()) * of_raster;
    found_.kernels.push_back(kernel);
  }

  const Workload& workload_;
  const SearchSpace& space_;
  const DeviceSpec& device_;
  Enumeration& found_;
  WorkloadRules rules_;
  bool divides_ = false;
  int64_t modes_ = 1;
  int64_t modes_of_parts_ = 1;
};

}  // namespace

Enumeration enumerate(const Workload& workload, const std::vector<SearchSpace>& spaces,
                      const DeviceSpec& device) {
  if (is_product(workload)) return enumerate(problem_of(workload, 0), spaces, device);
  Enumeration found;
  for (const SearchSpace& space : spaces) {
    GroupSpace of_group(workload, space, device, found);
    for (const TileConfig& config : tiles_of(space, workload.kind.dtype)) of_group.add(config);
  }
  return found;
}

}  // namespace tilewright
