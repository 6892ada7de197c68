#include "search/rank.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

namespace {

struct TriedRaster {
  Raster raster;
  double us = 0;  // of the first kernel, by a coarse replay
};

// Kernels of one tile and cluster, which share their replays.
struct Mapping {
  std::vector<const LegalKernel*> kernels;  // by stages, in the space's order
  std::vector<RankedConfig> best;           // one a kernel
  std::vector<TriedRaster> tried;
  bool is_close = false;  // `best` is by fine replays
};

// Estimates within a nanosecond are the same: the order of the space decides.
bool faster(const Estimate& a, const Estimate& b) {
  return std::llround(a.us * 1000) < std::llround(b.us * 1000);
}

void sort_ranked(std::vector<RankedConfig>& configs) {
  std::stable_sort(configs.begin(), configs.end(),
                   [](const auto& a, const auto& b) { return faster(a.predicted, b.predicted); });
}

// Where two rasters tie, the one that the space names first.
bool preferred(const RankedConfig& a, const RankedConfig& b, const std::vector<Raster>& order) {
  if (faster(a.predicted, b.predicted)) return true;
  if (faster(b.predicted, a.predicted)) return false;
  return std::find(order.begin(), order.end(), a.config.raster) <
         std::find(order.begin(), order.end(), b.config.raster);
}

// Tries the raster on every kernel by one replay; returns the first kernel's time.
double try_raster(const Problem& problem, Mapping& mapping, const Raster& raster,
                  const DeviceSpec& device, Grain grain) {
  const bool first = mapping.best.empty();
  std::vector<Plan> plans;
  for (const LegalKernel* kernel : mapping.kernels) {
    TileConfig config = kernel->config;
    config.raster = raster;
    plans.push_back(make_plan(problem, config, device));
  }
  const L2Traffic traffic = replay_l2(plans.front(), device, grain);
  double us = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    const RankedConfig ranked{plans[i].config, estimate(plans[i], device, traffic)};
    if (i == 0) us = ranked.predicted.us;
    if (first) {
      mapping.best.push_back(ranked);
    } else if (preferred(ranked, mapping.best[i], mapping.kernels[i]->rasters)) {
      mapping.best[i] = ranked;
    }
  }
  return us;
}

// The replays are the cost: each pass looks closer at fewer mappings, and those that are in front
// then have fine replays.
struct Care {
  struct Pass {
    size_t mappings;
    size_t stride;
  };
  Pass passes[3];
  size_t in_front;
  size_t looks;    // at most, until those are
  size_t closest;  // rasters of a mapping
};

// Of a product of half a second each replay takes as long as one can, and so does each timeline of
// thousands of multiprocessors: there fewer have to do.
Care care_for(const Problem& problem, const DeviceSpec& device) {
  constexpr double kHugeFlops = 2e14;
  constexpr int kManySms = 1024;
  if (flops(problem) > kHugeFlops || device.sm_count > kManySms)
    return {{{1000, 64}, {12, 8}, {4, 1}}, 1, 12, 1};
  return {{{1000, 64}, {36, 8}, {12, 1}}, 24, 24, 3};
}

// Starts over with fine replays of the rasters that the coarse ones found best.
void look_closely(const Problem& problem, Mapping& mapping, size_t closest,
                  const DeviceSpec& device) {
  std::stable_sort(mapping.tried.begin(), mapping.tried.end(),
                   [](const TriedRaster& a, const TriedRaster& b) { return a.us < b.us; });
  mapping.best.clear();
  mapping.is_close = true;
  for (size_t i = 0; i < std::min(closest, mapping.tried.size()); ++i) {
    try_raster(problem, mapping, mapping.tried[i].raster, device, Grain::Fine);
  }
}

// The rasters to sample from: overhang can cost a whole wave, so one such raster would not speak
// for the others. A mapping of which nothing is left after that is sampled as it is.
std::vector<Raster> without_overhang(const Problem& problem, const LegalKernel& kernel) {
  const TileCoord grid = cluster_grid(problem.shape, kernel.config);
  const auto exact_slots = static_cast<long long>(grid.m) * grid.n;
  std::vector<Raster> exact;
  for (const Raster& raster : kernel.rasters) {
    if (tw::slot_count<long long>(raster, grid) == exact_slots) exact.push_back(raster);
  }
  return exact.empty() ? kernel.rasters : exact;
}

