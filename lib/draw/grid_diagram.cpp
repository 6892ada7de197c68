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
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

constexpr double kOneColumn = 0;
constexpr double kMaxTile = 64;  // pixels of a tile's side

std::string launch_text(const GridReport& r) {
  const LaunchExtents launch = launch_extents(r);
  return launch.tile_m.empty() ? format("launch BIDx {}", launch.x)
                               : format("launch BIDx {}, BIDy {}", launch.x, launch.y);
}

// "2 slots outside of the grid: slot 5 at 20,3, slot 9 at 0,-1".
std::string strays_text(const std::vector<Stray>& strays) {
  constexpr size_t kShown = 4;
  std::vector<std::string> shown;
  for (size_t i = 0; i < strays.size() && i < kShown; ++i) {
    shown.push_back(format("slot {} at {},{}", strays[i].slot, strays[i].tile.m, strays[i].tile.n));
  }
  return format("{} outside of the grid, not drawn: {}{}",
                counted(static_cast<int64_t>(strays.size()), "slot"), join(shown, ", "),
                strays.size() > kShown ? ", ..." : "");
}

std::vector<std::string> header_lines(const GridReport& r) {
  const GridProof& p = r.proof;
  std::vector<std::string> lines;
  lines.push_back(p.bijective ? format("{} {}, no overhang: every tile exactly once", p.slots,
                                       p.slots == 1 ? "slot" : "slots")
                              : format("{} slots for {} tiles: {} overhang, {:.1f} % waste",
                                       p.slots, p.tile_count, p.overhang, p.waste_pct));
  lines.back() += format("; {}", launch_text(r));
  if (r.peers.blocks.count() > 1) {
    lines.push_back(format("rank order {}, {} of each owner", to_string(r.peers.blocks.order),
                           counted(r.peers.blocks.chunks, "chunk")));
  }
  if (p.missing_count + p.duplicate_count > 0) {
    lines.push_back(format("NOT COMPLETE: {} missing, {} more than once",
                           counted(p.missing_count, "tile"), p.duplicate_count));
  }
  if (const std::vector<Stray> strays = strays_of(r); !strays.empty()) {
    lines.push_back(strays_text(strays));
  }
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
  return format("{} on {}x{} tiles{}{}", raster_name(r), r.proof.tiles.m, r.proof.tiles.n, cluster,
                to_string(r.peers));
}

// Whole pixels keep the edges of tiles sharp. A strip of a few rows or columns is stretched across;
// with square tiles it would be a thin line.
void set_cell_size(GridFrame& frame, const AvailableSize& available) {
  const int longest = std::max(frame.rows, frame.columns);
  const int shortest = std::min(frame.rows, frame.columns);
  const bool strip = longest > 8 * shortest;
  const double target = strip ? 1200 : longest > 48 ? 900 : 640;
  double along = std::clamp(std::floor(target / longest), 2.0, kMaxTile);
  if (available.width > 0) {
    const Point margin = axis_margin(frame);
    const double wide = (available.width - std::ceil(margin.x)) / frame.columns;
    const double high = available.height > 0 ? (available.height - std::ceil(margin.y)) / frame.rows
                                             : std::max(available.width / frame.rows, along);
    along = strip ? fitting_side(frame.columns == longest ? wide : high, kMaxTile, kMaxTile)
                  : fitting_side(wide, high, kMaxTile);
  }
  const double across = strip ? std::max(along, std::floor(72.0 / (shortest + 1))) : along;
  frame.cell_width = frame.columns == longest ? along : across;
  frame.cell_height = frame.rows == longest ? along : across;
}

void require_color(const GridReport& r, GridColor color) {
  if (color == GridColor::Wave && !r.waves) {
    throw usage_error("--color wave needs the number of CTAs in a wave: add --device or --ctas");
  }
  if (color == GridColor::Owner && r.peers.collective == Collective::None) {
    throw usage_error("--color owner needs GPUs that share the grid: add --parallel and --gpus");
  }
  if (color == GridColor::L2 && !r.traffic) {
    throw usage_error("--color l2 needs the predicted traffic: add --device, --cta and --k");
  }
}

