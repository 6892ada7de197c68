#include "draw/nested_diagram.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/ownership.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxNestedSlices = 64;
constexpr int64_t kMaxHeld = int64_t{1} << 22;  // elements of all threads together

int64_t position_of(const Extents& shape, const Extents& coordinate) {
  int64_t position = 0;
  for (size_t i = 0; i < shape.size(); ++i) position = position * shape[i] + coordinate[i];
  return position;
}

int64_t thread_count(const NestedReport& r) {
  return r.workgroup.subgroup_size * r.workgroup.subgroups;
}

void require_drawable_vector(const NestedReport& r) {
  const Extents shape = vector_shape(r.layout);
  const int64_t columns = shape.back();
  const int64_t rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
  require_drawable_cells(rows, columns, "the vector");
  const int64_t slices = volume(shape) / (rows * columns);
  if (slices > kMaxNestedSlices || volume(shape) > int64_t{kMaxDrawnCells} * kMaxDrawnCells) {
    throw usage_error(format("a picture holds {} slices and {}x{} elements, and this vector is {}",
                             kMaxNestedSlices, kMaxDrawnCells, kMaxDrawnCells, to_string(shape)));
  }
  const int64_t held = thread_count(r) * volume(distributed_shape(r.layout));
  if (held > kMaxHeld) {
    throw usage_error(
        format("{} threads hold {} elements in all, and a picture holds {}: draw fewer subgroups",
               thread_count(r), held, kMaxHeld));
  }
}

// Holders by row-major position in the whole vector.
std::vector<std::vector<Holder>> all_holders(const NestedReport& r) {
  const Extents shape = vector_shape(r.layout);
  std::vector<std::vector<Holder>> holders(static_cast<size_t>(volume(shape)));
  for (int64_t thread = 0; thread < thread_count(r); ++thread) {
    int64_t value = 0;
    for (const Extents& at : elements_of_thread(r.layout, thread, r.workgroup.subgroup_size)) {
      holders[static_cast<size_t>(position_of(shape, at))].push_back({thread, value++});
    }
  }
  return holders;
}

std::vector<PanelLine> lines_of(const NestedLayout& l, size_t dimension) {
  const int64_t element = l.element_tile[dimension];
  const int64_t thread = element * l.thread_tile[dimension];
  const int64_t subgroup = thread * l.outer_tile[dimension] * l.batch_tile[dimension];
  const int64_t total = subgroup * l.subgroup_tile[dimension];
  std::vector<PanelLine> lines;
  for (int64_t at = 1; at < total; ++at) {
    const int level = at % subgroup == 0 ? 3 : at % thread == 0 ? 2 : at % element == 0 ? 1 : 0;
    // Tiles of a single element need no line: cells are separated anyhow.
    if (level == 0 || (level == 1 && element == 1)) continue;
    lines.push_back({static_cast<int>(at), level});
  }
  return lines;
}

// Numbers the outlined thread's elements: "#3" is element 3 in the order of the distributed shape.
void number_elements(const NestedReport& r, int64_t first, CellPanel& panel) {
  if (!r.thread) return;
  const Extents shape = vector_shape(r.layout);
  const int64_t end = first + static_cast<int64_t>(panel.fills.size());
  int64_t value = 0;
  for (const Extents& at : r.thread->elements) {
    const int64_t position = position_of(shape, at);
    if (position >= first && position < end) {
      panel.texts[static_cast<size_t>(position - first)] = format("#{}", value);
    }
    ++value;
  }
}

std::string slice_name(const Extents& shape, int64_t slice) {
  std::vector<std::string> parts;
  const Extents leading(shape.begin(), shape.end() - 2);
  for (const int64_t at : row_major_coordinate(leading, slice)) parts.push_back(format("{}", at));
  return format("[{}, :, :]", join(parts, ", "));
}

std::vector<CellPanel> panels_of(const NestedReport& r, const std::vector<std::vector<Holder>>& all,
                                 const OwnershipView& view) {
  const Extents shape = vector_shape(r.layout);
  const size_t dimensions = shape.size();
  const int64_t columns = shape.back();
  const int64_t rows = dimensions > 1 ? shape[dimensions - 2] : 1;
  const int64_t slices = volume(shape) / (rows * columns);
  std::vector<CellPanel> panels;
  for (int64_t slice = 0; slice < slices; ++slice) {
    OwnershipMap map{
        .rows = static_cast<int>(rows), .columns = static_cast<int>(columns), .holders = {}};
    const auto first = static_cast<std::ptrdiff_t>(slice * rows * columns);
    map.holders.assign(all.begin() + first, all.begin() + first + rows * columns);
    CellPanel panel = ownership_panel(map, view);
    number_elements(r, first, panel);
    if (dimensions > 2) panel.caption = slice_name(shape, slice);
    panel.column_lines = lines_of(r.layout, dimensions - 1);
    panel.column_name = format("dim {}", dimensions - 1);
    if (dimensions > 1) {
      panel.row_lines = lines_of(r.layout, dimensions - 2);
      panel.row_name = format("dim {}", dimensions - 2);
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<std::string> header_lines(const NestedReport& r, const OwnershipCounts& counts) {
  const NestedLayout& l = r.layout;
  std::vector<std::string> lines = {
      format("subgroup {}, batch {}, outer {}, thread {}, element {}", to_string(l.subgroup_tile),
             to_string(l.batch_tile), to_string(l.outer_tile), to_string(l.thread_tile),
             to_string(l.element_tile)),
      format("{} of {}, each thread holds {} = {}", counted(r.workgroup.subgroups, "subgroup"),
             counted(r.workgroup.subgroup_size, "thread"), to_string(distributed_shape(l)),
             counted(volume(distributed_shape(l)), "element")),
      describe(counts)};
  if (r.thread) {
    lines.push_back(
        format("thread {}: subgroup {}, thread {} of its tile; # marks its elements in order",
               r.thread->thread, to_string(r.thread->at.subgroup), to_string(r.thread->at.thread)));
  }
  return lines;
}

LegendEntry line_entry(const std::string& text, Color color, double width) {
  return legend_patch(text, {.stroke = color, .stroke_width = width});
}

}  // namespace

Scene nested_diagram(const NestedReport& r, const AvailableSize& available) {
  require_drawable_vector(r);
  const Extents shape = vector_shape(r.layout);
  OwnershipView view{.values = false};
  if (r.thread) view.thread = r.thread->thread;
  const std::vector<std::vector<Holder>> all = all_holders(r);
  const OwnershipCounts counts = count_holders({.rows = 1, .columns = 1, .holders = all});
  Page page{.title = format("Nested layout of {} elements", to_string(shape)),
            .available = available};
  page.lines = header_lines(r, counts);
  page.blocks = draw_panels(panels_of(r, all, view), available);
  page.legend = ownership_legend(counts, view);
  if (volume(r.layout.subgroup_tile) > 1) {
    page.legend.push_back(line_entry("subgroup", palette::kInk, 2.6));
  }
  if (volume(r.layout.batch_tile) * volume(r.layout.outer_tile) > 1) {
    page.legend.push_back(line_entry("outer and batch tiles", palette::kInk, 1.7));
  }
  if (volume(r.layout.element_tile) > 1) {
    page.legend.push_back(
        line_entry("side by side in a thread", palette::with_alpha(palette::kMuted, 170), 1.1));
  }
  return page_scene(std::move(page));
}

}  // namespace tilewright