// Every `stride`-th raster, from one in the middle of its stretch; with stride 1 all of them.
void sample_rasters(const Problem& problem, Mapping& mapping, size_t stride,
                    const DeviceSpec& device) {
  const LegalKernel& kernel = *mapping.kernels.front();
  const std::vector<Raster> rasters =
      stride == 1 ? kernel.rasters : without_overhang(problem, kernel);
  for (size_t i = std::min(stride, rasters.size()) / 2; i < rasters.size(); i += stride) {
    mapping.tried.push_back(
        {rasters[i], try_raster(problem, mapping, rasters[i], device, Grain::Coarse)});
  }
}

double best_us(const Mapping& mapping) {
  double best = mapping.best.front().predicted.us;
  for (const RankedConfig& ranked : mapping.best) best = std::min(best, ranked.predicted.us);
  return best;
}

void sort_mappings(std::vector<Mapping>& mappings) {
  std::stable_sort(mappings.begin(), mappings.end(),
                   [](const Mapping& a, const Mapping& b) { return best_us(a) < best_us(b); });
}

// A look can put a mapping back and another in front.
void look_at_front(const Problem& problem, std::vector<Mapping>& mappings, const Care& care,
                   const DeviceSpec& device) {
  for (size_t looks = 0; looks < care.looks; ++looks) {
    const auto next = std::find_if(mappings.begin(), mappings.end(),
                                   [](const Mapping& mapping) { return !mapping.is_close; });
    const bool is_behind = next - mappings.begin() >= static_cast<std::ptrdiff_t>(care.in_front);
    if (next == mappings.end() || is_behind) return;
    look_closely(problem, *next, care.closest, device);
    sort_mappings(mappings);
  }
}

std::vector<Mapping> group_by_mapping(const Enumeration& enumeration) {
  std::vector<Mapping> mappings;
  for (const LegalKernel& kernel : enumeration.kernels) {
    const TileConfig* const last =
        mappings.empty() ? nullptr : &mappings.back().kernels.front()->config;
    if (last == nullptr || last->family != kernel.config.family || last->cta != kernel.config.cta ||
        last->cluster != kernel.config.cluster || last->swap_ab != kernel.config.swap_ab) {
      mappings.emplace_back();
    }
    mappings.back().kernels.push_back(&kernel);
  }
  return mappings;
}

}  // namespace

Ranking rank(const Problem& problem, const SearchSpace& space, const DeviceSpec& device) {
  return rank(problem, std::vector<SearchSpace>{space}, device);
}

Ranking rank(const Problem& problem, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device) {
  const Care care = care_for(problem, device);
  Ranking ranking;
  ranking.enumeration = enumerate(problem, spaces, device);
  std::vector<Mapping> mappings = group_by_mapping(ranking.enumeration);
  for (const Care::Pass& pass : care.passes) {
    const size_t count = std::min(pass.mappings, mappings.size());
    for (size_t i = 0; i < count; ++i) sample_rasters(problem, mappings[i], pass.stride, device);
    sort_mappings(mappings);
  }
  look_at_front(problem, mappings, care, device);
  for (const Mapping& mapping : mappings) {
    ranking.kernels.insert(ranking.kernels.end(), mapping.best.begin(), mapping.best.end());
  }
  sort_ranked(ranking.kernels);
  return ranking;
}

std::vector<RankedConfig> rank_rasters(const Workload& workload, const TileConfig& config,
                                       const std::vector<Raster>& rasters,
                                       const DeviceSpec& device) {
  constexpr size_t kClosest = 16;
  std::vector<RankedConfig> ranked;
  for (const Raster& raster : rasters) {
    TileConfig candidate = config;
    candidate.raster = raster;
    const Plan plan = make_plan(workload, candidate, device);
    ranked.push_back({candidate, estimate(plan, device, replay_l2(plan, device, Grain::Coarse))});
  }
  sort_ranked(ranked);
  for (size_t i = 0; i < std::min(kClosest, ranked.size()); ++i) {
    ranked[i].predicted = estimate(make_plan(workload, ranked[i].config, device), device);
  }
  sort_ranked(ranked);
  return ranked;
}

}  // namespace tilewright
