#include "search/enumerate.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/interruption.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "search/space.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/operand_places.hpp"

namespace tilewright {
namespace {

// In the order of reject_workload(): a config that breaks a later rule passed the earlier ones.
constexpr std::array<std::string_view, 20> kRuleOrder = {
    "operation", "pointless", "across-gpus", "architecture",  "tile-shape",
    "cluster",   "warps",     "smem",        "shared-memory", "registers",
    "layout",    "alignment", "wave",        "group",         "decomposition",
    "operands",  "reduction", "raster",      "duplicate",     "sms"};

Rejection of_no_use(std::string why) {
  return {"pointless", std::move(why)};
}

// True where rows of an operand that TMA reads in place lie across cache lines: L2 and TMA take
// longer for each of them.
bool crosses_lines(const Problem& problem) {
  constexpr int64_t kLineBytes = 128;
  const Pitches pitch = pitches_of(problem, {});
  const Repacked copied = repacked_operands(problem);
  const int64_t bytes = bytes_of(problem.kind.dtype);
  return (!copied.a && pitch.a * bytes % kLineBytes != 0) ||
         (!copied.b && pitch.b * bytes % kLineBytes != 0);
}

// Clusters of more than two CTAs leave multiprocessors idle, but load an operand's rows less often.
// Where such rows are slow, eight took 1.04 to 1.19 times less time than one or two at 5 of 9
// products; elsewhere they gained at most 1.5 % at 6 (H100, 2026-11-26). Refuses only open choices.
std::optional<Rejection> pointless_cluster(const Workload& workload, const TileConfig& config,
                                           const SearchSpace& space) {
  const int ctas = config.cluster.m * config.cluster.n;
  if (!space.rejects_pointless || space.clusters.size() == 1 || ctas <= 2) return {};
  const bool is_divided = !std::holds_alternative<DataParallel>(config.decomposition);
  if (ctas == 4 && (is_divided || !is_product(workload))) return {};
  if (is_product(workload) && crosses_lines(problem_of(workload, 0))) return {};
  return of_no_use(
      format("cluster {} leaves multiprocessors idle and is useful only {}for a product with rows "
             "of an operand across cache lines",
             to_string(config.cluster), ctas == 4 ? "where K is divided, or " : ""));
}

// Why another value of the space does the same or better for these sizes. Refuses only open
// choices, never what a request names.
std::optional<Rejection> pointless(const Problem& problem, const TileConfig& config,
                                   const SearchSpace& space, const DeviceSpec& device) {
  constexpr int64_t kNarrow = 64;
  // Widths of tiles fit rows more closely than their heights do. The model puts swapped tiles 1 to
  // 24 % ahead at 16 of 44 products of 257 to 6000 rows; 265x14976x16248 went from 0.71 of the
  // library's speed to 0.99 (H200, 2026-11-28).
  constexpr int kMaxSwappedRows = 4096;
  if (!space.rejects_pointless) return {};
  const GemmShape s = kernel_shape(problem.shape, config);
  if (!names_key(space.named, "swap_ab") && config.swap_ab) {
    const GemmShape& p = problem.shape;
    if (p.m > kMaxSwappedRows) return of_no_use(format("swap_ab is for few rows; M is {}", p.m));
    if (p.m == p.n && is_k_major_a(problem.kind.layout) == is_k_major_b(problem.kind.layout)) {
      return of_no_use(
          "swap_ab gives the same kernels again for a square whose operands have the same layout");
    }
  }
  if (!names_key(space.named, "rank_order") && config.peers.order == RankOrder::Ring &&
      config.peers.chunks == 1) {
    return of_no_use("with one chunk of each owner a ring is the order of chunks");
  }
  if (!names_key(space.named, "k_chunks") && config.peers.k_chunks > 1) {
    const int64_t tiles =
        ceil_div<int64_t>(s.m, config.cta.m) * ceil_div<int64_t>(s.n, config.cta.n);
    if (tiles > 2 * int64_t{device.sm_count}) {
      return of_no_use(
          "CTAs of several tiles begin with own rows, and the others' arrive meanwhile");
    }
  }
  if (space.cta.size() == 1) return {};
  if (config.cta.m > 64 && config.cta.m / 2 >= s.m) {
    return of_no_use(format("half of cta {} covers {} rows", to_string(config.cta), s.m));
  }
  if (config.cta.n > 8 && config.cta.n - 8 >= s.n) {
    return of_no_use(
        format("a narrower tile than {} covers {} columns", to_string(config.cta), s.n));
  }
  // 200x176x1096 takes 4.9 us in tiles of 64x48 and 4.6 in 64x8, on more multiprocessors (H200,
  // 2026-11-28).
  const int64_t wide_tiles = ceil_div<int64_t>(s.m, config.cta.m) * ceil_div(s.n, kNarrow);
  if (config.cta.n < kNarrow && s.n >= 2 * kNarrow && wide_tiles >= device.sm_count) {
    return of_no_use(format("cta {} is narrow for {} columns", to_string(config.cta), s.n));
  }
  return {};
}

Raster bands(int factor, tw::GroupAxis axis = tw::GroupAxis::M) {
  return {
      .kind = tw::RasterKind::SwizzleMerge, .axis = axis, .factor_count = 1, .factors = {factor}};
}

// For a triangle, bands of no more rows than it has; for a group, a few rasters: column order keeps
// together the weights that CTAs share.
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

// Walks one space; computes once what holds for all of its tiles.
class SpaceWalk {
 public:
  SpaceWalk(const Workload& workload, const WorkloadRules& rules, const SearchSpace& space,
            const DeviceSpec& device, Enumeration& found)
      : workload_(workload), rules_(rules), space_(space), device_(device), found_(found) {
    lists_parts_ = is_group(workload) && !is_triangular(workload) && runs_groups(space.family);
    if (!is_group(workload)) return;
    modes_ = candidate_value_count(space.family, space.named, KeyScope::Groups);
    ConfigRequest listed = space.named;
    if (lists_parts_) name_key(listed, "group_schedule", to_string(GroupSchedule::HostPrecompute));
    modes_of_parts_ = candidate_value_count(space.family, listed, KeyScope::Groups);
  }

