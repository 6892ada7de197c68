#include "subjects.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/split_sizes.hpp"
#include "base/text.hpp"
#include "devices.hpp"
#include "harness_grid.hpp"
#include "layout/smem/access_op.hpp"
#include "layout/smem/wavefronts.hpp"
#include "layout/text/layout_expression.hpp"
#include "model/grid_traffic.hpp"
#include "search/enumerate.hpp"
#include "store/given_mapping.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {

std::vector<WarpAccess> read_accesses(const AccessOptions& o) {
  const AccessOp op = parse_access_op(o.op);
  if (o.addresses.empty() == o.file.empty()) {
    throw usage_error(
        "one of --addresses a0,...,a31 and --file FILE.csv is required: it gives the bytes that "
        "the lanes access");
  }
  if (!o.addresses.empty()) return {parse_access(op, o.addresses)};
  return parse_access_lines(op, read_file(o.file), o.file == "-" ? "stdin" : o.file);
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

void require_together(const GridOptions& o) {
  const bool cta = !o.cta.empty();
  if (o.device.empty() && (cta || o.k != 0)) {
    throw usage_error("--cta and --k predict memory traffic: add --device, such as --device h200");
  }
  if (cta && o.k == 0)
    throw usage_error("--cta predicts memory traffic: add --k, such as --k 4096");
  if (!cta && o.k != 0) {
    throw usage_error("--k predicts memory traffic: add --cta, such as --cta 128x256x64");
  }
}

GridTraffic predict_traffic(const GridOptions& o, const GridReport& report, DeviceSpec device) {
  TileConfig config;
  config.cta = parse_tile(o.cta);
  config.cluster = report.cluster;
  config.raster = report.raster;
  Problem problem{.shape = {}, .kind = {.dtype = parse_data_type(o.dtype)}};
  const TileCoord tiles = report.proof.tiles;
  problem.shape = {int64_t{tiles.m} * config.cta.m, int64_t{tiles.n} * config.cta.n, o.k};
  if (std::max(problem.shape.m, problem.shape.n) > kMaxSize) {
    throw usage_error(format("{}x{} tiles of {} are beyond {} elements a side", tiles.m, tiles.n,
                             o.cta, kMaxSize));
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
  GridTraffic traffic = grid_traffic(make_plan(problem, config, device, plan), device);
  if (rejection) traffic.not_runnable = rejection->reason;
  // Only a picture shows waves.
  if (o.picture.output.empty()) traffic.waves.clear();
  return traffic;
}

// The order from --raster file:PATH; null for a raster's name.
std::shared_ptr<const GivenOrder> given_order(const GridOptions& o) {
  if (o.raster.rfind(kFilePrefix, 0) != 0) return nullptr;
  const std::string path = o.raster.substr(kFilePrefix.size());
  if (path.empty()) throw usage_error("--raster file: lacks a path: write file:order.csv");
  if (o.cluster != "1x1") {
    throw usage_error("a file gives the tile of every CTA itself: omit --cluster");
  }
  auto order = std::make_shared<GivenOrder>(parse_given_order(read_file(path), path));
  order->name = o.raster;  // as the user wrote it
  return order;
}

GridProof prove_given(const GivenOrder& order, TileCoord grid) {
  if (int64_t{grid.m} * grid.n > kMaxSlots) {
    throw usage_error(
        format("{}x{} tiles are more than {}, the limit of a proof: use a smaller grid", grid.m,
               grid.n, kMaxSlots));
  }
  return prove_order(order.tiles, grid);
}

Extents parse_extents(const std::string& text) {
  Extents shape;
  for (const std::string_view part : split_sizes(text)) {
    const std::optional<int64_t> extent = parse_count(part);
    if (!extent) throw usage_error(format("--shape '{}' is not MxN, such as 64x64", text));
    shape.push_back(*extent);
  }
  return shape;
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

GridReport report_grid(const GridOptions& o) {
  if (o.harness.empty()) return report_grid(o, nullptr);
  HarnessGrid grid = harness_grid(o);
  return report_grid(grid.options, std::make_shared<GivenOrder>(std::move(grid.order)));
}

GridReport report_grid(const GridOptions& o, std::shared_ptr<const GivenOrder> given) {
  if (split_sizes(o.grid).size() > 2) {
    throw usage_error(
        format("'{}' has three sizes: add --rank to rank the rasters of a problem, "
               "or write the grid in tiles, MxN",
               o.grid));
  }
  require_together(o);
  parse_data_type(o.dtype);
  GridReport report;
  report.given = given ? std::move(given) : given_order(o);
  if (!report.given && !o.raster.empty()) report.raster = parse_raster(o.raster);
  report.cluster = parse_cluster(o.cluster);
  const TileCoord grid = parse_grid(o.grid);
  std::optional<DeviceSpec> device;
  if (!o.device.empty()) device = resolve_device(o.device).spec;
  report.proof = report.given ? prove_given(*report.given, grid)
                              : prove_grid(report.raster, grid, report.cluster);
  if (device) report.device = device->name;
  if (device || o.ctas > 0) {
    report.waves =
        count_waves(report.proof, o.ctas > 0 ? o.ctas : device->sm_count, report.cluster);
  }
  if (device && !o.cta.empty()) report.traffic = predict_traffic(o, report, *device);
  return report;
}

NestedReport report_nested(const NestedOptions& o) {
  const NestedLayout layout = parse_nested_layout(o.text);
  if (!o.shape.empty()) require_shape(layout, parse_extents(o.shape));
  const std::optional<int64_t> thread = o.thread < 0 ? std::nullopt : std::optional(o.thread);
  return report_nested(layout, {.subgroup_size = o.subgroup_size, .subgroups = o.subgroups},
                       thread);
}

SwizzleFacts swizzle_facts(const SwizzleOptions& o) {
  if (o.swizzle.empty()) {
    throw usage_error(
        "--write and --read are missing: the search needs the accesses to the tile; --swizzle "
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
