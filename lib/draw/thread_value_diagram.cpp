#include "draw/thread_value_diagram.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/text/layout_report.hpp"

namespace tilewright {
namespace {

struct Place {
  int64_t m = -1;
  int64_t n = -1;
};

Place place_of(const IntTuple& value, ThreadValueTile tile) {
  if (value.is_tuple()) {
    if (value.rank() != 2 || value[0].is_tuple() || value[1].is_tuple()) return {};
    return {value[0].value(), value[1].value()};
  }
  if (value.value() < 0) return {};
  return {value.value() % tile.m, value.value() / tile.m};
}

void require_thread_value(const ComposedLayout& layout) {
  if (rank(layout.layout) == 2) return;
  throw usage_error(format("{} has rank {}: a thread-value layout has two modes, (thread, value)",
                           to_string(layout), rank(layout.layout)));
}

// Fills `map`, and returns how many thread-values fall outside of the tile.
int64_t collect(const ComposedLayout& layout, ThreadValueTile tile, OwnershipMap& map) {
  map.rows = static_cast<int>(tile.m);
  map.columns = static_cast<int>(tile.n);
  map.holders.resize(static_cast<size_t>(tile.m * tile.n));
  const int64_t threads = size(mode(layout.layout, 0));
  int64_t index = 0;
  int64_t outside = 0;
  for (const IntTuple& value : values_in_order(layout)) {
    const Holder holder{.thread = index % threads, .value = index / threads};
    ++index;
    const Place at = place_of(value, tile);
    if (at.m < 0 || at.m >= tile.m || at.n < 0 || at.n >= tile.n) {
      ++outside;
    } else {
      map.holders[static_cast<size_t>(at.m * tile.n + at.n)].push_back(holder);
    }
  }
  return outside;
}

}  // namespace

ThreadValueTile parse_thread_value_tile(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() == 2) {
    const std::optional<int64_t> m = parse_count(parts[0]);
    const std::optional<int64_t> n = parse_count(parts[1]);
    if (m && n && *m > 0 && *n > 0) return {*m, *n};
  }
  throw usage_error(format("'{}' is not a tile of MxN elements, such as 16x8", text));
}

Scene thread_value_diagram(const ComposedLayout& layout, ThreadValueTile tile,
                           const OwnershipView& view, const AvailableSize& available) {
  require_thread_value(layout);
  require_drawable_cells(tile.m, tile.n, "the tile");
  const int64_t threads = size(mode(layout.layout, 0));
  const int64_t values = size(mode(layout.layout, 1));
  if (view.thread && (*view.thread < 0 || *view.thread >= threads)) {
    throw usage_error(format("--thread {} is not from 0 to {}", *view.thread, threads - 1));
  }
  OwnershipMap map;
  const int64_t outside = collect(layout, tile, map);
  const OwnershipCounts counts = count_holders(map);
  Page page{.title = format("{} over {}x{} elements", to_string(layout), tile.m, tile.n),
            .available = available};
  page.lines = {format("{} of {}: {}", counted(threads, "thread"), counted(values, "value"),
                       describe(counts))};
  if (outside > 0) page.lines.push_back(format("{} values lie outside of the tile", outside));
  CellPanel panel = ownership_panel(map, view);
  panel.row_name = std::string(1, 'm');
  panel.column_name = std::string(1, 'n');
  page.blocks.push_back(draw_panel(std::move(panel), {content_width(available), available.height}));
  page.legend = ownership_legend(counts, view);
  return page_scene(std::move(page));
}

}  // namespace tilewright
