// `analyze`: numbers about a mapping; needs no GPU.
#include <algorithm>

#include "base/text.hpp"
#include "host/console.hpp"
#include "render/progress_bar.hpp"
#include "render/rank_columns.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "search/raster_ranking.hpp"
#include "store/schedule_json.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/family/rules.hpp"
#include "tile/plan/legality.hpp"
#include "verbs/subjects.hpp"
#include "verbs/verbs.hpp"

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

std::string order_lines(const std::vector<TileCoord>& order, const GridReport& r) {
  const LaunchExtents launch = launch_extents(r);
  const bool plane = !launch.tile_m.empty();
  std::string text =
      format("\n{:>10}{}  {}\n", "slot", plane ? "   (BIDx, BIDy)" : "", "tile (m, n)");
  for (size_t slot = 0; slot < order.size(); ++slot) {
    const auto number = static_cast<int64_t>(slot);
    const std::string at = format("({}, {})", number % launch.x, number / launch.x);
    text += format("{:>10}{}  {}\n", slot, plane ? format("{:>15}", at) : "",
                   is_on_grid(r.proof.tiles, order[slot]) ? tile_text(order[slot]) : "overhang");
  }
  return text;
}

// How each CTA of a launch with one CTA per slot computes its tile.
std::string launch_text(const LaunchExtents& launch) {
  if (launch.tile_m.empty()) return format("gridDim {}, one CTA for each slot", launch.x);
  return format("gridDim {} x {}, one CTA for each slot: m = {}, n = {}", launch.x, launch.y,
                launch.tile_m, launch.tile_n);
}

std::string strays_text(const std::vector<Stray>& strays) {
  constexpr size_t kShown = 6;
  std::vector<std::string> shown;
  for (size_t i = 0; i < strays.size() && i < kShown; ++i) {
    shown.push_back(format("slot {} {}", strays[i].slot, tile_text(strays[i].tile)));
  }
  return format("{}: {}{}", strays.size(), join(shown, ", "), strays.size() > kShown ? " ..." : "");
}

std::string bijective_text(const GridProof& p) {
  if (p.bijective) return "yes: every tile is in exactly one slot, and no slot is empty";
  std::vector<std::string> faults;
  const auto add = [&faults](int64_t count, std::string_view what) {
    if (count > 0) faults.push_back(format("{} {}", count, what));
  };
  add(p.overhang, "overhang");
  add(p.missing_count, "missing");
  add(p.duplicate_count, "duplicate");
  return format("no ({})", join(faults, ", "));
}

std::string report_text(const GridReport& r) {
  const GridProof& p = r.proof;
  std::string text = row("raster", raster_name(r));
  text += row("tiles", format("{} x {} = {}", p.tiles.m, p.tiles.n, p.tile_count));
  if (r.cluster != ClusterShape{}) text += row("cluster", to_string(r.cluster));
  if (r.peers.collective != Collective::None) {
    text += row("across GPUs",
                format("{} over {}, as GPU {} visits it, rank order {}, chunks={}",
                       to_string(r.peers.collective), r.peers.blocks.gpus, r.peers.blocks.rank,
                       to_string(r.peers.blocks.order), r.peers.blocks.chunks));
  }
  text += row("slots", format("{}", p.slots));
  text +=
      row("overhang",
          p.overhang == 0 ? "0" : format("{} ({:.2f} % of the tiles)", p.overhang, p.waste_pct));
  text += row("bijective", bijective_text(p));
  text += row("missing", examples(p.missing_count, p.missing));
  text += row("duplicates", examples(p.duplicate_count, p.duplicates));
  if (const std::vector<Stray> strays = strays_of(r); !strays.empty()) {
    text += row("outside", strays_text(strays));
  }
  text += row("launch", launch_text(launch_extents(r)));
  if (!r.device.empty()) text += row("device", r.device);
  if (r.waves) {
    text += row("waves", format("{} of {} CTAs", r.waves->waves, r.waves->ctas));
    text += row("wave efficiency", format("{:.2f} %", 100 * r.waves->efficiency));
  }
  if (r.traffic) {
    text += row("DRAM reads", format("{} MB (predicted), {:.2f} times A and B",
                                     megabytes_text(r.traffic->dram_read_bytes),
                                     r.traffic->dram_read_bytes / r.traffic->compulsory_bytes));
    text += row("L2 hit rate", format("{:.2f} % (predicted)", 100 * r.traffic->l2_hit_rate));
    if (!r.traffic->not_runnable.empty()) {
      text += row("not runnable", not_runnable_text(r.traffic->not_runnable));
    }
  }
  return text;
}

