// The reuse that a report's picture shows for a tile, beside the numbers of `analyze grid`.
#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "draw/wave_strip.hpp"
#include "model/estimate.hpp"
#include "page/plan_picture.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
#include "support/scenes.hpp"
#include "tile/plan/plan.hpp"
#include "verbs/subjects.hpp"

namespace tilewright {
namespace {

using TilePlace = std::pair<int, int>;

// The re-reads in the hover texts of whole tiles: "tile 3,5: CTA 7, ..., DRAM re-reads 1.3x".
std::map<TilePlace, std::string> shown_rereads(const Scene& scene) {
  std::map<TilePlace, std::string> shown;
  for (const std::string& text : testing::tooltip_texts(scene.items)) {
    int m = 0;
    int n = 0;
    if (std::sscanf(text.c_str(), "tile %d,%d: CTA", &m, &n) != 2) continue;
    const size_t at = text.find("DRAM re-reads");
    if (at != std::string::npos) shown[{m, n}] = text.substr(at);
  }
  return shown;
}

// The same by `analyze grid` for the tiles of the plan.
std::map<TilePlace, std::string> grid_rereads(const Plan& plan) {
  const TileCoord tiles = plan.problems.front().tiles;
  GridOptions options;
  options.grid = format("{}x{}", tiles.m, tiles.n);
  options.raster = to_string(plan.config.raster);
  options.cluster = to_string(plan.config.cluster);
  options.device = "h200";
  options.cta = to_string(plan.config.cta);
  options.k = plan.workload.shapes.front().k;
  options.dtype = plan.workload.kind.dtype;
  const GridReport report = report_grid(read_grid_request(options));
  const std::vector<double> rereads = wave_rereads(*report.traffic);
  const std::vector<TileCoord> order = slot_order(report);
  std::map<TilePlace, std::string> shown;
  for (size_t slot = 0; slot < order.size(); ++slot) {
    if (!tw::is_inside(tiles, order[slot])) continue;
    const size_t wave = slot / static_cast<size_t>(report.waves->ctas);
    shown[{order[slot].m, order[slot].n}] = rereads_text(rereads.at(wave));
  }
  return shown;
}

bool is_divided(const Plan& plan) {
  return plan.slices() > 1 || plan.stream_k_tiles > 0;
}

// True if `analyze grid` describes the plan's launch: it knows whole tiles of all of K, without
// hints of what L2 should keep.
bool is_plain_grid(const Plan& plan) {
  const GemmShape& shape = plan.problems.front().shape;
  const TileConfig& config = plan.config;
  return !is_divided(plan) && config.evict_first == EvictFirst{} && shape.m % config.cta.m == 0 &&
         shape.n % config.cta.n == 0;
}

double number_of(const std::string& text) {
  return std::stod(text.substr(std::string("DRAM re-reads ").size()));
}

TEST_CASE("a tile's reuse in the dense suite's report is that of analyze grid") {
  const Artefact artefact = load_best(TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-dense.yaml");
  const DeviceSpec device = load_device_preset("h200");
  int compared = 0;
  REQUIRE(artefact.entries.size() == 54);
  for (const TuneEntry& entry : artefact.entries) {
    CAPTURE(to_string(entry.problem));
    CAPTURE(to_string(entry.choice));
    const Plan plan = make_plan(entry.problem, entry.choice, device);
    const PlanPicture picture = plan_picture(entry.problem, entry.choice, device);
    REQUIRE(picture.scene);
    const std::map<TilePlace, std::string> shown = shown_rereads(*picture.scene);
    const TileCoord tiles = plan.problems.front().tiles;
    CHECK(shown.size() == static_cast<size_t>(tiles.m) * static_cast<size_t>(tiles.n));
    if (is_plain_grid(plan)) {
      ++compared;
      CHECK(shown == grid_rereads(plan));
    }
    if (is_divided(plan)) continue;
    // Each tile has an equal share of A and B, so the mean is the whole run's.
    double sum = 0;
    for (const auto& one : shown) sum += number_of(one.second);
    const Problem problem = problem_of(entry.problem, 0);
    const double once = static_cast<double>((problem.shape.m + problem.shape.n) * problem.shape.k) *
                        bytes_of(problem.kind.dtype);
    CHECK(sum / static_cast<double>(shown.size()) ==
          doctest::Approx(estimate(plan, device).dram_read_bytes / once).epsilon(0.05));
  }
  CHECK(compared >= 10);
}

}  // namespace
}  // namespace tilewright
