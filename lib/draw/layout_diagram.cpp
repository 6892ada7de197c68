#include "draw/layout_diagram.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/cell_panel.hpp"
#include "draw/palette.hpp"
#include "layout/algebra/inverse.hpp"
#include "layout/algebra/layout_evaluator.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxSlices = 64;
constexpr int64_t kLongestBar = 32;  // cells in a row of a rank-1 layout
constexpr int64_t kMaxCells = int64_t{kMaxDrawnCells} * kMaxDrawnCells;

// The values of a layout, indexed by the colexicographic index.
struct Cells {
  const ComposedLayout* layout = nullptr;
  std::vector<int64_t> offsets;    // offsets, for plain strides
  std::vector<std::string> texts;  // coordinates, for basis strides
  std::vector<bool> shared;        // true where several coordinates have this offset
  int64_t least = 0;
  int64_t most = 0;
  int64_t shared_count = 0;
  std::optional<int64_t> marked;
};

void find_shared(Cells& cells) {
  std::unordered_map<int64_t, int> uses;
  uses.reserve(cells.offsets.size());
  for (const int64_t offset : cells.offsets) ++uses[offset];
  cells.shared.resize(cells.offsets.size());
  for (size_t i = 0; i < cells.offsets.size(); ++i) {
    cells.shared[i] = uses[cells.offsets[i]] > 1;
    cells.shared_count += cells.shared[i] ? 1 : 0;
  }
}

Cells evaluate(const ComposedLayout& layout) {
  const int64_t count = size(layout.layout);
  if (count > kMaxCells) {
    throw usage_error(format("a picture holds {}x{} cells, and {} has {}: draw a part of it",
                             kMaxDrawnCells, kMaxDrawnCells, to_string(layout), count));
  }
  Cells cells;
  cells.layout = &layout;
  const auto cell_count = static_cast<size_t>(count);
  cells.offsets.resize(cell_count);
  if (has_basis(layout.layout)) {
    cells.shared.resize(cell_count);
    for (size_t i = 0; i < cell_count; ++i) {
      cells.offsets[i] = static_cast<int64_t>(i);
      cells.texts.push_back(to_string(value_at(layout, static_cast<int64_t>(i))));
    }
  } else {
    LayoutEvaluator(layout).fill(0, cells.offsets);
    find_shared(cells);
  }
  const auto [least, most] = std::minmax_element(cells.offsets.begin(), cells.offsets.end());
  cells.least = *least;
  cells.most = *most;
  return cells;
}

std::vector<Color> colors_of(CellColor color) {
  std::vector<Color> colors;
  if (color == CellColor::Value) {
    for (int i = 0; i < palette::kRampSteps; ++i) colors.push_back(palette::ramp_color(i));
  } else if (color == CellColor::Bank) {
    for (int i = 0; i < kBanks; ++i) colors.push_back(palette::bank_color(i));
  } else {
    for (int i = 0; i < palette::kHues; ++i) colors.push_back(palette::hue(i));
  }
  return colors;
}

int bank_of(int64_t byte) {
  return static_cast<int>(((byte / kBankBytes % kBanks) + kBanks) % kBanks);
}

int fill_of(const Cells& cells, const LayoutView& view, int64_t offset) {
  if (view.color == CellColor::Value) {
    const int64_t span = cells.most - cells.least + 1;
    return static_cast<int>((offset - cells.least) * palette::kRampSteps / span);
  }
  if (view.color == CellColor::Bank) {
    return bank_of(offset * view.element_bytes);
  }
  return palette::thread_hue(std::max<int64_t>(offset, 0));
}

// "(3,5): 261, byte 522, bank 2".
std::string tooltip_text(const Cells& cells, const LayoutView& view, int64_t index) {
  const auto i = static_cast<size_t>(index);
  const std::string at = to_string(coordinate_at(cells.layout->layout.shape, index));
  if (!cells.texts.empty()) return format("{}: {}", at, cells.texts[i]);
  const int64_t offset = cells.offsets[i];
  std::string text = format("{}: {}", at, offset);
  if (view.element_bytes > 0) {
    text += format(", byte {}, bank {}", offset * view.element_bytes,
                   bank_of(offset * view.element_bytes));
  }
  if (cells.shared[i]) text += ", shared";
  return text;
}

