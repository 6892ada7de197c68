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

/// The title and the lines below it, placed at the page's top left margin.
struct PageHeader {
  double width = 0;
  double height = 0;
  std::vector<SceneItem> items;
};
/// Texts wider than `width` are broken into lines; with `width` 0 they are not.
PageHeader page_header(const std::string& title, const std::vector<std::string>& lines,
                       double width = 0);

/// Gap between blocks, pixels.
inline constexpr double kBlockGap = 34;
/// Least width of a page's content where the page has no available size, pixels.
inline constexpr double kMinContent = 420;
/// Least width of a column beside another one where the page has an available size, pixels.
inline constexpr double kMinColumn = 300;
/// Gap between columns that are compared, pixels.
inline constexpr double kGutter = 76;

/// A part of a picture whose items lie in a box of width x height at the origin.
struct PageBlock {
  double width = 0;
  double height = 0;
  std::vector<SceneItem> items;
};

/// Blocks one below the other.
PageBlock stack_blocks(std::vector<PageBlock> blocks, double gap = 4);

/// Blocks from left to right. A line ends before a block that exceeds `width`, or, with `per_line`
/// > 0, after `per_line` blocks.
PageBlock flow_blocks(std::vector<PageBlock> blocks, double width, int per_line = 0,
                      double gap = kBlockGap);

/// Lines of text, the first one bold; lines wider than `width` are broken, unless it is 0.
PageBlock text_block(const std::vector<std::string>& lines, double width = 0);

/// Width between the margins of a page of this size; 0 where the size has no width.
double content_width(const AvailableSize& available);

/// The available size of each of `count` similar blocks: a line holds as many as fit with `width`
/// pixels each, or, for compared columns, `columns` where they fit, else one.
AvailableSize block_size(const AvailableSize& page, size_t count, double width, size_t columns = 0);

/// Header, blocks as flow_blocks() places them on a page's width, legend.
struct Page {
  std::string title;
  std::vector<std::string> lines = {};
  std::vector<PageBlock> blocks = {};
  int per_line = 0;
  std::vector<PageBlock> below = {};  // placed like `blocks`, under them
  bool compared = false;              // wider gaps between columns, a rule between two; columns
                                      // stand one below the other where the page is too narrow
  std::vector<LegendEntry> legend = {};
  AvailableSize available = {};
};
Scene page_scene(Page page);

/// Gives a page another title; a title wider than a page of `width` pixels is broken into lines,
/// unless `width` is 0.
void change_title(Scene& scene, const std::string& title, double width);

/// The least of 1, 2 or 5 times a power of ten that is at least `least`, from 1e-300 to 1e300.
double round_step(double least);

/// The shorter side of a cell, between half a pixel and `most`; from one pixel on a whole number.
double fitting_side(double width, double height, double most);

/// "1 phase", "2 phases".
std::string counted(int64_t count, std::string_view noun);

/// Moves `more` to the end of `items`.
void append_items(std::vector<SceneItem>& items, std::vector<SceneItem> more);

/// A legend entry with one patch as its symbol.
LegendEntry legend_patch(const std::string& text, const Style& style);
/// A legend entry of adjacent patches, one per colour.
LegendEntry legend_ramp(const std::string& text, const std::vector<Color>& colors);

}  // namespace tilewright
