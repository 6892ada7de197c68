#include "search/space.hpp"

namespace tilewright {
namespace {

std::vector<Raster> sm90_rasters() {
  // Triton's groups are swizzle-merge's; padding rasters only lose; --config raster=... tries
  // others.
  constexpr int kMostFactor = 16;
  std::vector<Raster> rasters = {{.kind = tw::RasterKind::Row}, {.kind = tw::RasterKind::Col}};
  for (const tw::RasterKind kind : {tw::RasterKind::SwizzleMerge, tw::RasterKind::SplitMerge}) {
    for (const tw::GroupAxis axis : {tw::GroupAxis::M, tw::GroupAxis::N}) {
      for (int factor = 1; factor <= kMostFactor; ++factor) {
        rasters.push_back({.kind = kind, .axis = axis, .factor_count = 1, .factors = {factor}});
      }
    }
  }
  // Blocks inside blocks: near squares of a wave's size, walked in smaller ones.
  for (const tw::GroupAxis axis : {tw::GroupAxis::M, tw::GroupAxis::N}) {
    for (const int outer : {8, 16}) {
      for (const int inner : {4, 8, 16}) {
        rasters.push_back({.kind = tw::RasterKind::SwizzleMerge,
                           .axis = axis,
                           .factor_count = 2,
                           .factors = {outer, inner}});
      }
    }
  }
  return rasters;
}

}  // namespace

SearchSpace sm90_space() {
  SearchSpace space;
  for (const int m : {128, 256, 192, 64}) {
    for (int n = 256; n >= 8; n -= 8) space.cta.push_back({m, n, 64});
  }
  for (const int n : {320, 288}) space.cta.push_back({128, n, 64});
  space.clusters = {{2, 1}, {1, 2}, {1, 1}};
  space.stages = {4, 5, 6, 7, 8, 10, 12, 3};
  space.schedules = {KernelSchedule::PingPong, KernelSchedule::Cooperative};
  space.rasters = sm90_rasters();
  space.l2_promotion_bytes = {128, 256, 0};
  space.decompositions = {DataParallel{}};
  space.divides = true;
  space.swaps = {0, 1};
  return space;
}

SearchSpace restricted(SearchSpace space, const ConfigRequest& request) {
  if (request.cta) space.cta = {*request.cta};
  if (request.cluster) space.clusters = {*request.cluster};
  if (request.stages) space.stages = {*request.stages};
  if (request.schedule) space.schedules = {*request.schedule};
  if (request.raster) space.rasters = {*request.raster};
  if (request.decomposition) {
    space.decompositions = {*request.decomposition};
    space.divides = false;
  }
  if (request.swap_ab) space.swaps = {static_cast<char>(*request.swap_ab)};
  if (request.l2_promotion_bytes) space.l2_promotion_bytes = {*request.l2_promotion_bytes};
  return space;
}

int64_t config_count(const SearchSpace& s) {
  return static_cast<int64_t>(s.cta.size() * s.clusters.size() * s.stages.size() *
                              s.schedules.size() * s.decompositions.size() * s.rasters.size() *
                              s.l2_promotion_bytes.size() * s.swaps.size());
}

}  // namespace tilewright