// The colexicographic index in each cell of a panel: first + row * row_step + column * column_step,
// where that is below `end`.
struct Slice {
  int64_t first = 0;
  int64_t end = 0;
  int rows = 1;
  int columns = 1;
  int64_t row_step = 0;
  int64_t column_step = 0;
};

void fill_panel(const Cells& cells, const LayoutView& view, const Slice& slice, CellPanel& panel) {
  panel.rows = slice.rows;
  panel.columns = slice.columns;
  panel.colors = colors_of(view.color);
  for (int row = 0; row < slice.rows; ++row) {
    for (int column = 0; column < slice.columns; ++column) {
      const int64_t index = slice.first + row * slice.row_step + column * slice.column_step;
      const int cell = row * slice.columns + column;
      if (index >= slice.end) {
        panel.fills.push_back(kNoFill);
        panel.texts.emplace_back();
        panel.tooltips.emplace_back();
        continue;
      }
      const auto i = static_cast<size_t>(index);
      panel.fills.push_back(fill_of(cells, view, cells.offsets[i]));
      panel.texts.push_back(cells.texts.empty() ? format("{}", cells.offsets[i]) : cells.texts[i]);
      panel.tooltips.push_back(tooltip_text(cells, view, index));
      if (cells.shared[i]) panel.flagged.push_back(cell);
      if (cells.marked == index) panel.marked.push_back(cell);
    }
  }
}

std::vector<int64_t> extents_of(const Layout& layout) {
  std::vector<int64_t> extents;
  for (const IntTuple& leaf : leaves(layout.shape)) extents.push_back(leaf.value());
  return extents;
}

CellPanel bar_panel(const Cells& cells, const LayoutView& view) {
  const auto count = static_cast<int64_t>(cells.offsets.size());
  CellPanel panel;
  Slice slice{.end = count, .rows = 1, .columns = static_cast<int>(count), .column_step = 1};
  if (count > 2 * kLongestBar) {
    slice.columns = static_cast<int>(std::max(kLongestBar, (count + 255) / 256));
    slice.rows = static_cast<int>((count + slice.columns - 1) / slice.columns);
    slice.row_step = slice.columns;
  } else {
    panel.column_lines = nested_lines(extents_of(cells.layout->layout));
  }
  fill_panel(cells, view, slice, panel);
  for (int r = 0; r < slice.rows; ++r) panel.row_labels.push_back(format("{}", r * slice.row_step));
  panel.column_name = "mode 0";
  return panel;
}

// "[:,:,2]" or "[:,:,(1,2)]".
std::string slice_name(const Layout& layout, int64_t slice) {
  std::vector<std::string> parts = {":", ":"};
  for (size_t i = 2; i < rank(layout); ++i) {
    const int64_t extent = size(mode(layout, i));
    parts.push_back(to_string(coordinate_at(mode(layout, i).shape, slice % extent)));
    slice /= extent;
  }
  return format("[{}]", join(parts, ","));
}