// Rejects an order that visits its tiles many times, as a faulty file may: the marks of the slots
// would cover each other.
void require_drawable_order(const GridFrame& frame) {
  constexpr int64_t kMaxVisits = 4;  // mean visits of a tile
  const int64_t most = kMaxVisits * (int64_t{frame.rows} * frame.columns + kMaxDrawnTiles);
  int64_t drawn = 0;
  for (const TileCoord tile : frame.order) drawn += is_drawn(frame, tile) ? 1 : 0;
  if (drawn <= most) return;
  throw usage_error(format(
      "{} slots on {}x{} tiles are more than a picture shows: analyze grid counts duplicates",
      drawn, frame.rows, frame.columns));
}

// The available size above a strip of waves.
AvailableSize above_strip(const AvailableSize& available) {
  return {available.width, available.height > 0
                               ? std::max(available.height - kWaveStripHeight - kLegendGap, 1.0)
                               : 0};
}

GridFrame make_frame(const GridReport& report, std::optional<GridColor> color,
                     const std::optional<TileWindow>& window, const AvailableSize& available) {
  const TileCoord grid = report.proof.tiles;
  const TileWindow drawn = window.value_or(TileWindow{{}, grid});
  GridFrame frame{.grid = grid, .first = drawn.first, .cluster = report.cluster};
  frame.rows = drawn.end.m - drawn.first.m;
  frame.columns = drawn.end.n - drawn.first.n;
  require_drawable({frame.rows, frame.columns});
  frame.order = slot_order(report);
  // A file may place slots anywhere, also outside of the grid.
  if (!window && !report.given && report.peers.blocks.count() == 1) {
    for (const TileCoord tile : frame.order) {
      frame.rows = std::max(frame.rows, tile.m + 1);
      frame.columns = std::max(frame.columns, tile.n + 1);
    }
    require_drawable({frame.rows, frame.columns});
  }
  require_drawable_order(frame);
  if (color) require_color(report, *color);
  frame.blocks = report.peers.blocks;
  const bool is_shared = frame.blocks.count() > 1;
  frame.by_owner = color == GridColor::Owner || (!color && is_shared);
  frame.ctas = report.waves && color != GridColor::Slot && !frame.by_owner ? report.waves->ctas : 0;
  const LaunchExtents launch = launch_extents(report);
  frame.bid_x = launch.tile_m.empty() ? 0 : launch.x;
  if (color == GridColor::L2) frame.rereads_operands = wave_rereads(*report.traffic);
  set_cell_size(frame, color == GridColor::L2 ? above_strip(available) : available);
  frame.origin = {std::ceil(axis_margin(frame).x), std::ceil(axis_margin(frame).y)};
  return frame;
}

// Axes, tiles, path and numbers.
PageBlock grid_block(const GridFrame& f) {
  // The arrow of m may be longer than the grid is high.
  PageBlock block{f.origin.x + f.columns * f.cell_width,
                  f.origin.y + std::max(f.rows * f.cell_height, 44.0), tile_items(f)};
  append_items(block.items, line_items(f));
  append_items(block.items, path_items(f));
  append_items(block.items, slot_items(f));
  append_items(block.items, axis_items(f));
  return block;
}

// Adds below the tiles a strip of bars: the bytes that each wave reads.
PageBlock with_strip(PageBlock block, const GridReport& report, std::optional<GridColor> color,
                     double width) {
  if (color != GridColor::L2) return block;
  return stack_blocks({std::move(block), wave_strip(*report.traffic, width)}, kLegendGap);
}

void add_missing(std::vector<LegendEntry>& entries, std::vector<LegendEntry> more) {
  for (LegendEntry& entry : more) {
    const auto same = [&](const LegendEntry& other) { return other.text == entry.text; };
    if (std::none_of(entries.begin(), entries.end(), same)) entries.push_back(std::move(entry));
  }
}

}  // namespace

void require_drawable(TileCoord grid) {
  if (std::max(grid.m, grid.n) <= kMaxDrawnTiles) return;
  throw usage_error(
      format("a picture holds {} tiles a side, and this grid has {}x{} (overhang included): draw a "
             "part of the grid, such as --tiles 0:64,0:64, or use analyze grid",
             kMaxDrawnTiles, grid.m, grid.n));
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
        format("'{}' is no part of {}x{} tiles: --tiles takes m0:m1,n0:n1 with 0 <= m0 < m1 <= {} "
               "and 0 <= n0 < n1 <= {}",
               text, grid.m, grid.n, grid.m, grid.n));
  }
  const auto coordinate = [&](size_t m, size_t n) {
    return TileCoord{static_cast<int>(bounds[m]), static_cast<int>(bounds[n])};
  };
  return {coordinate(0, 2), coordinate(1, 3)};
}

