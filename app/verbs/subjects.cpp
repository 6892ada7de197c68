#include "verbs/subjects.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "layout/smem/wavefronts.hpp"
#include "layout/text/layout_expression.hpp"
#include "model/grid_traffic.hpp"
#include "search/enumerate.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {

MemorySpace parse_space(const std::string& text) {
  for (size_t i = 0; i < std::size(kSpaces); ++i) {
    if (text == kSpaces[i]) return static_cast<MemorySpace>(i);
  }
  throw usage_error(
      format("unknown space '{}': --space takes {}", text, join_words(kSpaces, "or")));
}

std::vector<WarpAccess> read_accesses(const AccessOptions& o) {
  if (o.addresses.empty() == o.file.empty()) {
    throw usage_error(
        "one of --addresses a0,...,a31 and --file FILE.csv is required: it gives the bytes that "
        "the lanes access");
  }
  if (!o.addresses.empty()) return {parse_access(o.op, o.addresses)};
  return parse_access_lines(o.op, read_file(o.file), o.file == "-" ? "stdin" : o.file);
}

AccessRequest read_access_request(const AccessOptions& o) {
  return {.accesses = read_accesses(o), .space = o.space, .show = o.show, .checks = o.checks};
}

std::string lane_list(const std::vector<int>& lanes) {
  std::vector<std::string> words;
  for (size_t i = 0; i < lanes.size();) {
    size_t last = i;
    while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1) ++last;
    words.push_back(last == i ? format("{}", lanes[i]) : format("{}-{}", lanes[i], lanes[last]));
    i = last + 1;
  }
  return join(words, ",");
}

namespace {

GridTraffic predict_traffic(const GridRequest& r, const GridReport& report, DeviceSpec device) {
  TileConfig config;
  config.cta = *r.cta;
  config.cluster = report.cluster;
  config.raster = report.raster;
  Problem problem{.shape = {}, .kind = {.dtype = r.dtype}};
  const TileCoord tiles = report.proof.tiles;
  problem.shape = {int64_t{tiles.m} * config.cta.m, int64_t{tiles.n} * config.cta.n, r.k};
  if (std::max(problem.shape.m, problem.shape.n) > kMaxSize) {
    throw usage_error(format("{}x{} tiles of {} are beyond {} elements a side", tiles.m, tiles.n,
                             to_string(config.cta), kMaxSize));
  }
  config.stages = max_stages(config, problem, device);
  const auto rejection = reject_tile(problem, config.cta, config.cluster, device);
  if (std::min(report.waves->ctas, report.proof.slots) > kMaxCtas) {
    throw usage_error(
        format("{} CTAs at a time are more than the {} whose traffic is predicted: "
               "use fewer --ctas",
               report.waves->ctas, kMaxCtas));
  }
  // Persistent CTAs, one per multiprocessor; CTAs beyond the slots stay idle.
  device.sm_count = static_cast<int>(std::min(report.waves->ctas, kMaxCtas));
  PlanOptions plan;
  if (report.given) plan.external = round_robin_schedule(report.given->tiles, device.sm_count);
  Workload workload = workload_of(problem);
  workload.parallel = {report.peers.collective, report.peers.blocks.gpus};
  config.peers.order = report.peers.blocks.order;
  config.peers.chunks = report.peers.blocks.chunks;
  plan.rank = report.peers.blocks.rank;
  GridTraffic traffic = grid_traffic(make_plan(workload, config, device, plan), device);
  if (rejection) traffic.not_runnable = rejection->reason;
  return traffic;
}

GridProof prove_given(const GivenOrder& order, TileCoord grid) {
  if (int64_t{grid.m} * grid.n > kMaxSlots) {
    throw usage_error(
        format("{}x{} tiles are more than {}, the limit of a proof: use a smaller grid", grid.m,
               grid.n, kMaxSlots));
  }
  return prove_order(order.tiles, grid);
}

// Accepts "4,0,4", "<4,0,4>" and every printed notation.
Swizzle parse_swizzle(const std::string& text) {
  std::string spelled = text;
  if (!text.empty() && text.find_first_of("SswW") == std::string::npos) {
    spelled = text.front() == '<' ? "Sw" + text : format("Sw<{}>", text);
  }
  const LayoutValue value = evaluate_layout(spelled);
  if (const Swizzle* const swizzle = std::get_if<Swizzle>(&value)) return *swizzle;
  throw usage_error(format("--swizzle '{}' is not B,M,S, such as 3,3,3", text));
}

// The vector without --vector: the widest access.
int64_t default_vector(const SharedTile& tile, const TileWriter& write, const TilePattern& read) {
  const TilePattern* const warps = warps_of(write);
  return std::max(warps == nullptr ? 1 : elements_together(tile, *warps),
                  elements_together(tile, read));
}

}  // namespace

GridReport report_grid(const GridRequest& r) {
  GridReport report;
  report.raster = r.raster;
  report.given = r.given;
  report.cluster = r.cluster;
  report.peers = r.peers;
  report.proof = r.given ? prove_given(*r.given, r.tiles)
                         : prove_grid(r.raster, r.tiles, r.cluster, r.peers.blocks);
  if (r.device) report.device = r.device->name;
  if (r.device || r.ctas > 0) {
    report.waves =
        count_waves(report.proof, r.ctas > 0 ? r.ctas : r.device->sm_count, report.cluster);
  }
  if (r.device && r.cta) report.traffic = predict_traffic(r, report, *r.device);
  return report;
}

NestedReport report_nested(const NestedRequest& r) {
  return report_nested(r.layout, r.workgroup,
                       r.thread < 0 ? std::nullopt : std::optional(r.thread));
}

SwizzleFacts swizzle_facts(const SwizzleOptions& o) {
  if (o.swizzle.empty()) {
    throw usage_error(
        "--read is missing: the search needs the pattern by which warps read the tile; --swizzle "
        "B,M,S alone shows the periods");
  }
  return facts_of(parse_swizzle(o.swizzle), parse_shared_tile(o.tile, o.dtype));
}

SwizzleReport report_swizzle(const SwizzleOptions& o) {
  if (o.read.empty()) {
    throw usage_error("--read is missing: it gives how the tile is read, such as ld.v4");
  }
  SwizzleProblem problem;
  problem.tile = parse_shared_tile(o.tile, o.dtype);
  problem.write = parse_tile_writer(o.write);
  problem.read = parse_tile_pattern(o.read);
  problem.vector =
      o.vector > 0 ? o.vector : default_vector(problem.tile, problem.write, problem.read);
  std::optional<Swizzle> given;
  if (!o.swizzle.empty()) given = parse_swizzle(o.swizzle);
  return report_swizzle(problem, given);
}

}  // namespace tilewright