std::vector<CellPanel> grid_panels(const Cells& cells, const LayoutView& view) {
  const Layout& layout = cells.layout->layout;
  const Layout rows = mode(layout, 0);
  const Layout columns = mode(layout, 1);
  require_drawable_cells(size(rows), size(columns), to_string(layout).c_str());
  const int64_t step = size(rows) * size(columns);
  const auto count = static_cast<int64_t>(cells.offsets.size());
  if (count / step > kMaxSlices) {
    throw usage_error(format("a picture holds {} slices, and {} has {}: draw a part of it",
                             kMaxSlices, to_string(layout), count / step));
  }
  std::vector<CellPanel> panels;
  for (int64_t first = 0; first < count; first += step) {
    CellPanel panel;
    if (rank(layout) > 2) panel.caption = slice_name(layout, first / step);
    fill_panel(cells, view,
               {.first = first,
                .end = first + step,
                .rows = static_cast<int>(size(rows)),
                .columns = static_cast<int>(size(columns)),
                .row_step = 1,
                .column_step = size(rows)},
               panel);
    panel.row_lines = nested_lines(extents_of(rows));
    panel.column_lines = nested_lines(extents_of(columns));
    panel.row_name = "mode 0";
    panel.column_name = "mode 1";
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<CellPanel> panels_of(const Cells& cells, const LayoutView& view) {
  if (rank(cells.layout->layout) == 1) return {bar_panel(cells, view)};
  return grid_panels(cells, view);
}

std::string size_line(const Cells& cells, const LayoutView& view) {
  const ComposedLayout& c = *cells.layout;
  const int64_t elements = size(c.layout);
  std::string text = format("size {}", elements);
  if (!cells.texts.empty()) return format("{}, cells show coordinates", text);
  text += format(", cosize {}", cosize(c.layout));
  if (const std::optional<int64_t> storage = footprint(c)) {
    text += format(", footprint {} elements", *storage);
    if (view.element_bytes > 0) text += format(" = {} bytes", *storage * view.element_bytes);
  }
  text += cells.shared_count == 0
              ? ", every offset once"
              : format(", {} coordinates share their offset with others", cells.shared_count);
  return text;
}

bool has_numbers(const std::vector<PageBlock>& blocks) {
  const auto is_text = [](const SceneItem& item) {
    const auto* label = std::get_if<LabelItem>(&item);
    return label != nullptr && label->role == "text";
  };
  return std::any_of(blocks.front().items.begin(), blocks.front().items.end(), is_text);
}

std::string color_meaning(const std::vector<const Cells*>& all, const LayoutView& view,
                          bool numbers) {
  if (view.color == CellColor::Value) {
    const Cells& cells = *all.front();
    if (all.size() > 1 || !cells.texts.empty()) return "lowest to highest offset, in elements";
    return format("offsets {} to {}, in elements", cells.least, cells.most);
  }
  if (view.color == CellColor::Thread) {
    return format("thread (8 colours, repeated){}", numbers ? "; numbers are threads" : "");
  }
  return format("bank 0 to 31 (4 bytes each) of an element of {} bytes{}", view.element_bytes,
                numbers ? "; numbers are offsets in elements" : "");
}

std::vector<LegendEntry> legend_of(const std::vector<const Cells*>& all, const LayoutView& view,
                                   bool nested, bool numbers) {
  std::vector<LegendEntry> entries = {
      legend_ramp(color_meaning(all, view, numbers), colors_of(view.color))};
  if (nested) {
    entries.push_back(legend_patch("nested tile", {.stroke = palette::kInk, .stroke_width = 1.6}));
  }
  const auto any = [&](auto test) {
    return std::any_of(all.begin(), all.end(), [&](const Cells* c) { return test(*c); });
  };
  if (any([](const Cells& c) { return c.marked.has_value(); })) {
    entries.push_back(legend_mark(all.size() > 1 ? "the same element" : "the element"));
  }
  if (any([](const Cells& c) { return c.shared_count > 0; })) {
    entries.push_back(legend_flag("offset that other coordinates have, too"));
  }
  return entries;
}

bool is_nested(const std::vector<CellPanel>& panels) {
  return std::any_of(panels.begin(), panels.end(), [](const CellPanel& p) {
    return !p.row_lines.empty() || !p.column_lines.empty();
  });
}

// Two wide panels are easier to compare one below the other.
bool is_wide(const PageBlock& block) {
  constexpr double kWide = 700;
  constexpr double kLong = 3;  // width over height
  return block.width > kWide && block.width > kLong * block.height;
}

int64_t index_of(const ComposedLayout& layout, const IntTuple& element) {
  return index_at(layout.layout.shape, element);
}

std::string element_line(const Cells& cells) {
  const int64_t index = *cells.marked;
  return format("{} lies at {}", to_string(coordinate_at(cells.layout->layout.shape, index)),
                cells.texts.empty() ? format("{}", cells.offsets[static_cast<size_t>(index)])
                                    : cells.texts[static_cast<size_t>(index)]);
}

void require_view(const LayoutView& view) {
  if (view.color == CellColor::Bank && view.element_bytes == 0) {
    throw usage_error(
        "--color bank needs the size of an element: add --dtype, such as --dtype f16");
  }
}

}  // namespace

CellColor parse_cell_color(std::string_view text) {
  if (text == "value") return CellColor::Value;
  if (text == "bank") return CellColor::Bank;
  if (text == "thread") return CellColor::Thread;
  constexpr std::string_view kNames[] = {"value", "bank", "thread"};
  throw usage_error(format("unknown colour '{}'{}: --color takes value, bank or thread", text,
                           did_you_mean(text, kNames)));
}

Scene layout_diagram(const ComposedLayout& layout, const LayoutView& view,
                     const AvailableSize& available) {
  require_view(view);
  Cells cells = evaluate(layout);
  if (view.element) cells.marked = index_of(layout, *view.element);
  std::vector<CellPanel> panels = panels_of(cells, view);
  Page page{.title = to_string(layout), .lines = {size_line(cells, view)}, .available = available};
  if (cells.marked) page.lines.push_back(element_line(cells));
  const bool nested = is_nested(panels);
  page.blocks = draw_panels(std::move(panels), available);
  page.legend = legend_of({&cells}, view, nested, has_numbers(page.blocks));
  return page_scene(std::move(page));
}

Scene layout_comparison(const ComposedLayout& before, const ComposedLayout& after,
                        const LayoutView& view, const AvailableSize& available) {
  require_view(view);
  Cells old_cells = evaluate(before);
  Cells new_cells = evaluate(after);
  const size_t count = old_cells.offsets.size();
  if (count != new_cells.offsets.size()) {
    throw usage_error(
        format("{} has {} elements and {} has {}: only layouts of the same size can be compared",
               to_string(before), count, to_string(after), new_cells.offsets.size()));
  }
  int64_t changed = 0;
  std::optional<int64_t> first;
  for (size_t i = 0; i < count; ++i) {
    if (old_cells.offsets[i] == new_cells.offsets[i]) continue;
    if (!first) first = static_cast<int64_t>(i);
    ++changed;
  }
  if (view.element) first = index_of(before, *view.element);
  old_cells.marked = new_cells.marked = first;
  Page page{.title = format("{} and {}", to_string(before), to_string(after)),
            .available = available};
  page.lines = {format("before: {}", size_line(old_cells, view)),
                format("after: {}", size_line(new_cells, view)),
                format("{} of {} elements change their offset", changed, count)};
  if (first) {
    page.lines.back() +=
        format("; before {}, after {}", element_line(old_cells), element_line(new_cells));
  }
  std::vector<CellPanel> panels = panels_of(old_cells, view);
  const size_t slices = panels.size();
  std::vector<CellPanel> right = panels_of(new_cells, view);
  for (CellPanel& panel : right) panels.push_back(std::move(panel));
  panels.front().caption = format("before: {} {}", to_string(before), panels.front().caption);
  panels[slices].caption = format("after: {} {}", to_string(after), panels[slices].caption);
  const bool nested = is_nested(panels);
  if (slices > 1) {
    page.per_line = static_cast<int>(slices);  // one layout per line
    page.blocks = draw_panels(std::move(panels), available);
  } else {
    page.per_line = is_wide(draw_panels(panels).front()) ? 1 : 2;
    page.compared = page.per_line == 2;
    page.blocks = draw_panels(std::move(panels), available, static_cast<size_t>(page.per_line));
  }
  page.legend = legend_of({&old_cells, &new_cells}, view, nested, has_numbers(page.blocks));
  return page_scene(std::move(page));
}

}  // namespace tilewright
