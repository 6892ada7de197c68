#include "search/rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/math.hpp"
#include "model/coarse_price.hpp"
#include "model/group_modes.hpp"
#include "model/replay_cache.hpp"
#include "search/estimate_order.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

struct TriedRaster {
  Raster raster;
  double us = 0;  // of the first kernel, by a coarse replay; 0 where none was made
};

// Kernels that are priced together: for a product those of one tile and cluster, which share their
// replays; for other workloads a single one.
struct KernelBatch {
  std::vector<const LegalKernel*> kernels;  // by stages, in the space's order
  std::vector<RankedConfig> best;           // one per kernel, once a raster was tried
  std::vector<TriedRaster> tried;
  double us = std::numeric_limits<double>::infinity();  // of the fastest kernel
  bool has_fine_estimate = false;                       // `best` comes from estimate()
};

// If two are equal, the order of the space decides.
bool sooner(const RankedConfig& a, const RankedConfig& b) {
  return ranks_before(a.predicted, b.predicted);
}

void sort_ranked(std::vector<RankedConfig>& configs) {
  std::stable_sort(configs.begin(), configs.end(), sooner);
}

void sort_batches(std::vector<KernelBatch>& batches) {
  std::stable_sort(batches.begin(), batches.end(),
                   [](const KernelBatch& a, const KernelBatch& b) { return a.us < b.us; });
}

// If two rasters tie, the one that the space names first is preferred.
bool preferred(const RankedConfig& a, const RankedConfig& b, const std::vector<Raster>& order) {
  if (sooner(a, b)) return true;
  if (sooner(b, a)) return false;
  return std::find(order.begin(), order.end(), a.config.raster) <
         std::find(order.begin(), order.end(), b.config.raster);
}

// The effort of a ranking. Replays are its cost: each pass of coarse ones covers fewer batches
// more closely, and those in front then get fine ones.
struct SearchEffort {
  struct Pass {
    size_t batches;
    size_t stride;
  };
  std::vector<Pass> passes;        // of coarse replays; none: batches have coarse prices
  std::optional<size_t> in_front;  // batches with fine replays; none: the first `most_fine`
  size_t most_fine;                // most batches with fine replays
  size_t fine_rasters;             // rasters per batch in fine replays
};

