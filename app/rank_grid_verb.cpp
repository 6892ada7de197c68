// `analyze grid MxNxK --rank`: every raster by what the model predicts, best first.

#include <algorithm>

#include "base/text.hpp"
#include "checks.hpp"
#include "job.hpp"
#include "search/raster_ranking.hpp"
#include "store/raster_ranking_json.hpp"
#include "table.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality_rules.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

void require_ranking_options(const GridOptions& o) {
  if (o.grid.find('x') == o.grid.rfind('x')) {
    throw usage_error(
        format("'{}' is a grid in tiles; --rank takes a problem in elements, MxNxK, "
               "such as 8192x8192x8192",
               o.grid));
  }
  if (o.cta.empty()) throw usage_error("--rank needs --cta, such as --cta 128x256x64");
  if (o.k != 0) throw usage_error("--rank takes K from the problem: leave --k out");
  if (o.ctas != 0) throw usage_error("--rank takes as many CTAs as the device: leave --ctas out");
  if (o.order) throw usage_error("--order lists one raster's slots: name it without --rank");
}

TileConfig config_of(const GridOptions& o, const Problem& problem, const DeviceSpec& device) {
  TileConfig config;
  config.cta = parse_tile(o.cta);
  config.cluster = parse_cluster(o.cluster);
  config.stages = deepest_stages(config, problem, device);
  if (const auto rejection = reject_wave(problem, config, device))
    throw usage_error(rejection->reason);
  return config;
}

std::string tie_text(const RasterRanking& ranking) {
  const auto ties = ties_of_best(ranking);
  const double within = 100 * kTimeResolution;
  if (no_predicted_difference(ranking)) {
    return format("no predicted difference: no raster is {:g} % faster than row\n", within);
  }
  if (ties == 1) return format("no other raster is within {:g} % of the best\n", within);
  return format("no predicted difference among the first {}: they are within {:g} %\n", ties,
                within);
}

std::string ranking_text(const RasterRanking& ranking, int64_t top, int width) {
  Table table({{"#", true, 0},
               {"raster", false, 0},
               {"us", true, 0},
               {"DRAM reads", true, 0},
               {"DRAM writes", true, 5},
               {"L2 hits", true, 3},
               {"waste", true, 2},
               {"waves", true, 4},
               {"full", true, 1}});
  const size_t count = std::min(ranking.rasters.size(), static_cast<size_t>(top));
  for (size_t i = 0; i < count; ++i) {
    const RankedRaster& r = ranking.rasters[i];
    table.add_row(
        {format("{}", i + 1), to_string(r.raster), time_text(r.predicted.us),
         human_bytes(r.predicted.dram_read_bytes), human_bytes(r.predicted.dram_write_bytes),
         format("{:.2f} %", 100 * r.predicted.l2_hit_rate), format("{:.1f} %", r.waste_pct),
         format("{}", r.predicted.waves), format("{:.1f} %", 100 * r.predicted.wave_efficiency)});
  }
  return format("{} on {}: {} rasters of cta {}, cluster {}, predicted\n",
                to_string(ranking.problem), ranking.device, ranking.rasters.size(),
                to_string(ranking.config.cta), to_string(ranking.config.cluster)) +
         table.render(width) + tie_text(ranking) +
         (ranking.not_runnable.empty() ? ""
                                       : format("{}\n", not_runnable_text(ranking.not_runnable)));
}

}  // namespace

ExitCode run_rank_grid(const GridOptions& o, Console& console) {
  require_ranking_options(o);
  const std::vector<CheckExpression> checks = parse_checks(o.checks);
  const Problem problem{parse_shape(o.grid), parse_data_type(o.dtype)};
  const DeviceSpec device = resolve_device(o.device.empty() ? "auto" : o.device).spec;
  const RasterRanking ranking = rank_known_rasters(problem, config_of(o, problem, device), device);
  const std::vector<std::string> violated = violated_checks(checks, numbers_of(ranking));
  if (o.format == Format::Json) {
    console.out << raster_ranking_json(ranking, o.top);
  } else {
    console.out << ranking_text(ranking, o.top, table_width(console));
  }
  return report_violations(violated, console);
}

}  // namespace tilewright