  // Adds the tile whole, or in the space's decompositions, and in the parts that suit it; across
  // GPUs in every order and with every kind of parts.
  void add(const TileConfig& config) {
    if (!is_across_gpus(workload_)) return add_divisions(config);
    for (const TileConfig& exchanged :
         with_candidate_values({config}, space_.family, space_.named, KeyScope::AcrossGpus)) {
      add_divisions(exchanged);
    }
  }

 private:
  void add_divisions(TileConfig config) {
    for (const Decomposition& decomposition : space_.decompositions) {
      config.decomposition = decomposition;
      add_stages(config);
    }
    if (!space_.divides || !may_have_parts(config)) return;
    for (const Decomposition& division : divisions_for(workload_, config, device_)) {
      config.decomposition = division;
      add_stages(config);
    }
  }

  // In a group only the host's table deals out parts. Across GPUs tiles are whole.
  bool may_have_parts(const TileConfig& config) const {
    if (is_across_gpus(workload_)) return false;
    return !is_group(workload_) || !names_key(space_.named, "group_schedule") ||
           config.group_schedule == GroupSchedule::HostPrecompute;
  }

  void add_stages(TileConfig config) {
    const bool listed = lists_parts_ && std::holds_alternative<SplitK>(config.decomposition);
    if (listed) list_parts(config);
    for (const int stages : space_.stages) {
      config.stages = stages;
      add_kernel(config, (listed ? modes_of_parts_ : modes_) * l2_request_count(space_));
    }
  }

  // Parts need the host's table, and the longest problems first: long parts at the end delay the
  // launch.
  void list_parts(TileConfig& config) const {
    if (!names_key(space_.named, "group_schedule")) {
      config.group_schedule = GroupSchedule::HostPrecompute;
    }
    if (!names_key(space_.named, "problem_order")) config.problem_order = ProblemOrder::Lpt;
  }

  // Adds the kernel in every raster; each raster counts as `of_raster` configs.
  void add_kernel(TileConfig config, int64_t of_raster) {
    throw_if_interrupted();
    const std::vector<Raster> rasters = rasters_tried(config);
    const int64_t of_kernel = static_cast<int64_t>(rasters.size()) * of_raster;
    found_.enumerated += of_kernel;
    if (const auto rejection = reject_kernel(config)) return count(*rejection, of_kernel);
    LegalKernel kernel{.config = config, .rasters = {}};
    std::vector<Raster> walks;
    for (const Raster& raster : rasters) {
      config.raster = raster;
      if (const auto rejection = reject_raster(config, walks)) {
        count(*rejection, of_raster);
        continue;
      }
      kernel.rasters.push_back(raster);
    }
    if (kernel.rasters.empty()) return;
    kernel.config.raster = kernel.rasters.front();
    kernel.config_count = static_cast<int64_t>(kernel.rasters.size()) * of_raster;
    found_.legal += kernel.config_count;
    found_.kernels.push_back(std::move(kernel));
  }

  // A product tries all rasters of the space.
  std::vector<Raster> rasters_tried(const TileConfig& config) const {
    const bool all = is_product(workload_) || names_key(space_.named, "raster");
    return all ? space_.rasters : rasters_for(workload_, config);
  }

  // Row order walks the fewest slots of a grid, so every raster breaks the rules that it breaks. A
  // triangle needs bands, so only the check of each raster is valid there.
  std::optional<Rejection> reject_kernel(TileConfig config) const {
    if (auto rejection = pointless_cluster(workload_, config, space_)) return rejection;
    if (is_triangular(workload_)) return {};
    config.raster = {};
    if (auto rejection = rules_.reject(config)) return rejection;
    if (is_group(workload_)) return {};
    return pointless(problem_of(workload_, 0), config, space_, device_);
  }

