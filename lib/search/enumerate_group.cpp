// The space of a group or a rank-k update: whole tiles, the rasters that pay inside a problem, and
// for groups who finds the problem and in which order they come.

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
      : workload_(workload), space_(space), device_(device), found_(found) {
    if (is_group(workload)) modes_ = tried_count(space.family, space.named, KeysOf::Groups);
  }

  void add(TileConfig config) {
    throw_if_interrupted();
    const bool named = names_key(space_.named, "raster");
    const std::vector<Raster> rasters = named ? space_.rasters : rasters_for(workload_, config);
    const int64_t of_raster = modes_ * l2_request_count(space_);
    found_.enumerated += static_cast<int64_t>(rasters.size()) * of_raster;
    LegalKernel kernel{config, {}};
    for (const Raster& raster : rasters) {
      config.raster = raster;
      if (const auto rejection = reject_workload(workload_, config, device_)) {
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

 private:
  const Workload& workload_;
  const SearchSpace& space_;
  const DeviceSpec& device_;
  Enumeration& found_;
  int64_t modes_ = 1;
};

}  // namespace

Enumeration enumerate(const Workload& workload, const std::vector<SearchSpace>& spaces,
                      const DeviceSpec& device) {
  if (is_product(workload)) return enumerate(problem_of(workload, 0), spaces, device);
  Enumeration found;
  for (const SearchSpace& space : spaces) {
    GroupSpace of_group(workload, space, device, found);
    for (TileConfig config : tiles_of(space, workload.dtype)) {
      for (const Decomposition& decomposition : space.decompositions) {
        for (const int stages : space.stages) {
          config.decomposition = decomposition;
          config.stages = stages;
          of_group.add(config);
        }
      }
    }
  }
  return found;
}

}  // namespace tilewright
