// `analyze`: numbers about a mapping, no GPU needed.

#include "base/text.hpp"
#include "checks.hpp"
#include "grid_subject.hpp"
#include "store/grid_json.hpp"
#include "table.hpp"
#include "tile/plan/legality.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::string tile_text(TileCoord tile) {
  return format("({}, {})", tile.m, tile.n);
}

// The first few of a list of counter-examples.
std::string examples(int64_t count, const std::vector<TileCoord>& tiles) {
  constexpr size_t kShown = 6;
  if (count == 0) return "none";
  std::vector<std::string> shown;
  for (size_t i = 0; i < tiles.size() && i < kShown; ++i) shown.push_back(tile_text(tiles[i]));
  const bool more = count > static_cast<int64_t>(shown.size());
  return format("{}: {}{}", count, join(shown, " "), more ? " ..." : "");
}

std::string order_lines(const std::vector<TileCoord>& order, TileCoord grid) {
  std::string text = format("\n{:>10}  {}\n", "slot", "tile (m, n)");
  for (size_t slot = 0; slot < order.size(); ++slot) {
    const bool inside = tw::is_inside(grid, order[slot]);
    text += format("{:>10}  {}\n", slot, inside ? tile_text(order[slot]) : "overhang");
  }
  return text;
}

std::string report_text(const GridReport& r) {
  const GridProof& p = r.proof;
  std::string text = row("raster", to_string(r.raster));
  text += row("tiles", format("{} x {} = {}", p.tiles.m, p.tiles.n, p.tile_count));
  if (r.cluster != ClusterShape{}) text += row("cluster", to_string(r.cluster));
  text += row("slots", format("{}", p.slots));
  text +=
      row("overhang",
          p.overhang == 0 ? "0" : format("{} ({:.2f} % of the tiles)", p.overhang, p.waste_pct));
  text +=
      row("bijective", p.bijective ? "yes: every tile exactly once, no slot for nothing" : "no");
  text += row("missing", examples(p.missing_count, p.missing));
  text += row("duplicates", examples(p.duplicate_count, p.duplicates));
  if (!r.device.empty()) text += row("device", r.device);
  if (r.waves) {
    text += row("waves", format("{} of {} CTAs", r.waves->waves, r.waves->ctas));
    text += row("wave efficiency", format("{:.2f} %", 100 * r.waves->efficiency));
  }
  if (r.traffic) {
    text += row("DRAM reads", format("{} (predicted), {:.2f} times A and B",
                                     human_bytes(r.traffic->dram_read_bytes),
                                     r.traffic->dram_read_bytes / r.traffic->compulsory_bytes));
    text += row("L2 hit rate", format("{:.2f} % (predicted)", 100 * r.traffic->l2_hit_rate));
    if (!r.traffic->not_runnable.empty()) {
      text += row("not runnable", not_runnable_text(r.traffic->not_runnable));
    }
  }
  return text;
}

}  // namespace

ExitCode run_analyze_grid(const GridOptions& options, Console& console) {
  const std::vector<CheckExpression> checks = parse_checks(options.checks);
  const GridReport report = report_grid(options);
  // Before any output: a check of an unknown key is a usage error.
  const std::vector<std::string> violated = violated_checks(checks, numbers_of(report));
  std::vector<TileCoord> order;
  if (options.order) order = raster_order(report.raster, report.proof.tiles, report.cluster);
  if (options.format == Format::Json) {
    console.out << grid_json(report, options.order ? &order : nullptr);
  } else {
    console.out << report_text(report);
    if (options.order) console.out << order_lines(order, report.proof.tiles);
  }
  return report_violations(violated, console);
}

}  // namespace tilewright
