#include "draw/ownership.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr size_t kMaxParts = 4;

bool is_by_one_thread(const std::vector<Holder>& holders) {
  return std::all_of(holders.begin(), holders.end(),
                     [&](const Holder& h) { return h.thread == holders.front().thread; });
}

std::vector<Color> all_hues() {
  std::vector<Color> colors;
  colors.reserve(palette::kHues);
  for (int i = 0; i < palette::kHues; ++i) colors.push_back(palette::hue(i));
  return colors;
}

// All hues, followed by paler copies of them.
std::vector<Color> panel_colors() {
  const auto pale = [](uint8_t c) { return static_cast<uint8_t>(255 - (255 - c) * 2 / 5); };
  std::vector<Color> colors = all_hues();
  for (int i = 0; i < palette::kHues; ++i) {
    const Color full = palette::hue(i);
    colors.push_back({pale(full.r), pale(full.g), pale(full.b)});
  }
  return colors;
}

int fill_of(const Holder& holder, const OwnershipView& view) {
  const int hue = view.by_value ? static_cast<int>(holder.value % palette::kHues)
                                : palette::thread_hue(holder.thread);
  return view.thread && holder.thread != *view.thread ? hue + palette::kHues : hue;
}

std::string text_of(const std::vector<Holder>& holders, const OwnershipView& view) {
  if (holders.empty()) return "";
  const Holder& first = holders.front();
  if (holders.size() == 1) {
    return view.values ? format("T{}\nV{}", first.thread, first.value)
                       : format("T{}", first.thread);
  }
  const Holder& second = holders[1];
  std::string text = is_by_one_thread(holders)
                         ? format("T{}\nV{} V{}", first.thread, first.value, second.value)
                         : format("T{}\nT{}", first.thread, second.thread);
  if (holders.size() > 2) text += format(" x{}", holders.size());
  return text;
}

// "3,5: T3 V1, T7 V0".
std::string tooltip_text(int row, int column, const std::vector<Holder>& holders) {
  constexpr size_t kNamed = 8;
  std::string text = format("{},{}: ", row, column);
  if (holders.empty()) return text + "no thread";
  for (size_t i = 0; i < std::min(kNamed, holders.size()); ++i) {
    text += format("{}T{} V{}", i == 0 ? "" : ", ", holders[i].thread, holders[i].value);
  }
  if (holders.size() > kNamed) text += format(", {} in all", holders.size());
  return text;
}

// Fills for the first holders of an element, at most kMaxParts.
std::vector<int> parts_of(const std::vector<Holder>& holders, const OwnershipView& view) {
  std::vector<int> fills;
  for (const Holder& holder : holders) {
    if (fills.size() < std::min(kMaxParts, holders.size())) fills.push_back(fill_of(holder, view));
  }
  return fills;
}

}  // namespace

OwnershipCounts count_holders(const OwnershipMap& map) {
  OwnershipCounts counts;
  for (const std::vector<Holder>& holders : map.holders) {
    counts.most = std::max(counts.most, static_cast<int64_t>(holders.size()));
    if (holders.empty()) {
      ++counts.uncovered;
    } else if (holders.size() == 1) {
      ++counts.once;
    } else if (is_by_one_thread(holders)) {
      ++counts.repeated;
    } else {
      ++counts.shared;
    }
  }
  return counts;
}

CellPanel ownership_panel(const OwnershipMap& map, const OwnershipView& view) {
  CellPanel panel;
  panel.rows = map.rows;
  panel.columns = map.columns;
  panel.colors = panel_colors();
  for (size_t i = 0; i < map.holders.size(); ++i) {
    std::vector<Holder> holders = map.holders[i];
    std::sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) {
      return a.thread != b.thread ? a.thread < b.thread : a.value < b.value;
    });
    const int cell = static_cast<int>(i);
    panel.fills.push_back(holders.empty() ? kHatchedFill : fill_of(holders.front(), view));
    panel.texts.push_back(text_of(holders, view));
    panel.tooltips.push_back(tooltip_text(cell / map.columns, cell % map.columns, holders));
    if (holders.size() > 1) {
      panel.splits.push_back({cell, parts_of(holders, view)});
      panel.flagged.push_back(cell);
    }
    const bool marked = view.thread && std::any_of(holders.begin(), holders.end(), [&](Holder h) {
                          return h.thread == *view.thread;
                        });
    if (marked) panel.marked.push_back(cell);
  }
  return panel;
}

std::string describe(const OwnershipCounts& c) {
  const int64_t total = c.once + c.shared + c.repeated + c.uncovered;
  if (c.once == total) return format("every one of {} elements has one holder", total);
  std::vector<std::string> parts = {format("{} of {} elements have one holder", c.once, total)};
  if (c.shared > 0) parts.push_back(format("{} are replicated in several threads", c.shared));
  if (c.repeated > 0)
    parts.push_back(format("{} are held twice or more by one thread", c.repeated));
  if (c.uncovered > 0) parts.push_back(format("{} are uncovered", c.uncovered));
  return join(parts, ", ");
}

std::vector<LegendEntry> ownership_legend(const OwnershipCounts& counts,
                                          const OwnershipView& view) {
  const std::vector<Color> colors = all_hues();
  std::vector<LegendEntry> entries;
  entries.push_back(legend_ramp(view.by_value
                                    ? "V: value of a thread, elements (8 colours, repeated)"
                                    : "T: thread (8 colours take turns)",
                                colors));
  if (view.thread) entries.push_back(legend_mark(format("elements of thread {}", *view.thread)));
  if (counts.shared + counts.repeated > 0) {
    LegendEntry both = legend_flag(
        counts.most > 2 ? "several threads; x3: three threads, not all named" : "two holders");
    both.symbol.insert(both.symbol.begin(), {RectangleItem{.role = "legend",
                                                           .width = 9,
                                                           .height = kLegendSymbolHeight,
                                                           .style = {.fill = palette::hue(0)}},
                                             RectangleItem{.role = "legend",
                                                           .at = {9, 0},
                                                           .width = 9,
                                                           .height = kLegendSymbolHeight,
                                                           .style = {.fill = palette::hue(1)}}});
    entries.push_back(std::move(both));
  }
  if (counts.uncovered > 0) entries.push_back(legend_hatch("no thread holds it"));
  return entries;
}

}  // namespace tilewright