  // `walks` holds the walks of a product's grid so far.
  std::optional<Rejection> reject_raster(const TileConfig& config,
                                         std::vector<Raster>& walks) const {
    if (auto rejection = rules_.reject(config)) return rejection;
    if (!is_product(workload_)) return {};
    const Raster walk = plainest(config.raster, cluster_grid(workload_.shapes.front(), config));
    if (std::find(walks.begin(), walks.end(), walk) != walks.end()) {
      return Rejection{"duplicate", to_string(config.raster) +
                                        " visits this grid in the order of another raster"};
    }
    walks.push_back(walk);
    return {};
  }

  void count(const Rejection& rejection, int64_t configs) {
    found_.rejected[rejection.rule] += configs;
    found_.examples.try_emplace(rejection.rule, rejection.reason);
  }

  const Workload& workload_;
  const WorkloadRules& rules_;
  const SearchSpace& space_;
  const DeviceSpec& device_;
  Enumeration& found_;
  bool lists_parts_ = false;  // the host's table lists the parts of tiles
  int64_t modes_ = 1;         // schedules and orders of a group's problems
  int64_t modes_of_parts_ = 1;
};

// The last rule that any config reached.
std::optional<Rejection> last_rejection(const Enumeration& found) {
  for (auto rule = kRuleOrder.rbegin(); rule != kRuleOrder.rend(); ++rule) {
    const auto example = found.examples.find(std::string(*rule));
    if (example != found.examples.end()) return Rejection{example->first, example->second};
  }
  return {};
}

std::vector<Sm80Options> all_warp_grids() {
  constexpr int kMaxWarps = 16;
  std::vector<Sm80Options> all;
  for (int m = 1; m <= kMaxWarps; ++m) {
    for (int n = 1; m * n <= kMaxWarps; ++n) all.push_back({.warps = {m, n}});
  }
  return all;
}

}  // namespace

Enumeration enumerate(const Workload& workload, const std::vector<SearchSpace>& spaces,
                      const DeviceSpec& device) {
  const WorkloadRules rules(workload, device);
  Enumeration found;
  for (const SearchSpace& space : spaces) {
    SpaceWalk walk(workload, rules, space, device, found);
    for (const TileConfig& config : tiles_of(space, workload.kind.dtype)) walk.add(config);
  }
  return found;
}

std::string why_nothing_legal(const Enumeration& found, const Workload& workload,
                              const DeviceSpec& device) {
  const std::optional<Rejection> last = last_rejection(found);
  if (!last) return "no config is left";
  return format("no legal config for {} on {}; rule {}: {}", to_string(workload), device.name,
                last->rule, last->reason);
}

std::optional<Rejection> reject_tile(const Problem& problem, const TileShape& cta,
                                     ClusterShape cluster, const DeviceSpec& device) {
  ConfigRequest request =
      parse_config(format("cta={},stages=2,decomposition=data-parallel", to_string(cta)));
  if (cluster != ClusterShape{}) name_key(request, "cluster", to_string(cluster));
  std::vector<SearchSpace> spaces = requested_spaces(request);
  for (SearchSpace& space : spaces) {
    space.rasters = {Raster{}};
    if (has_key(space.family, "warps")) space.sm80 = all_warp_grids();
    if (has_key(space.family, "swap_ab")) name_key(space.named, "swap_ab", "false");
    space.stages = {space.least_stages};
    if (!names_key(request, "cluster")) space.clusters = {{}};
  }
  const Enumeration found = enumerate(workload_of(problem), spaces, device);
  if (!found.kernels.empty()) return {};
  return last_rejection(found);
}

Raster plainest(const Raster& raster, TileCoord grid) {
  if (raster.kind == tw::RasterKind::Triton) {
    return plainest(
        {.kind = tw::RasterKind::SwizzleMerge, .factor_count = 1, .factors = {raster.factors[0]}},
        grid);
  }
  if (tw::record_of(raster.kind).family != tw::RasterFamily::Plain) return raster;
  if (raster.factor_count == 0) {
    // A single line has one order.
    return grid.m == 1 || grid.n == 1 ? Raster{} : raster;
  }
  if (raster.factor_count != 1) return raster;
  const bool along_m = raster.axis == tw::GroupAxis::M;
  const int extent = along_m ? grid.m : grid.n;
  const int factor = raster.factors[0];
  Raster plain = raster;
  if (plain.kind == tw::RasterKind::SplitMerge && extent % factor == 0) {
    plain.kind = tw::RasterKind::SwizzleMerge;
  }
  if (plain.kind == tw::RasterKind::SplitMerge) return plain;
  const tw::RasterKind across = along_m ? tw::RasterKind::Row : tw::RasterKind::Col;
  const tw::RasterKind along = along_m ? tw::RasterKind::Col : tw::RasterKind::Row;
  if (factor == 1) return plainest({.kind = across}, grid);
  if (factor == extent) return plainest({.kind = along}, grid);
  if (grid.m == 1 || grid.n == 1) return {};
  return plain;
}

}  // namespace tilewright
