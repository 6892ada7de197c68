#include "search/rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "model/coarse_price.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

struct TriedRaster {
  Raster raster;
  double us = 0;  // of the first kernel, by a coarse replay; 0 where none was made
};

// Kernels that are priced together: for a product those of one tile and cluster, which share their
// replays; for other workloads a single one.
struct Mapping {
  std::vector<const LegalKernel*> kernels;  // by stages, in the space's order
  std::vector<RankedConfig> best;           // one per kernel, once a raster was tried
  std::vector<TriedRaster> tried;
  double us = std::numeric_limits<double>::infinity();  // of the fastest kernel
  bool is_close = false;                                // `best` comes from estimate()
};

// Estimates within a nanosecond are equal: the order of the space decides.
bool faster(const Estimate& a, const Estimate& b) {
  return std::llround(a.us * 1000) < std::llround(b.us * 1000);
}

bool sooner(const RankedConfig& a, const RankedConfig& b) {
  return faster(a.predicted, b.predicted);
}

void sort_ranked(std::vector<RankedConfig>& configs) {
  std::stable_sort(configs.begin(), configs.end(), sooner);
}

void sort_mappings(std::vector<Mapping>& mappings) {
  std::stable_sort(mappings.begin(), mappings.end(),
                   [](const Mapping& a, const Mapping& b) { return a.us < b.us; });
}

// If two rasters tie, the one that the space names first is preferred.
bool preferred(const RankedConfig& a, const RankedConfig& b, const std::vector<Raster>& order) {
  if (sooner(a, b)) return true;
  if (sooner(b, a)) return false;
  return std::find(order.begin(), order.end(), a.config.raster) <
         std::find(order.begin(), order.end(), b.config.raster);
}

// The effort of a ranking. Replays are its cost: each pass of coarse ones covers fewer mappings
// more closely, and those in front then get fine ones.
struct SearchEffort {
  struct Pass {
    size_t mappings;
    size_t stride;
  };
  std::vector<Pass> passes;        // of coarse replays; none: mappings have coarse prices
  std::optional<size_t> in_front;  // mappings with fine replays; none: the first `looks`
  size_t looks;                    // most mappings with fine replays
  size_t closest;                  // rasters per mapping in fine replays
};

// A product of half a second has the longest possible replays, and thousands of multiprocessors
// have the longest timelines: there fewer must do.
SearchEffort effort_for(const Workload& workload, const DeviceSpec& device, size_t looked_at) {
  constexpr double kHugeFlops = 2e14;
  constexpr int kManySms = 1024;
  if (is_group(workload)) return {{}, {}, looked_at, 3};
  if (!is_product(workload)) return {{}, {}, looked_at, 4};
  if (flops(workload) > kHugeFlops || device.sm_count > kManySms)
    return {{{1000, 64}, {12, 8}, {4, 1}}, 1, 12, 1};
  return {{{1000, 64}, {36, 8}, {12, 1}}, 24, 24, 3};
}

// True if every product has one row of tiles, so that its weights are read once.
bool reads_weights_once(const Workload& group, const TileConfig& config) {
  const int rows =
      config.swap_ab ? config.cta.n * config.cluster.n : config.cta.m * config.cluster.m;
  return std::all_of(group.shapes.begin(), group.shapes.end(),
                     [rows](const GemmShape& shape) { return shape.m <= rows; });
}

// One ranking of what is legal: coarse prices for all mappings, fine ones for those in front.
class Ranker {
 public:
  Ranker(const Workload& workload, const std::vector<SearchSpace>& spaces, const DeviceSpec& device,
         size_t looked_at)
      : workload_(workload), device_(device), effort_(effort_for(workload, device, looked_at)) {
    evictions_are_open_ = is_group(workload) &&
                          std::any_of(spaces.begin(), spaces.end(), [](const SearchSpace& space) {
                            return space.evict_first.size() > 1;
                          });
  }

  std::vector<RankedConfig> rank(const Enumeration& found) {
    mappings_ = is_product(workload_) ? mappings_of(found) : deepest_of_tiles(found);
    sort_mappings(mappings_);
    for (const SearchEffort::Pass& pass : effort_.passes) {
      const size_t count = std::min(pass.mappings, mappings_.size());
      for (size_t i = 0; i < count; ++i) sample_rasters(mappings_[i], pass.stride);
      sort_mappings(mappings_);
    }
    look_at_front();
    std::vector<RankedConfig> kernels;
    for (const Mapping& mapping : mappings_) {
      kernels.insert(kernels.end(), mapping.best.begin(), mapping.best.end());
    }
    sort_ranked(kernels);
    if (!is_product(workload_)) put_plainest_first(kernels);
    return kernels;
  }

