#include "draw/grid_diagram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "draw/grid_parts.hpp"
#include "draw/grid_path.hpp"
#include "draw/legend.hpp"
#include "draw/palette.hpp"
#include "draw/wave_strip.hpp"
#include "tile/legality.hpp"

namespace tilewright {
namespace {

constexpr double kLegendGap = 24;
constexpr double kOneColumn = 0;

std::vector<std::string> header_lines(const GridReport& r) {
  const GridProof& p = r.proof;
  std::vector<std::string> lines;
  lines.push_back(p.overhang == 0 ? format("{} {}, no overhang: every tile exactly once", p.slots,
                                           p.slots == 1 ? "slot" : "slots")
                                  : format("{} slots for {} tiles: {} overhang, {:.1f} % waste",
                                           p.slots, p.tile_count, p.overhang, p.waste_pct));
  if (r.waves) {
    lines.push_back(format("{}{} {} of {} CTAs, {:.1f} % busy",
                           r.device.empty() ? "" : r.device + ": ", r.waves->waves,
                           r.waves->waves == 1 ? "wave" : "waves", r.waves->ctas,
                           100 * r.waves->efficiency));
  }
  if (r.traffic) {
    lines.push_back(format(
        "predicted: {} read from DRAM, {:.1f} times A and B; L2 hit rate {:.1f} %",
        human_bytes(r.traffic->dram_read_bytes),
        r.traffic->dram_read_bytes / r.traffic->compulsory_bytes, 100 * r.traffic->l2_hit_rate));
    if (!r.traffic->not_runnable.empty()) {
      lines.push_back(not_runnable_text(r.traffic->not_runnable));
    }
  }
  return lines;
}

std::string title_of(const GridReport& r) {
  const std::string cluster =
      r.cluster == ClusterShape{} ? "" : format(", cluster {}", to_string(r.cluster));
  return format("{} on {}x{} tiles{}", to_string(r.raster), r.proof.tiles.m, r.proof.tiles.n,
                cluster);
}

// Whole pixels keep the edges of tiles sharp. A strip of a few rows or columns is stretched across,
// where square tiles would leave a thread.
void set_cell_size(GridFrame& frame) {
  const int longest = std::max(frame.rows, frame.columns);
  const int shortest = std::min(frame.rows, frame.columns);
  const bool strip = longest > 8 * shortest;
  const double target = strip ? 1200 : longest > 48 ? 900 : 640;
  const double along = std::clamp(std::floor(target / longest), 2.0, 64.0);
  const double across = strip ? std::max(along, std::floor(72.0 / (shortest + 1))) : along;
  frame.cell_width = frame.columns == longest ? along : across;
  frame.cell_height = frame.rows == longest ? along : across;
}

void require_color(const GridReport& r, GridColor color) {
  if (color == GridColor::Wave && !r.waves) {
    throw usage_error("--color wave needs the CTAs of a wave: add --device or --ctas");
  }
  if (color == GridColor::L2 && !r.traffic) {
    throw usage_error("--color l2 needs the predicted traffic: add --device, --cta and --k");
  }
}

GridFrame make_frame(const GridReport& report, std::optional<GridColor> color,
                     const std::optional<TileWindow>& window, double top) {
  const TileCoord grid = report.proof.tiles;
  const TileWindow drawn = window.value_or(TileWindow{{}, grid});
  GridFrame frame{.grid = grid, .first = drawn.first, .cluster = report.cluster};
  frame.rows = drawn.end.m - drawn.first.m;
  frame.columns = drawn.end.n - drawn.first.n;
  require_drawable({frame.rows, frame.columns});
  frame.order = raster_order(report.raster, grid, report.cluster);
  if (!window) {
    for (const TileCoord tile : frame.order) {
      frame.rows = std::max(frame.rows, tile.m + 1);
      frame.columns = std::max(frame.columns, tile.n + 1);
    }
    require_drawable({frame.rows, frame.columns});
  }
  if (color) require_color(report, *color);
  frame.ctas = report.waves && color != GridColor::Slot ? report.waves->ctas : 0;
  color_waves(frame);
  if (color == GridColor::L2) frame.heat = wave_heat(*report.traffic);
  set_cell_size(frame);
  frame.origin = {std::ceil(kPageMargin + axis_margin(frame).x),
                  std::ceil(top + axis_margin(frame).y)};
  return frame;
}

}  // namespace

void require_drawable(TileCoord grid) {
  if (std::max(grid.m, grid.n) <= kMostDrawnTiles) return;
  throw usage_error(format(
      "a picture holds {} tiles a side, and this walk has {}x{} (overhang included): draw a part "
      "of the grid, such as --tiles 0:64,0:64, or use analyze grid",
      kMostDrawnTiles, grid.m, grid.n));
}

TileWindow parse_tile_window(std::string_view text, TileCoord grid) {
  std::vector<int64_t> bounds;
  for (const std::string_view range : split(text, ',')) {
    const std::vector<std::string_view> ends = split(range, ':');
    for (const std::string_view end : ends) {
      if (ends.size() == 2) bounds.push_back(parse_count(end).value_or(-1));
    }
  }
  const bool whole = bounds.size() == 4 && split(text, ',').size() == 2 && bounds[0] >= 0 &&
                     bounds[0] < bounds[1] && bounds[1] <= grid.m && bounds[2] >= 0 &&
                     bounds[2] < bounds[3] && bounds[3] <= grid.n;
  if (!whole) {
    throw usage_error(
        format("'{}' is no part of {}x{} tiles: --tiles is m0:m1,n0:n1 with 0 <= m0 < m1 <= {} and "
               "0 <= n0 < n1 <= {}",
               text, grid.m, grid.n, grid.m, grid.n));
  }
  const auto coordinate = [&](size_t m, size_t n) {
    return TileCoord{static_cast<int>(bounds[m]), static_cast<int>(bounds[n])};
  };
  return {coordinate(0, 2), coordinate(1, 3)};
}

GridColor parse_grid_color(std::string_view text) {
  constexpr std::array<std::string_view, 3> kColors = {"slot", "wave", "l2"};
  for (size_t i = 0; i < kColors.size(); ++i) {
    if (text == kColors[i]) return static_cast<GridColor>(i);
  }
  throw usage_error(format("unknown colour '{}': --color is slot, wave or l2{}", text,
                           did_you_mean(text, kColors)));
}

Scene grid_diagram(const GridReport& report, std::optional<GridColor> color,
                   std::optional<TileWindow> window) {
  Scene scene{.title = title_of(report), .background = palette::kPaper};
  PageHeader header = page_header(title_of(report), header_lines(report));
  const GridFrame frame = make_frame(report, color, window, kPageMargin + header.height + 18);
  append_items(scene.items, std::move(header.items));
  append_items(scene.items, tile_items(frame));
  append_items(scene.items, line_items(frame));
  append_items(scene.items, path_items(frame));
  append_items(scene.items, slot_items(frame));
  append_items(scene.items, axis_items(frame));

  const double right = frame.origin.x + frame.columns * frame.cell_width;
  // The arrow of m may be longer than the grid is high.
  double bottom = frame.origin.y + std::max(frame.rows * frame.cell_height, 44.0);
  const bool beside = frame.rows > 1.6 * frame.columns && frame.rows * frame.cell_height > 300;
  const double content = std::max({right - kPageMargin, header.width, 420.0});
  std::vector<LegendEntry> entries = legend_entries(frame);
  double strip_right = 0;
  if (color == GridColor::L2) {
    PageBlock strip = wave_strip(*report.traffic, content);
    for (SceneItem& item : strip.items) {
      scene.items.push_back(moved(std::move(item), {kPageMargin, bottom + kLegendGap}));
    }
    bottom += kLegendGap + strip.height;
    strip_right = kPageMargin + strip.width;
    entries.insert(entries.begin(), heat_legend());
  }
  LegendBlock legend = beside
                           ? flow_legend(entries, {right + kLegendGap, frame.origin.y}, kOneColumn)
                           : flow_legend(entries, {kPageMargin, bottom + kLegendGap}, content);
  append_items(scene.items, std::move(legend.items));
  const double legend_right =
      beside ? right + kLegendGap + legend.width : kPageMargin + legend.width;
  const double legend_bottom =
      beside ? frame.origin.y + legend.height : bottom + kLegendGap + legend.height;
  scene.width = std::ceil(std::max({right, legend_right, strip_right, kPageMargin + header.width}) +
                          kPageMargin);
  scene.height = std::ceil(std::max(bottom, legend_bottom) + kPageMargin);
  return scene;
}

}  // namespace tilewright
