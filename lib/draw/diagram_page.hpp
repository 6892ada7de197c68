// What every picture has around its drawing: title, lines with the numbers, legend, margins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "draw/legend.hpp"
#include "draw/scene.hpp"

namespace tilewright {

inline constexpr double kPageMargin = 28;

/// The title and the lines below it, from the page's top left margin.
struct PageHeader {
  double width = 0;
  double height = 0;
  std::vector<SceneItem> items;
};
PageHeader page_header(const std::string& title, const std::vector<std::string>& lines);

/// A part of a picture whose items lie in a box of width x height at the origin.
struct PageBlock {
  double width = 0;
  double height = 0;
  std::vector<SceneItem> items;
};

/// Blocks one below the other.
PageBlock stack_blocks(std::vector<PageBlock> blocks, double gap = 4);

inline constexpr double kBlockGap = 34;

/// Blocks from the left to the right, broken into lines where they exceed `width`, or, with
/// `per_line` > 0, after so many.
PageBlock flow_blocks(std::vector<PageBlock> blocks, double width, int per_line = 0,
                      double gap = kBlockGap);

/// Lines of text, the first one bold.
PageBlock text_block(const std::vector<std::string>& lines);

/// Header, blocks as flow_blocks() places them on a page's width, legend.
struct Page {
  std::string title;
  std::vector<std::string> lines = {};
  std::vector<PageBlock> blocks = {};
  int per_line = 0;
  std::vector<PageBlock> below = {};  // placed like the others, under them
  bool compared = false;              // blocks of a line: further apart, two with a rule between
  std::vector<LegendEntry> legend = {};
};
Scene page_scene(Page page);

/// The next of 1, 2 or 5 times a power of ten from `least` > 0 on.
double round_step(double least);

/// "1 phase", "2 phases".
std::string counted(int64_t count, std::string_view noun);

/// Moves `more` to the end of `items`.
void append_items(std::vector<SceneItem>& items, std::vector<SceneItem> more);

/// A legend entry whose symbol is one patch.
LegendEntry legend_patch(const std::string& text, const Style& style);
/// A legend entry of adjacent patches, one a colour.
LegendEntry legend_ramp(const std::string& text, const std::vector<Color>& colors);

}  // namespace tilewright