 private:
  // Kernels of one tile and cluster follow each other in the enumeration.
  static std::vector<Mapping> mappings_of(const Enumeration& found) {
    std::vector<Mapping> mappings;
    for (const LegalKernel& kernel : found.kernels) {
      const TileConfig* const last =
          mappings.empty() ? nullptr : &mappings.back().kernels.front()->config;
      if (last == nullptr || last->family != kernel.config.family ||
          last->cta != kernel.config.cta || last->cluster != kernel.config.cluster ||
          last->swap_ab != kernel.config.swap_ab) {
        mappings.emplace_back();
      }
      mappings.back().kernels.push_back(&kernel);
    }
    return mappings;
  }

  // The deepest pipeline of every tile, priced by waves and traffic, to be tried in its first
  // rasters.
  std::vector<Mapping> deepest_of_tiles(const Enumeration& found) const {
    std::map<std::string, Mapping> deepest;
    for (const LegalKernel& kernel : found.kernels) {
      TileConfig tile = kernel.config;
      tile.stages = 0;
      tile.raster = {};
      Mapping& known = deepest[to_string(tile)];
      const bool deeper =
          known.kernels.empty() || kernel.config.stages > known.kernels.front()->config.stages;
      if (deeper) known.kernels = {&kernel};
    }
    std::vector<Mapping> mappings;
    mappings.reserve(deepest.size());
    for (auto& [tile, mapping] : deepest) {
      const LegalKernel& kernel = *mapping.kernels.front();
      mapping.us = coarse_us(make_plan(workload_, kernel.config, device_), device_);
      for (const Raster& raster : kernel.rasters) mapping.tried.push_back({raster, 0});
      mappings.push_back(std::move(mapping));
    }
    return mappings;
  }

  // L2 evicts first what is read once, if the space leaves that open: on an H200 that saved a tenth
  // of the time of groups of few rows.
  TileConfig tried_config(const LegalKernel& kernel, const Raster& raster) const {
    TileConfig config = kernel.config;
    config.raster = raster;
    if (evictions_are_open_) config.evict_first = {.b = reads_weights_once(workload_, config)};
    return config;
  }

  // Tries the raster on every kernel by one replay; returns the first kernel's time.
  double try_raster(Mapping& mapping, const Raster& raster, Grain grain) const {
    const bool first = mapping.best.empty();
    std::vector<Plan> plans;
    plans.reserve(mapping.kernels.size());
    for (const LegalKernel* kernel : mapping.kernels) {
      plans.push_back(make_plan(workload_, tried_config(*kernel, raster), device_));
    }
    const L2Traffic traffic = shared_traffic(plans.front(), device_, grain);
    double us = 0;
    for (size_t i = 0; i < plans.size(); ++i) {
      const RankedConfig ranked{plans[i].config, estimate(plans[i], device_, traffic)};
      if (i == 0) us = ranked.predicted.us;
      if (first) {
        mapping.best.push_back(ranked);
      } else if (preferred(ranked, mapping.best[i], mapping.kernels[i]->rasters)) {
        mapping.best[i] = ranked;
      }
    }
    mapping.us = mapping.best.front().predicted.us;
    for (const RankedConfig& ranked : mapping.best) {
      mapping.us = std::min(mapping.us, ranked.predicted.us);
    }
    return us;
  }

  // The rasters to sample from: overhang can cost a whole wave, so a raster with overhang is not
  // representative. If every raster of a mapping has overhang, all are sampled.
  std::vector<Raster> without_overhang(const LegalKernel& kernel) const {
    const TileCoord grid = cluster_grid(workload_.shapes.front(), kernel.config);
    const auto exact_slots = static_cast<long long>(grid.m) * grid.n;
    std::vector<Raster> exact;
    for (const Raster& raster : kernel.rasters) {
      if (tw::slot_count<long long>(raster, grid) == exact_slots) exact.push_back(raster);
    }
    return exact.empty() ? kernel.rasters : exact;
  }

