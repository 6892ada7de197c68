// The predicted order of a space for a group or a rank-k update: every kernel by its waves and
// traffic alone, those in front by estimate().

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "search/rank.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// What the busiest CTA takes to find its tiles of a triangle beyond what the model prices: on an
// H200 launches took 2 to 4 us a tile longer where neither of the tile's sides divides the other.
double search_us(const Plan& plan) {
  constexpr double kOfOneUs = 2;
  const tw::Triangle& triangle = plan.problems.front().map.triangle;
  const bool divides =
      std::max(triangle.cta_m, triangle.cta_n) % std::min(triangle.cta_m, triangle.cta_n) == 0;
  if (!plan.problems.front().map.triangular || divides) return 0;
  return kOfOneUs * static_cast<double>(plan.most_units);
}

// What a launch takes if nothing but its busiest CTA's arithmetic, or the whole traffic
// between L2 and the multiprocessors, or memory were in its way; microseconds.
double coarse_us(const Plan& plan, const DeviceSpec& device) {
  constexpr double kMicroseconds = 1e6;
  const TileShape& cta = plan.config.cta;
  const double steps = plan.problems.front().work.k_steps;
  const double stage_flops = 2.0 * cta.m * cta.n * cta.k;
  const double flops_per_s =
      tensor_flops_per_clock(device, plan.workload.dtype) * device.sustained_clock_hz;
  const auto rounds = static_cast<double>(ceil_div(plan.units, plan.workers));
  const double tensor = rounds * steps * stage_flops / flops_per_s;
  const double shared = static_cast<double>(cta.m) / plan.config.cluster.n +
                        static_cast<double>(cta.n) / plan.config.cluster.m;
  const double l2 = static_cast<double>(plan.units * plan.cluster_size) * steps * shared * cta.k *
                    bytes_of(plan.workload.dtype) /
                    (device.l2_bytes_per_clock * device.sustained_clock_hz);
  const double dram = static_cast<double>(operand_bytes(plan.workload)) / device.dram_bytes_per_s;
  // The sum's tenth parts kernels of one bound by the others.
  return kMicroseconds * (std::max({tensor, l2, dram}) + (tensor + l2) / 10);
}

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
    known = {&kernel, coarse_us(plan, device) + search_us(plan)};
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
  const auto leaves_open = [](const SearchSpace& space) {
    return space.family == Family::Sm90 && space.evict_first.size() > 1;
  };
  const bool open = std::any_of(spaces.begin(), spaces.end(), leaves_open);
  return open ? EvictFirst{.b = reads_weights_once(group, config)} : config.evict_first;
}

struct Promise {
  RankedConfig ranked;
  double us = 0;  // with what the price leaves out
};

Promise promise_of(const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
  const Plan plan = make_plan(workload, config, device);
  const Estimate predicted = estimate(plan, device);
  return {{config, predicted}, predicted.us + search_us(plan)};
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
  return *std::min_element(promises.begin(), promises.end(),
                           [](const Promise& a, const Promise& b) { return a.us < b.us; });
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
  std::stable_sort(promises.begin(), promises.end(),
                   [](const Promise& a, const Promise& b) { return a.us < b.us; });
  // A swapped kernel transposes what it stores: of what the model cannot tell apart the other one.
  const double near = promises.front().us * (1 + kTimeResolution);
  const auto first = std::find_if(promises.begin(), promises.end(), [near](const Promise& p) {
    return !p.ranked.config.swap_ab && p.us <= near;
  });
  if (first != promises.end()) std::rotate(promises.begin(), first, first + 1);
  for (const Promise& promise : promises) ranking.kernels.push_back(promise.ranked);
  return ranking;
}

size_t kernels_of_answer(const Workload& workload) {
  return is_group(workload) ? 6 : 24;
}

TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device) {
  if (const auto rejection = reject_group(workload)) throw usage_error(rejection->reason);
  const Ranking ranking =
      rank(workload, requested_spaces(request), device, kernels_of_answer(workload));
  if (!ranking.kernels.empty()) return ranking.kernels.front().config;
  throw usage_error(why_nothing_legal(ranking.enumeration, workload, device));
}

}  // namespace tilewright