GridColor parse_grid_color(std::string_view text) {
  constexpr std::array<std::string_view, 4> kColors = {"slot", "wave", "l2", "owner"};
  for (size_t i = 0; i < kColors.size(); ++i) {
    if (text == kColors[i]) return static_cast<GridColor>(i);
  }
  throw usage_error(format("unknown colour '{}': --color takes slot, wave, l2 or owner{}", text,
                           did_you_mean(text, kColors)));
}

Scene grid_diagram(const GridReport& report, std::optional<GridColor> color,
                   std::optional<TileWindow> window, const AvailableSize& available) {
  const double wide = content_width(available);
  GridFrame frame = make_frame(report, color, window, {wide, available.height});
  color_waves({&frame, 1});
  Page page{.title = title_of(report), .lines = header_lines(report), .available = available};
  PageBlock grid = grid_block(frame);
  const double header = page_header(page.title, page.lines, wide).width;
  std::vector<LegendEntry> entries = legend_entries(frame);
  if (color == GridColor::L2) entries.insert(entries.begin(), heat_legend());
  const double height = frame.rows * frame.cell_height;
  LegendBlock legend = flow_legend(entries, {0, frame.origin.y}, kOneColumn);
  const bool fits = wide == 0 || grid.width + kBlockGap + legend.width <= wide;
  // The scale of heat colours is too wide to stand beside the grid.
  const bool beside =
      frame.rows > 1.6 * frame.columns && height > 300 && color != GridColor::L2 && fits;
  const double content = wide > 0 ? wide : std::max({grid.width, header, kMinContent});
  page.blocks = {with_strip(std::move(grid), report, color, content)};
  if (beside) {
    page.blocks.push_back({legend.width, frame.origin.y + legend.height, std::move(legend.items)});
  } else {
    page.legend = std::move(entries);
  }
  return page_scene(std::move(page));
}

Scene grid_comparison(const GridReport& before, const GridReport& after,
                      std::optional<GridColor> color, std::optional<TileWindow> window,
                      const AvailableSize& available) {
  const GridReport* const reports[] = {&before, &after};
  const AvailableSize column = block_size(available, 2, kMinColumn, 2);
  std::vector<GridFrame> frames;
  for (const GridReport* report : reports) {
    frames.push_back(make_frame(*report, color, window, column));
  }
  color_waves(frames);
  const double cell_width = std::min(frames[0].cell_width, frames[1].cell_width);
  const double cell_height = std::min(frames[0].cell_height, frames[1].cell_height);
  for (GridFrame& frame : frames) {
    frame.cell_width = cell_width;
    frame.cell_height = cell_height;
  }
  Page page{.title = format("{} and {} on {}x{} tiles{}", raster_name(before), raster_name(after),
                            before.proof.tiles.m, before.proof.tiles.n, to_string(before.peers)),
            .available = available};
  std::vector<PageBlock> grids;
  for (size_t i = 0; i < frames.size(); ++i) {
    std::vector<std::string> lines = header_lines(*reports[i]);
    lines.insert(lines.begin(), raster_name(*reports[i]));
    page.blocks.push_back(text_block(lines, column.width));
    PageBlock grid = grid_block(frames[i]);
    const double width = column.width > 0 ? column.width : std::max(grid.width, kMinContent);
    grids.push_back(with_strip(std::move(grid), *reports[i], color, width));
    page.blocks.back().width = grids.back().width =
        std::max(page.blocks.back().width, grids.back().width);
  }
  for (PageBlock& grid : grids) page.blocks.push_back(std::move(grid));
  page.per_line = 2;
  page.compared = true;
  if (color == GridColor::L2) page.legend = {heat_legend()};
  // The longer walk contains all waves.
  const bool second = frames[1].order.size() > frames[0].order.size();
  add_missing(page.legend, legend_entries(frames[second ? 1 : 0]));
  GridFrame& other = frames[second ? 0 : 1];
  other.ctas = 0;
  other.rereads_operands = {0};  // skips the entries of waves and slots, which are there already
  add_missing(page.legend, legend_entries(other));
  return page_scene(std::move(page));
}

}  // namespace tilewright