TileConfig with_stages(const RankRequest& request) {
  TileConfig config = request.config;
  config.stages = max_stages(config, request.problem, request.device);
  if (const auto rejection = reject_wave(request.problem, config, request.device))
    throw usage_error(rejection->reason);
  return config;
}

std::string tie_text(const RasterRanking& ranking) {
  const auto ties = ties_of_best(ranking);
  const double within = 100 * kTimeResolution;
  if (!ranking.rasters.front().predicted.is_time) {
    return format(
        "no difference among the first {}: their waves and traffic differ by at most "
        "{:g} %\n",
        ties, within);
  }
  if (no_predicted_difference(ranking)) {
    return format("no predicted difference: no raster is {:g} % faster than row\n", within);
  }
  if (ties == 1) return format("no other raster is within {:g} % of the best\n", within);
  return format(
      "no predicted difference among the first {}: their times differ by at most {:g} %\n", ties,
      within);
}

Table ranking_table(const RasterRanking& ranking, int64_t top) {
  Table table({{"#", true, 0},
               {"raster", false, 0},
               {"us", true, 0},
               {"DRAM reads, MB", true, 0},
               {"writes, MB", true, 5},
               {"L2 hits, %", true, 3},
               {"waste, %", true, 2},
               {"waves", true, 4},
               {"full, %", true, 1}});
  const size_t count = std::min(ranking.rasters.size(), static_cast<size_t>(top));
  for (size_t i = 0; i < count; ++i) {
    const RankedRaster& r = ranking.rasters[i];
    table.add_row(
        {format("{}", i + 1), to_string(r.raster), time_text(believed_us(r.predicted)),
         megabytes_text(r.predicted.dram_read_bytes), megabytes_text(r.predicted.dram_write_bytes),
         format("{:.2f}", 100 * r.predicted.l2_hit_rate), format("{:.1f}", r.waste_pct),
         format("{}", r.predicted.waves), format("{:.1f}", 100 * r.predicted.wave_efficiency)});
  }
  return table;
}

std::vector<TextPart> ranking_text(const RasterRanking& ranking, int64_t top) {
  std::string lines = tie_text(ranking);
  if (!ranking.not_runnable.empty()) {
    lines += format("{}\n", not_runnable_text(ranking.not_runnable));
  }
  return {Sentence{format("{} on {}: {} rasters of cta {}, cluster {}, {}",
                          to_string(ranking.problem), ranking.device, ranking.rasters.size(),
                          to_string(ranking.config.cta), to_string(ranking.config.cluster),
                          how_ranked(ranking.rasters.front().predicted))},
          ranking_table(ranking, top), std::move(lines)};
}

}  // namespace

Report run_analyze_grid(const GridRequest& request) {
  const GridReport report = report_grid(request);
  std::vector<TileCoord> order;
  if (request.order) order = slot_order(report);
  std::string text = report_text(report);
  if (request.order) text += order_lines(order, report);
  Report answer{
      .text = {std::move(text)},
      .json = [report, order = std::move(order),
               lists = request.order] { return grid_json(report, lists ? &order : nullptr); },
      .violated = violated_checks(request.checks, numbers_of(report))};
  if (request.device) answer.notes = rates_notes(*request.device);
  add_fault(raster_name(report), fault_of_given(report), answer.violated);
  return answer;
}

Report run_rank_grid(const RankRequest& request, Console& console) {
  ProgressBar bar(console, steady_seconds, kPatienceSeconds);
  bar.subject(to_string(request.problem.shape));
  const RasterRanking ranking =
      rank_known_rasters(request.problem, with_stages(request), request.device, bar);
  bar.clear();
  return {.notes = rates_notes(request.device),
          .text = ranking_text(ranking, request.top),
          .json = [ranking, top = request.top] { return raster_ranking_json(ranking, top); },
          .table = [ranking, top = request.top] { return ranking_table(ranking, top); },
          .violated = violated_checks(request.checks, numbers_of(ranking))};
}

}  // namespace tilewright
