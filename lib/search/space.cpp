#include "search/space.hpp"

#include <algorithm>
#include <limits>

#include "base/math.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

std::vector<Raster> sm90_rasters() {
  // Triton's groups equal swizzle-merge's; rasters with padding only lose. --config raster=...
  // tries others.
  constexpr int kMaxFactor = 16;
  std::vector<Raster> rasters = {{.kind = tw::RasterKind::Row}, {.kind = tw::RasterKind::Col}};
  for (const tw::RasterKind kind : {tw::RasterKind::SwizzleMerge, tw::RasterKind::SplitMerge}) {
    for (const tw::GroupAxis axis : {tw::GroupAxis::M, tw::GroupAxis::N}) {
      for (int factor = 1; factor <= kMaxFactor; ++factor) {
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

// Every config with every value of one more axis.
template <class Value>
std::vector<TileConfig> crossed(const std::vector<TileConfig>& configs,
                                const std::vector<Value>& values, Value TileConfig::*axis) {
  std::vector<TileConfig> product;
  product.reserve(configs.size() * values.size());
  for (const TileConfig& config : configs) {
    for (const Value& value : values) {
      product.push_back(config);
      product.back().*axis = value;
    }
  }
  return product;
}

void add(std::vector<Decomposition>& divisions, int64_t slices, int64_t k_steps,
         std::initializer_list<Reduction> reductions) {
  constexpr int64_t kMinSteps = 4;  // of a slice: fewer are all latency
  if (slices < 2 || slices * kMinSteps > k_steps) return;
  for (const Reduction reduction : reductions) {
    const Decomposition division = SplitK{static_cast<int>(slices), reduction};
    if (std::find(divisions.begin(), divisions.end(), division) == divisions.end()) {
      divisions.push_back(division);
    }
  }
}

// A CTA of a product has one part, so ping-pong has no second tile to overlap with it.
bool may_be_divided(const TileConfig& config) {
  constexpr int kMinColumns = 16;
  return config.schedule == KernelSchedule::Cooperative && config.cta.n >= kMinColumns;
}

// A turnstile of more parts waits longer than a second kernel or atomics take; for few parts its
// wait is the shortest.
constexpr int64_t kMaxTurns = 4;

// Other workloads have kernels for whole tiles only.
bool holds_parts(const Workload& workload) {
  return is_product(workload) || (is_group(workload) && !is_triangular(workload));
}

// The work of all clusters of a launch, in k-steps.
struct TileWork {
  int64_t slots = 0;
  int64_t steps = 0;    // of all slots; the largest number where they are more
  int64_t deepest = 0;  // of a slot
};

TileWork tile_work(const Workload& workload, const TileConfig& config) {
  TileWork work;
  for (const GemmShape& shape : workload.shapes) {
    const PlannedProblem p = count_problem(workload, shape, config);
    work.slots += p.work.slots;
    int64_t steps = 0;
    if (__builtin_mul_overflow(p.work.slots, p.work.k_steps, &steps) ||
        __builtin_add_overflow(work.steps, steps, &work.steps)) {
      work.steps = std::numeric_limits<int64_t>::max();
    }
    if (p.work.slots > 0) work.deepest = std::max<int64_t>(work.deepest, p.work.k_steps);
  }
  return work;
}

// In a group only turnstiles give the same bits every time.
void add_of_group(std::vector<Decomposition>& divisions, int64_t slices, int64_t k_steps) {
  constexpr int64_t kMaxTurnsOfGroup = 16;
  add(divisions, std::min(slices, kMaxTurnsOfGroup), k_steps, {Reduction::Serial});
  if (slices > kMaxTurns) add(divisions, slices, k_steps, {Reduction::Atomic});
}

void add_of_product(std::vector<Decomposition>& divisions, int64_t slices, int64_t k_steps) {
  if (slices <= kMaxTurns) {
    add(divisions, slices, k_steps, {Reduction::Serial, Reduction::SerialTma});
  }
  add(divisions, slices, k_steps, {Reduction::Workspace, Reduction::ReduceScatter});
  if (slices > kMaxTurns) {
    add(divisions, slices, k_steps, {Reduction::Atomic, Reduction::AtomicTma});
  }
}

// Adds parts of a tile in the CTAs of one cluster, if these clusters hold all tiles of a product.
void add_of_clusters(std::vector<Decomposition>& divisions, const TileWork& work,
                     const TileConfig& config, const DeviceSpec& device) {
  if (config.cluster != ClusterShape{}) return;
  for (const int along_k : {2, 4, 8}) {
    const bool fits = work.slots <= resident_clusters(device, along_k);
    if (fits && work.slots * along_k * 2 > resident_clusters(device, 1)) {
      add(divisions, along_k, work.deepest, {Reduction::Cluster});
    }
  }
}

}  // namespace

SearchSpace sm90_space() {
  SearchSpace space;
  space.family = Family::Sm90;
  for (const int m : {128, 256, 192, 64}) {
    for (int n = 256; n >= 8; n -= 8) space.cta.push_back({m, n, 64});
  }
  for (const int n : {320, 288}) space.cta.push_back({128, n, 64});
  space.k_in_bytes = true;
  space.clusters = {{2, 1}, {1, 2}, {1, 1}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};
  space.stages = {4, 5, 6, 7, 8, 10, 12, 3};
  space.rasters = sm90_rasters();
  space.l2_promotion_bytes = {128, 256, 0};
  space.evict_first = {{}, {.b = true}, {.a = true, .b = true}, {.a = true}};
  space.decompositions = {DataParallel{}};
  space.divides = true;
  space.rejects_pointless = true;
  return space;
}

SearchSpace sm80_space() {
  SearchSpace space;
  space.family = Family::Sm80;
  space.cta = {{128, 128, 32}, {128, 128, 64}, {256, 128, 32}, {128, 256, 32},
               {128, 64, 64},  {64, 128, 64},  {64, 64, 64},   {64, 32, 64},
               {64, 256, 32},  {256, 64, 32},  {32, 64, 64},   {16, 64, 64}};
  space.clusters = {{}};
  space.stages = {3, 4, 5, 2};
  space.rasters = sm90_rasters();
  space.l2_promotion_bytes = {TileConfig{}.l2_promotion_bytes};
  space.decompositions = {DataParallel{}};
  for (const int slices : {2, 3, 4, 6, 8, 16}) {
    for (const Reduction reduction : {Reduction::Serial, Reduction::Workspace}) {
      space.decompositions.push_back(SplitK{slices, reduction});
    }
  }
  space.sm80.clear();
  for (const WarpGrid warps : {WarpGrid{2, 4}, {2, 2}, {4, 2}, {1, 4}, {4, 1}}) {
    space.sm80.push_back({warps, {}});
  }
  return space;
}

SearchSpace skinny_space() {
  SearchSpace space;
  space.family = Family::Skinny;
  for (const int m : {8, 16}) {
    for (const int n : {16, 32}) {
      for (const int k : {128, 64, 256}) space.cta.push_back({m, n, k});
    }
  }
  space.clusters = {{}};
  space.stages = {2, 3, 4};
  space.least_stages = 1;
  space.rasters = {{}};
  space.l2_promotion_bytes = {TileConfig{}.l2_promotion_bytes};
  for (const int slices : {2, 3, 4, 8}) {
    space.decompositions.push_back(SplitK{slices, Reduction::Workspace});
  }
  space.skinny = {{4}, {8}, {2}, {16}};
  return space;
}

std::vector<SearchSpace> all_spaces() {
  return {sm90_space(), sm80_space(), skinny_space()};
}

std::vector<SearchSpace> requested_spaces(const ConfigRequest& request) {
  std::vector<SearchSpace> spaces;
  const std::vector<Family> families = families_of(request);
  for (const SearchSpace& space : all_spaces()) {
    if (std::find(families.begin(), families.end(), space.family) == families.end()) continue;
    spaces.push_back(restricted(space, request));
  }
  return spaces;
}

std::vector<TileShape> tile_shapes(const SearchSpace& s, DataType operands) {
  std::vector<TileShape> shapes = s.cta;
  for (TileShape& shape : shapes) {
    if (s.k_in_bytes) shape.k = shape.k * 2 / bytes_of(operands);
  }
  return shapes;
}

std::vector<TileConfig> tiles_of(const SearchSpace& s, DataType operands) {
  TileConfig first = with_named({}, s.named);
  first.family = s.family;
  first.raster = {};
  first.l2_promotion_bytes = s.l2_promotion_bytes.front();
  first.evict_first = s.evict_first.front();
  std::vector<TileConfig> tiles = crossed({first}, tile_shapes(s, operands), &TileConfig::cta);
  tiles = crossed(tiles, s.clusters, &TileConfig::cluster);
  tiles = crossed(tiles, s.sm80, &TileConfig::sm80);
  tiles = crossed(tiles, s.skinny, &TileConfig::skinny);
  return with_candidate_values(tiles, s.family, s.named);
}

SearchSpace restricted(SearchSpace space, const ConfigRequest& request) {
  const TileConfig& c = request.values;
  const auto names = [&request](std::string_view key) { return names_key(request, key); };
  space.named = request;
  if (names("cta")) {
    space.cta = {c.cta};
    space.k_in_bytes = false;
  }
  if (names("cluster")) space.clusters = {c.cluster};
  if (names("stages")) space.stages = {c.stages};
  if (names("raster")) space.rasters = {c.raster};
  if (names("decomposition")) {
    space.decompositions = {c.decomposition};
    space.divides = false;
  }
  if (names("l2_promotion")) space.l2_promotion_bytes = {c.l2_promotion_bytes};
  if (names("evict_first")) space.evict_first = {c.evict_first};
  if (names("k_warps")) space.skinny = {c.skinny};
  if (names("warps")) space.sm80 = {{c.sm80.warps, {}}};
  if (names("smem")) {
    for (Sm80Options& options : space.sm80) options.smem = c.sm80.smem;
  }
  return space;
}

int64_t l2_request_count(const SearchSpace& s) {
  return static_cast<int64_t>(s.l2_promotion_bytes.size() * s.evict_first.size());
}

std::vector<Decomposition> divisions_for(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device) {
  // Stream-K lost wherever it was measured; a config may still name it.
  if (!holds_parts(workload) || !may_be_divided(config)) return {};
  const TileWork work = tile_work(workload, config);
  if (work.steps == 0) return {};
  const int64_t capacity =
      work.deepest * resident_clusters(device, config.cluster.m * config.cluster.n);
  const int64_t filling = capacity / work.steps;
  if (filling < 2) return {};
  std::vector<Decomposition> divisions;
  if (is_group(workload)) {
    // Shallow tiles fill the gaps that one more part leaves in a wave.
    for (const int64_t slices : {filling, ceil_div(capacity, work.steps), filling / 2}) {
      add_of_group(divisions, slices, work.deepest);
    }
    return divisions;
  }
  for (const int64_t slices : {filling, filling / 2}) {
    add_of_product(divisions, slices, work.deepest);
  }
  add_of_clusters(divisions, work, config, device);
  return divisions;
}

}  // namespace tilewright
