// The predicted order of a space for a group or a rank-k update: every kernel by its waves and
// traffic alone, those in front by estimate().

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/coarse_price.hpp"
#include "model/estimate.hpp"
#include "search/rank.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

struct Candidate {
  const LegalKernel* kernel = nullptr;
  double us = 0;
};

// The deepest pipeline of every tile, fastest first.
std::vector<Candidate> candidates_of(const Workload& workload, const Enumeration& found,
                                     const DeviceSpec& device) {
  std::map<std::string, Candidate> deepest;
  for (const LegalKernel& kernel : found.kernels) {
    TileConfig tile = kernel.config;
    tile.stages = 0;
    tile.raster = {};
    Candidate& known = deepest[to_string(tile)];
    if (known.kernel != nullptr && kernel.config.stages <= known.kernel->config.stages) continue;
    const Plan plan = make_plan(workload, kernel.config, device);
    known = {&kernel, coarse_us(plan, device)};
  }
  std::vector<Candidate> candidates;
  candidates.reserve(deepest.size());
  for (const auto& named : deepest) candidates.push_back(named.second);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.us < b.us; });
  return candidates;
}

// True where no product has a second row of tiles that would read its weights again.
bool reads_weights_once(const Workload& group, const TileConfig& config) {
  const int rows =
      config.swap_ab ? config.cta.n * config.cluster.n : config.cta.m * config.cluster.m;
  return std::all_of(group.shapes.begin(), group.shapes.end(),
                     [rows](const GemmShape& shape) { return shape.m <= rows; });
}

// L2 is to give up first what is read once, where the space leaves it open: on an H200 that saved a
// tenth of the time of groups of few rows.
EvictFirst evictions_of(const Workload& group, const std::vector<SearchSpace>& spaces,
                        const TileConfig& config) {
  const auto leaves_open = [](const SearchSpace& space) { return space.evict_first.size() > 1; };
  const bool open = std::any_of(spaces.begin(), spaces.end(), leaves_open);
  return open ? EvictFirst{.b = reads_weights_once(group, config)} : config.evict_first;
}

struct Promise {
  RankedConfig ranked;
  double elements = 0;  // of D, whose tiles are multiplied, padding included
};

// Estimates within a nanosecond are the same.
bool is_sooner(const Promise& a, const Promise& b) {
  return std::llround(a.ranked.predicted.us * 1000) < std::llround(b.ranked.predicted.us * 1000);
}

Promise promise_of(const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
  const Plan plan = make_plan(workload, config, device);
  const Estimate predicted = estimate(plan, device);
  double clusters = 0;
  for (const PlannedProblem& p : plan.problems) clusters += static_cast<double>(p.work.slots);
  const TileShape tile = cluster_tile(config);
  return {{config, predicted},
          clusters * static_cast<double>(tile.m) * static_cast<double>(tile.n)};
}

// The kernel in the raster that is predicted best of its first few.
Promise best_of(const Workload& workload, const LegalKernel& kernel,
                const std::vector<SearchSpace>& spaces, const DeviceSpec& device) {
  const size_t few = std::min<size_t>(is_group(workload) ? 3 : 4, kernel.rasters.size());
  std::vector<Promise> promises;
  for (size_t i = 0; i < few; ++i) {
    TileConfig config = kernel.config;
    config.raster = kernel.rasters[i];
    if (is_group(workload)) config.evict_first = evictions_of(workload, spaces, config);
    promises.push_back(promise_of(workload, config, device));
  }
  return *std::min_element(promises.begin(), promises.end(), is_sooner);
}

// Of what is predicted to take as long as the fastest, which comes first, one that multiplies
// little padding, for that draws power; of those one that is not swapped, for swapped kernels
// transpose what they store.
std::vector<Promise>::iterator plainest_of_ties(std::vector<Promise>& promises) {
  constexpr double kSameWork = 1.25;
  const Promise& fastest = promises.front();
  const auto end = std::find_if(promises.begin(), promises.end(),
                                [&fastest](const Promise& p) { return is_sooner(fastest, p); });
  const auto least =
      std::min_element(promises.begin(), end,
                       [](const Promise& a, const Promise& b) { return a.elements < b.elements; });
  const double most = least->elements * kSameWork;
  const auto is_plain = [most](const Promise& p) {
    return p.elements <= most && !p.ranked.config.swap_ab;
  };
  const auto plain = std::find_if(promises.begin(), end, is_plain);
  if (plain != end) return plain;
  return std::find_if(promises.begin(), end,
                      [most](const Promise& p) { return p.elements <= most; });
}

Ranking rank_request(const ConfigRequest& request, const Workload& workload,
                     const DeviceSpec& device) {
  return rank(workload, requested_spaces(request), device, kernels_of_answer(workload));
}

}  // namespace

Ranking rank(const Workload& workload, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, size_t looked_at) {
  if (is_product(workload)) return rank(problem_of(workload, 0), spaces, device);
  Ranking ranking{enumerate(workload, spaces, device), {}};
  std::vector<Promise> promises;
  for (const Candidate& candidate : candidates_of(workload, ranking.enumeration, device)) {
    if (promises.size() == looked_at) break;
    promises.push_back(best_of(workload, *candidate.kernel, spaces, device));
  }
  if (promises.empty()) return ranking;
  std::stable_sort(promises.begin(), promises.end(), is_sooner);
  const auto first = plainest_of_ties(promises);
  std::rotate(promises.begin(), first, first + 1);
  for (const Promise& promise : promises) ranking.kernels.push_back(promise.ranked);
  return ranking;
}

size_t kernels_of_answer(const Workload& workload) {
  // Where K may be divided, numbers of parts stand beside each other in the coarse order.
  return is_group(workload) && packing_of(workload) != Packing::None ? 6 : 24;
}

std::optional<TileConfig> find_config(const ConfigRequest& request, const Workload& workload,
                                      const DeviceSpec& device) {
  if (reject_group(workload)) return std::nullopt;
  const Ranking ranking = rank_request(request, workload, device);
  if (ranking.kernels.empty()) return std::nullopt;
  return ranking.kernels.front().config;
}

TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device) {
  if (const auto rejection = reject_group(workload)) throw usage_error(rejection->reason);
  const Ranking ranking = rank_request(request, workload, device);
  if (!ranking.kernels.empty()) return ranking.kernels.front().config;
  throw usage_error(why_nothing_legal(ranking.enumeration, workload, device));
}

}  // namespace tilewright