  // Every `stride`-th raster, from the middle of the first stride on; with stride 1 all of them.
  void sample_rasters(Mapping& mapping, size_t stride) const {
    const LegalKernel& kernel = *mapping.kernels.front();
    const std::vector<Raster> rasters = stride == 1 ? kernel.rasters : without_overhang(kernel);
    for (size_t i = std::min(stride, rasters.size()) / 2; i < rasters.size(); i += stride) {
      mapping.tried.push_back({rasters[i], try_raster(mapping, rasters[i], Grain::Coarse)});
    }
  }

  // Starts over with fine replays of the rasters that were best in coarse ones.
  void look_closely(Mapping& mapping) const {
    std::stable_sort(mapping.tried.begin(), mapping.tried.end(),
                     [](const TriedRaster& a, const TriedRaster& b) { return a.us < b.us; });
    mapping.best.clear();
    mapping.is_close = true;
    for (size_t i = 0; i < std::min(effort_.closest, mapping.tried.size()); ++i) {
      try_raster(mapping, mapping.tried[i].raster, Grain::Fine);
    }
  }

  // A fine replay can move a mapping back and another to the front. Coarse prices and estimates
  // have no common order.
  void look_at_front() {
    for (size_t looks = 0; looks < effort_.looks; ++looks) {
      const auto next = std::find_if(mappings_.begin(), mappings_.end(),
                                     [](const Mapping& mapping) { return !mapping.is_close; });
      if (next == mappings_.end()) return;
      const auto before = static_cast<size_t>(next - mappings_.begin());
      if (effort_.in_front && before >= *effort_.in_front) return;
      look_closely(*next);
      if (effort_.in_front) sort_mappings(mappings_);
    }
  }

  // Elements of D in the tiles that are multiplied, padding included.
  double elements_of(const TileConfig& config) const {
    const Plan plan = make_plan(workload_, config, device_);
    double clusters = 0;
    for (const PlannedProblem& p : plan.problems) clusters += static_cast<double>(p.work.slots);
    const TileShape tile = cluster_tile(config);
    return clusters * static_cast<double>(tile.m) * static_cast<double>(tile.n);
  }

  // Moves to the front, of the kernels predicted as fast as the first, one that multiplies little
  // padding, because padding draws power; among these one that is not swapped, because swapped
  // kernels transpose what they store.
  void put_plainest_first(std::vector<RankedConfig>& kernels) const {
    constexpr double kSameWork = 1.25;
    if (kernels.empty()) return;
    std::vector<double> elements;  // of the ties
    for (const RankedConfig& kernel : kernels) {
      if (sooner(kernels.front(), kernel)) break;
      elements.push_back(elements_of(kernel.config));
    }
    const double most = *std::min_element(elements.begin(), elements.end()) * kSameWork;
    std::optional<size_t> plainest;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (elements[i] > most) continue;
      const bool is_swapped = kernels[i].config.swap_ab;
      if (!plainest || !is_swapped) plainest = i;
      if (!is_swapped) break;
    }
    const auto first = kernels.begin() + static_cast<std::ptrdiff_t>(*plainest);
    std::rotate(kernels.begin(), first, first + 1);
  }

  const Workload& workload_;
  const DeviceSpec& device_;
  SearchEffort effort_;
  bool evictions_are_open_ = false;
  std::vector<Mapping> mappings_;
};

}  // namespace

L2Traffic shared_traffic(const Plan& plan, const DeviceSpec& device, Grain grain) {
  return plan.problems.size() == 1 ? replay_l2(plan, device, grain) : L2Traffic{};
}

size_t kernels_of_answer(const Workload& workload) {
  // Where K may be divided, the coarse order has neighbours that differ only in the number of
  // parts.
  return is_group(workload) && packing_of(workload) != Packing::None ? 6 : 24;
}

Ranking rank(const Workload& workload, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> looked_at) {
  return rank(workload, enumerate(workload, spaces, device), spaces, device, looked_at);
}

Ranking rank(const Workload& workload, Enumeration found, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> looked_at) {
  Ranking ranking{std::move(found), {}};
  Ranker ranker(workload, spaces, device, looked_at.value_or(kernels_of_answer(workload)));
  ranking.kernels = ranker.rank(ranking.enumeration);
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
    ranked.push_back(
        {candidate, estimate(plan, device, shared_traffic(plan, device, Grain::Coarse))});
  }
  sort_ranked(ranked);
  for (size_t i = 0; i < std::min(kClosest, ranked.size()); ++i) {
    ranked[i].predicted = estimate(make_plan(workload, ranked[i].config, device), device);
  }
  sort_ranked(ranked);
  return ranked;
}

}  // namespace tilewright
