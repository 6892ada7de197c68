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

// Bands of a triangle that are no more rows than it has.
std::vector<Raster> bands_of(const Workload& triangle, const TileConfig& config) {
  const TileCoord grid = cluster_grid(triangle.shapes.front(), config);
  const int most = triangle.uplo == Uplo::Lower ? grid.m : grid.n;
  std::vector<Raster> bands;
  for (const int rows : {8, 12, 16, 4}) {
    bands.push_back({.kind = tw::RasterKind::SwizzleMerge,
                     .factor_count = 1,
                     .factors = {std::min(rows, most)}});
    if (rows >= most) break;
  }
  return bands;
}

// The one that the request names; else few: column order keeps the weights that CTAs share
// together.
std::vector<Raster> rasters_of(const Workload& workload, const std::vector<SearchSpace>& spaces,
                               const TileConfig& config) {
  if (!spaces.empty() && names_key(spaces.front().named, "raster")) return spaces.front().rasters;
  if (is_triangular(workload)) return bands_of(workload, config);
  return {parse_raster("col"), parse_raster("row"), parse_raster("swizzle-merge:8")};
}

// Every kernel of the spaces once, of a group at row order.
std::vector<TileConfig> kernels_of(const Workload& workload,
                                   const std::vector<SearchSpace>& spaces) {
  std::vector<TileConfig> kernels;
  for (const SearchSpace& space : spaces) {
    for (TileConfig config : tiles_of(space, workload.dtype)) {
      if (is_triangular(workload)) config.raster = rasters_of(workload, spaces, config).front();
      for (const Decomposition& decomposition : space.decompositions) {
        for (const int stages : space.stages) {
          config.decomposition = decomposition;
          config.stages = stages;
          kernels.push_back(config);
        }
      }
    }
  }
  return kernels;
}

struct Candidate {
  TileConfig config;
  double us = 0;
};

// The deepest pipeline of every tile that may run, fastest first.
std::vector<Candidate> candidates_of(const Workload& group, const std::vector<SearchSpace>& spaces,
                                     const DeviceSpec& device, std::string& why_not) {
  std::map<std::string, Candidate> deepest;
  for (const TileConfig& config : kernels_of(group, spaces)) {
    if (const auto rejection = reject_workload(group, config, device)) {
      why_not = format("{}: {}", rejection->rule, rejection->reason);
      continue;
    }
    TileConfig tile = config;
    tile.stages = 0;
    Candidate& known = deepest[to_string(tile)];
    if (config.stages <= known.config.stages) continue;
    const Plan plan = make_plan(group, config, device);
    known = {config, coarse_us(plan, device) + search_us(plan)};
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

}  // namespace

std::vector<RankedConfig> rank_group(const Workload& group, const std::vector<SearchSpace>& spaces,
                                     const DeviceSpec& device, size_t count) {
  if (const auto rejection = reject_group(group)) throw usage_error(rejection->reason);
  std::string why_not = "the space is empty";
  const std::vector<Candidate> candidates = candidates_of(group, spaces, device, why_not);
  if (candidates.empty()) {
    throw usage_error(
        format("no config of the space runs {}; the last rule: {}", to_string(group), why_not));
  }
  std::vector<RankedConfig> ranked;
  for (size_t i = 0; i < std::min(count, candidates.size()); ++i) {
    for (const Raster& raster : rasters_of(group, spaces, candidates[i].config)) {
      TileConfig config = candidates[i].config;
      config.raster = raster;
      if (is_group(group)) config.evict_first = evictions_of(group, spaces, config);
      if (reject_workload(group, config, device)) continue;
      const Plan plan = make_plan(group, config, device);
      ranked.push_back({config, estimate(plan, device)});
      ranked.back().predicted.us += search_us(plan);
    }
  }
  if (ranked.empty()) throw usage_error(format("no raster of the space runs {}", to_string(group)));
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedConfig& a, const RankedConfig& b) {
    return a.predicted.us < b.predicted.us;
  });
  // A swapped kernel transposes what it stores: of what the model cannot tell apart the other one.
  const double near = ranked.front().predicted.us * (1 + kTimeResolution);
  const auto first = std::find_if(ranked.begin(), ranked.end(), [near](const RankedConfig& r) {
    return !r.config.swap_ab && r.predicted.us <= near;
  });
  if (first != ranked.end()) std::rotate(ranked.begin(), first, first + 1);
  return ranked;
}

TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device) {
  if (!is_group(workload) && !is_triangular(workload)) {
    return complete_config(request, problem_of(workload, 0), device);
  }
  const size_t looked_at = is_group(workload) ? 6 : 24;
  return rank_group(workload, requested_spaces(request), device, looked_at).front().config;
}

}  // namespace tilewright
