#include "draw/grid_frame.hpp"

#include <algorithm>

#include "draw/palette.hpp"
#include "draw/wave_strip.hpp"

namespace tilewright {

namespace {

// The wave of each drawn tile; -1 for overhang.
std::vector<int64_t> drawn_waves(const GridFrame& f) {
  std::vector<int64_t> waves(static_cast<size_t>(f.rows) * static_cast<size_t>(f.columns), -1);
  for (size_t slot = 0; slot < f.order.size(); ++slot) {
    const TileCoord tile = f.order[slot];
    if (!is_drawn(f, tile) || !is_on_grid(f.grid, tile)) continue;
    int64_t& wave = waves[cell_of(f, tile)];
    if (wave < 0) wave = static_cast<int64_t>(slot) / f.ctas;  // the first slot sets the colour
  }
  return waves;
}

// Runs of equal values in one row.
std::vector<TileArea> row_runs(std::span<const int> row, int m) {
  std::vector<TileArea> runs;
  for (size_t n = 0; n < row.size(); ++n) {
    if (!runs.empty() && runs.back().value == row[n]) {
      ++runs.back().columns;
    } else {
      runs.push_back({row[n], m, static_cast<int>(n), 1, 1});
    }
  }
  return runs;
}

bool continues(const TileArea& above, const TileArea& run) {
  return above.value == run.value && above.n == run.n && above.columns == run.columns;
}

// The owner's hue in the shade of the visit's time: the first tiles are pale.
int owner_index(const GridFrame& f, size_t slot) {
  const int owner = tw::owner_of_row(f.blocks, f.grid.m, f.order[slot].m);
  const auto steps = static_cast<size_t>(palette::kShades);
  const auto shade = static_cast<int>(slot * steps / f.order.size());
  return owner * palette::kShades + palette::kShades - 1 - shade;
}

}  // namespace

bool is_drawn(const GridFrame& f, TileCoord tile) {
  return tile.m >= f.first.m && tile.m < f.first.m + f.rows && tile.n >= f.first.n &&
         tile.n < f.first.n + f.columns;
}

std::vector<int> visits_of(const GridFrame& f) {
  std::vector<int> visits(static_cast<size_t>(f.rows) * static_cast<size_t>(f.columns));
  for (const TileCoord tile : f.order) {
    if (is_drawn(f, tile)) ++visits[cell_of(f, tile)];
  }
  return visits;
}

size_t cell_of(const GridFrame& f, TileCoord tile) {
  return static_cast<size_t>(tile.m - f.first.m) * static_cast<size_t>(f.columns) +
         static_cast<size_t>(tile.n - f.first.n);
}

Point corner(const GridFrame& f, int m, int n) {
  return {f.origin.x + (n - f.first.n) * f.cell_width,
          f.origin.y + (m - f.first.m) * f.cell_height};
}

Point center(const GridFrame& f, TileCoord tile) {
  const Point at = corner(f, tile.m, tile.n);
  return {at.x + f.cell_width / 2, at.y + f.cell_height / 2};
}

double cell_size(const GridFrame& f) {
  return std::min(f.cell_width, f.cell_height);
}

double rereads_of(const GridFrame& f, size_t slot) {
  // The replay has fewer waves where an order names tiles twice.
  return f.rereads_operands[std::min(slot / static_cast<size_t>(f.ctas),
                                     f.rereads_operands.size() - 1)];
}

int color_index(const GridFrame& f, size_t slot) {
  if (!f.rereads_operands.empty()) return heat_step(rereads_of(f, slot));
  if (f.by_owner) return owner_index(f, slot);
  if (f.ctas > 0) return f.wave_colors[slot / static_cast<size_t>(f.ctas)];
  return static_cast<int>(slot * palette::kRampSteps / f.order.size());
}

Color color_of(const GridFrame& f, int index) {
  if (!f.rereads_operands.empty()) return palette::heat_color(index);
  if (f.by_owner) return palette::shade(index / palette::kShades, index % palette::kShades);
  return f.ctas > 0 ? palette::hue(index) : palette::ramp_color(index);
}

void color_waves(std::span<GridFrame> frames) {
  WavePairs touching;
  int64_t waves = 0;
  for (const GridFrame& f : frames) {
    if (f.ctas == 0) continue;
    add_touching_waves(drawn_waves(f), f.columns, touching);
    waves = std::max(waves, (static_cast<int64_t>(f.order.size()) + f.ctas - 1) / f.ctas);
  }
  const std::vector<int> colors = wave_colors(waves, std::move(touching));
  for (GridFrame& f : frames) {
    if (f.ctas > 0) f.wave_colors = colors;
  }
}

std::vector<TileArea> merge_areas(std::span<const int> values, int columns) {
  const auto width = static_cast<size_t>(columns);
  std::vector<TileArea> done;
  std::vector<TileArea> open;  // areas that reach down to the row above
  for (size_t begin = 0; begin < values.size(); begin += width) {
    std::vector<TileArea> runs =
        row_runs(values.subspan(begin, width), static_cast<int>(begin / width));
    // Both lists are ordered by n, and a run can continue only one area.
    size_t at = 0;
    for (TileArea& run : runs) {
      while (at < open.size() && open[at].n < run.n) done.push_back(open[at++]);
      if (at == open.size() || open[at].n != run.n) continue;
      if (continues(open[at], run)) {
        run.rows += open[at].rows;
        run.m = open[at].m;
      } else {
        done.push_back(open[at]);
      }
      ++at;
    }
    done.insert(done.end(), open.begin() + static_cast<std::ptrdiff_t>(at), open.end());
    open = std::move(runs);
  }
  done.insert(done.end(), open.begin(), open.end());
  std::sort(done.begin(), done.end(), [](const TileArea& a, const TileArea& b) {
    if (a.value != b.value) return a.value < b.value;
    return a.m != b.m ? a.m < b.m : a.n < b.n;
  });
  return done;
}

}  // namespace tilewright