// A product of half a second or of a million tiles has the longest possible replays, and thousands
// of multiprocessors have the longest timelines: there fewer must do.
SearchEffort effort_for(const Workload& workload, const DeviceSpec& device, size_t most_priced) {
  constexpr double kHugeFlops = 2e14;
  constexpr int64_t kManyTiles = int64_t{1} << 20;
  constexpr int kManySms = 1024;
  if (is_group(workload)) return {{}, {}, most_priced, 3};
  if (!is_product(workload)) return {{}, {}, most_priced, 4};
  if (device.sm_count > kManySms) return {{{64, 64}, {12, 8}, {4, 1}}, 1, 12, 1};
  const GemmShape& s = workload.shapes.front();
  const int64_t tiles = ceil_div<int64_t>(s.m, 128) * ceil_div<int64_t>(s.n, 128);
  if (flops(workload) > kHugeFlops || tiles > kManyTiles)
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

// One ranking of what is legal: coarse prices for all batches, fine ones for those in front.
class Ranker {
 public:
  Ranker(const Workload& workload, const std::vector<SearchSpace>& spaces, const DeviceSpec& device,
         size_t most_priced)
      : workload_(workload),
        spaces_(spaces),
        device_(device),
        effort_(effort_for(workload, device, most_priced)),
        replays_(device) {
    if (!is_group(workload)) return;
    for (const SearchSpace& space : spaces) {
      evictions_are_open_ |= space.evict_first.size() > 1;
      schedules_are_open_ |= runs_groups(space.family) &&
                             !names_key(space.named, "group_schedule") &&
                             !names_key(space.named, "problem_order");
    }
  }

  std::vector<RankedConfig> rank(const Enumeration& found) {
    return is_product(workload_) ? rank_product(found) : rank_others(found);
  }

 private:
  std::vector<RankedConfig> rank_product(const Enumeration& found) {
    batches_ = batches_of(found);
    if (const size_t most = effort_.passes.front().batches; batches_.size() > most) {
      for (KernelBatch& batch : batches_) batch.us = coarse_us_of(batch);
      sort_batches(batches_);
      batches_.resize(most);
    }
    for (const SearchEffort::Pass& pass : effort_.passes) {
      const size_t count = std::min(pass.batches, batches_.size());
      for (size_t i = 0; i < count; ++i) sample_rasters(batches_[i], pass.stride);
      sort_batches(batches_);
    }
    replay_front_finely();
    std::vector<RankedConfig> kernels = ranked();
    replay_parts_in_front(kernels);
    return kernels;
  }

  std::vector<RankedConfig> rank_others(const Enumeration& found) {
    batches_ = deepest_of_tiles(found);
    sort_batches(batches_);
    price_promising();
    sort_batches(batches_);
    // Other rasters and schedules change the order of kernels this close to the first.
    constexpr double kClose = 1.12;
    constexpr size_t kMaxInFront = 24;
    size_t in_front = 0;
    while (in_front < std::min(kMaxInFront, batches_.size()) &&
           batches_[in_front].us < kClose * batches_.front().us) {
      ++in_front;
    }
    for (size_t i = 0; i < in_front; ++i) {
      const std::vector<TriedRaster>& rasters = batches_[i].tried;
      for (size_t r = kFirst; r < std::min(effort_.fine_rasters, rasters.size()); ++r) {
        try_raster(batches_[i], rasters[r].raster, ReplayDetail::Fine);
      }
      if (is_group(workload_)) take(batches_[i], in_best_mode(batches_[i].best.front()));
    }
    batches_.resize(std::min(batches_.size(), std::max(effort_.most_fine, in_front)));
    for (size_t i = in_front; i < batches_.size(); ++i) {
      take(batches_[i], in_plain_mode(batches_[i].best.front()));
    }
    sort_batches(batches_);
    batches_.resize(std::min(batches_.size(), effort_.most_fine));
    std::vector<RankedConfig> kernels = ranked();
    put_plainest_first(kernels);
    return kernels;
  }

  // The best of every batch that was priced by estimate().
  std::vector<RankedConfig> ranked() const {
    std::vector<RankedConfig> kernels;
    for (const KernelBatch& batch : batches_) {
      kernels.insert(kernels.end(), batch.best.begin(), batch.best.end());
    }
    sort_ranked(kernels);
    return kernels;
  }

  // Of a group or an update: the rasters in which every promising kernel is priced.
  static constexpr size_t kFirst = 2;

  // Prices kernels in their first rasters, in the coarse order, until no coarse price promises a
  // faster one. The coarse price is a lower bound but for what a sample of groups exceeded.
  void price_promising() {
    constexpr double kBound = 0.92;
    constexpr size_t kMaxPriced = 96;
    double best = std::numeric_limits<double>::infinity();
    size_t priced = 0;
    for (KernelBatch& batch : batches_) {
      const bool promises = batch.us * kBound < best && priced < kMaxPriced;
      if (priced >= effort_.most_fine && !promises) break;
      for (size_t r = 0; r < std::min(kFirst, batch.tried.size()); ++r) {
        try_raster(batch, batch.tried[r].raster, ReplayDetail::Fine);
      }
      best = std::min(best, batch.us);
      ++priced;
    }
    batches_.resize(priced);
  }

  // The config in the schedule that advised_mode() names for the first order of the problems in
  // which that is within kTimeResolution of the fastest. Tries what the spaces leave open.
  RankedConfig in_best_mode(const RankedConfig& ranked) {
    std::map<ProblemOrder, std::vector<GroupMode>> of_order;
    double least = std::numeric_limits<double>::infinity();
    for (const SearchSpace& space : spaces_) {
      if (space.family != ranked.config.family) continue;
      for (const TileConfig& config :
           with_candidate_values({ranked.config}, space.family, space.named, KeyScope::Groups)) {
        if (reject_workload(workload_, config, device_)) continue;
        const Estimate e = estimate_of(make_plan(workload_, config, device_));
        least = std::min(least, e.us);
        of_order[config.problem_order].push_back({config.group_schedule, e, {}});
      }
    }
    for (const auto& [order, modes] : of_order) {
      const GroupMode& advised = advised_mode(modes);
      if (advised.predicted.us > least * (1 + kTimeResolution)) continue;
      TileConfig config = ranked.config;
      config.problem_order = order;
      config.group_schedule = advised.schedule;
      return {config, estimate_of(make_plan(workload_, config, device_))};
    }
    return ranked;
  }

  static void take(KernelBatch& batch, const RankedConfig& kernel) {
    batch.best.front() = kernel;
    batch.us = kernel.predicted.us;
  }

  // Kernels behind are candidates of a search that measures, and need nothing of the host.
  RankedConfig in_plain_mode(const RankedConfig& ranked) {
    if (!schedules_are_open_) return ranked;
    TileConfig config = ranked.config;
    config.group_schedule = GroupSchedule::DeviceOnly;
    config.problem_order = ProblemOrder::Given;
    if (reject_workload(workload_, config, device_)) return ranked;
    return {config, estimate_of(make_plan(workload_, config, device_))};
  }

  Estimate estimate_of(const Plan& plan) { return estimate(plan, device_, replays_); }

  // Kernels of one tile and cluster follow each other in the enumeration.
  static std::vector<KernelBatch> batches_of(const Enumeration& found) {
    std::vector<KernelBatch> batches;
    for (const LegalKernel& kernel : found.kernels) {
      const TileConfig* const last =
          batches.empty() ? nullptr : &batches.back().kernels.front()->config;
      if (last == nullptr || last->family != kernel.config.family ||
          last->cta != kernel.config.cta || last->cluster != kernel.config.cluster ||
          last->swap_ab != kernel.config.swap_ab) {
        batches.emplace_back();
      }
      batches.back().kernels.push_back(&kernel);
    }
    return batches;
  }

  // The price by waves and traffic, without a replay, of the batch's first kernel.
  double coarse_us_of(const KernelBatch& batch) const {
    return coarse_us(make_plan(workload_, batch.kernels.front()->config, device_), device_);
  }

  // The deepest pipeline of every tile, priced by waves and traffic, to be tried in its first
  // rasters.
  std::vector<KernelBatch> deepest_of_tiles(const Enumeration& found) const {
    std::map<std::string, KernelBatch> deepest;
    for (const LegalKernel& kernel : found.kernels) {
      TileConfig tile = kernel.config;
      tile.stages = 0;
      tile.raster = {};
      KernelBatch& known = deepest[to_string(tile)];
      const bool deeper =
          known.kernels.empty() || kernel.config.stages > known.kernels.front()->config.stages;
      if (deeper) known.kernels = {&kernel};
    }
    std::vector<KernelBatch> batches;
    batches.reserve(deepest.size());
    for (auto& [tile, batch] : deepest) {
      const LegalKernel& kernel = *batch.kernels.front();
      batch.us = coarse_us_of(batch);
      for (const Raster& raster : kernel.rasters) batch.tried.push_back({raster, 0});
      batches.push_back(std::move(batch));
    }
    return batches;
  }

  // L2 evicts first what is read once, if the space leaves that open: on an H200 that saved a tenth
  // of the time of groups of few rows.
  TileConfig tried_config(const LegalKernel& kernel, const Raster& raster) const {
    TileConfig config = kernel.config;
    config.raster = raster;
    if (evictions_are_open_) config.evict_first = {.b = reads_weights_once(workload_, config)};
    // The host's table, longest problems first, balances CTAs best; parts of tiles have it, too.
    if (schedules_are_open_) {
      config.group_schedule = GroupSchedule::HostPrecompute;
      config.problem_order = ProblemOrder::Lpt;
    }
    return config;
  }

  // Tries the raster on every kernel by as few replays as possible; returns the first kernel's
  // time.
  double try_raster(KernelBatch& batch, const Raster& raster, ReplayDetail detail) {
    const bool first = batch.best.empty();
    std::vector<Plan> plans;
    plans.reserve(batch.kernels.size());
    for (const LegalKernel* kernel : batch.kernels) {
      plans.push_back(make_plan(workload_, tried_config(*kernel, raster), device_));
    }
    // Kernels with fewer stages may fit a multiprocessor twice, and walk the tiles in fewer rounds.
    std::map<int64_t, L2Traffic> traffic_of;  // of a product, by the number of CTAs at once
    double us = 0;
    for (size_t i = 0; i < plans.size(); ++i) {
      const auto price = [&]() {
        if (is_group(workload_)) return estimate_of(plans[i]);
        const auto [traffic, is_new] = traffic_of.try_emplace(plans[i].resident);
        if (is_new) traffic->second = shared_traffic(plans[i], device_, detail);
        return estimate(plans[i], device_, traffic->second);
      };
      const RankedConfig ranked{plans[i].config, price()};
      if (i == 0) us = ranked.predicted.us;
      if (first) {
        batch.best.push_back(ranked);
      } else if (preferred(ranked, batch.best[i], batch.kernels[i]->rasters)) {
        batch.best[i] = ranked;
      }
    }
    batch.us = batch.best.front().predicted.us;
    for (const RankedConfig& ranked : batch.best) {
      batch.us = std::min(batch.us, ranked.predicted.us);
    }
    return us;
  }

  // The rasters to sample from: overhang can cost a whole wave, so a raster with overhang is not
  // representative. If every raster of a batch has overhang, all are sampled.
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
  void sample_rasters(KernelBatch& batch, size_t stride) {
    const LegalKernel& kernel = *batch.kernels.front();
    const std::vector<Raster> rasters = stride == 1 ? kernel.rasters : without_overhang(kernel);
    for (size_t i = std::min(stride, rasters.size()) / 2; i < rasters.size(); i += stride) {
      batch.tried.push_back({rasters[i], try_raster(batch, rasters[i], ReplayDetail::Coarse)});
    }
  }

  // Starts over with fine replays of the rasters that were best in coarse ones.
  void replay_finely(KernelBatch& batch) {
    std::stable_sort(batch.tried.begin(), batch.tried.end(),
                     [](const TriedRaster& a, const TriedRaster& b) { return a.us < b.us; });
    batch.best.clear();
    batch.has_fine_estimate = true;
    for (size_t i = 0; i < std::min(effort_.fine_rasters, batch.tried.size()); ++i) {
      try_raster(batch, batch.tried[i].raster, ReplayDetail::Fine);
    }
  }

  // A fine replay can move a batch back and another to the front. Coarse prices and estimates
  // have no common order.
  void replay_front_finely() {
    for (size_t done = 0; done < effort_.most_fine; ++done) {
      const auto next =
          std::find_if(batches_.begin(), batches_.end(),
                       [](const KernelBatch& batch) { return !batch.has_fine_estimate; });
      if (next == batches_.end()) return;
      const auto before = static_cast<size_t>(next - batches_.begin());
      if (effort_.in_front && before >= *effort_.in_front) return;
      replay_finely(*next);
      if (effort_.in_front) sort_batches(batches_);
    }
  }

  // Kernels of a batch that divide K had the traffic of its whole tiles, which their parts may
  // exceed. Those in front get replays of their own, and others take the places of what falls back.
  void replay_parts_in_front(std::vector<RankedConfig>& kernels) const {
    constexpr size_t kInFront = 8;
    constexpr size_t kMaxReplays = 200;
    std::set<std::string> known;
    for (size_t i = 0; i < std::min(kInFront, kernels.size()) && known.size() < kMaxReplays;) {
      const TileConfig& config = kernels[i].config;
      const bool is_divided = !std::holds_alternative<DataParallel>(config.decomposition);
      if (!is_divided || !known.insert(to_string(config)).second) {
        ++i;
        continue;
      }
      const RankedConfig own{config, estimate(make_plan(workload_, config, device_), device_)};
      kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(i));
      const auto place = std::upper_bound(kernels.begin(), kernels.end(), own, sooner);
      i = std::min(i, static_cast<size_t>(place - kernels.begin()));
      kernels.insert(place, own);
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
  const std::vector<SearchSpace>& spaces_;
  const DeviceSpec& device_;
  SearchEffort effort_;
  ReplayCache replays_;  // of a group
  bool evictions_are_open_ = false;
  bool schedules_are_open_ = false;
  std::vector<KernelBatch> batches_;
};

}  // namespace

L2Traffic shared_traffic(const Plan& plan, const DeviceSpec& device, ReplayDetail detail) {
  return plan.problems.size() == 1 ? replay_l2(plan, device, detail) : L2Traffic{};
}

size_t kernels_of_answer(const Workload& workload, const Enumeration& found) {
  // Where K is divided, the coarse order has neighbours that differ only in the number of parts.
  const bool divides =
      std::any_of(found.kernels.begin(), found.kernels.end(), [](const LegalKernel& kernel) {
        return !std::holds_alternative<DataParallel>(kernel.config.decomposition);
      });
  return is_group(workload) && packing_of(workload) != Packing::None && !divides ? 6 : 24;
}

Ranking rank(const Workload& workload, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> most) {
  return rank(workload, enumerate(workload, spaces, device), spaces, device, most);
}

Ranking rank(const Workload& workload, Enumeration found, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> most) {
  Ranking ranking{std::move(found), {}};
  Ranker ranker(workload, spaces, device,
                most.value_or(kernels_of_answer(workload, ranking.enumeration)));
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
        {candidate, estimate(plan, device, shared_traffic(plan, device, ReplayDetail::Coarse))});
  }
  sort_ranked(ranked);
  for (size_t i = 0; i < std::min(kClosest, ranked.size()); ++i) {
    ranked[i].predicted = estimate(make_plan(workload, ranked[i].config, device), device);
  }
  sort_ranked(ranked);
  return ranked;
}

}  // namespace tilewright
