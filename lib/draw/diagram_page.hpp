// What every picture has around its drawing: title, lines with the numbers, legend, margins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "draw/legend.hpp"
#include "draw/room.hpp"
#include "draw/scene.hpp"

namespace tilewright {

inline constexpr double kPageMargin = 28;

/// The title and the lines below it, from the page's top left margin.
struct PageHeader {
  double width = 0;
  double height = 0;
  std::vector<SceneItem> items;
};
/// Texts are broken where they are wider than `width`; 0: they are not.
PageHeader page_header(const std::string& title, const std::vector<std::string>& lines,
                       double width = 0);

/// Between blocks.
inline constexpr double kBlockGap = 34;
/// Least width of what a page shows, where it has no room.
inline constexpr double kLeastContent = 420;
/// Least width of a column beside another one, in a room.
inline constexpr double kLeastColumn = 300;
/// Between columns that are compared.
inline constexpr double kGutter = 76;

/// A part of a picture whose items lie in a box of width x height at the origin.
struct PageBlock {
  double width = 0;
  double height = 0;
  std::vector<SceneItem> items;
};

/// Blocks one below the other.
PageBlock stack_blocks(std::vector<PageBlock> blocks, double gap = 4);

/// Blocks from the left to the right, broken into lines where they exceed `width`, or, with
/// `per_line` > 0, after so many.
PageBlock flow_blocks(std::vector<PageBlock> blocks, double width, int per_line = 0,
                      double gap = kBlockGap);

/// Lines of text, the first one bold, broken where they are wider than `width`; 0: they are not.
PageBlock text_block(const std::vector<std::string>& lines, double width = 0);

/// What a page of this width has between its margins; 0 where the room has no width.
double content_width(const Room& room);

/// What each of `count` alike blocks has of a page: as many of them in a line as have room for
/// `width` pixels, or, of columns that are compared, `columns` or one.
Room room_of_block(const Room& page, size_t count, double width, size_t columns = 0);

/// Header, blocks as flow_blocks() places them on a page's width, legend.
struct Page {
  std::string title;
  std::vector<std::string> lines = {};
  std::vector<PageBlock> blocks = {};
  int per_line = 0;
  std::vector<PageBlock> below = {};  // placed like the others, under them
  bool compared = false;              // columns: further apart, two with a rule between; one below
                                      // the other where they have no room beside each other
  std::vector<LegendEntry> legend = {};
  Room room = {};
};
Scene page_scene(Page page);

/// Gives a page another title, broken where it is wider than a page of `width` pixels; 0: it is
/// not.
void change_title(Scene& scene, const std::string& title, double width);

/// The next of 1, 2 or 5 times a power of ten from `least` > 0 on.
double round_step(double least);

/// The shorter one of a cell's sides, `most` at most and half a pixel at least: whole pixels where
/// it has some.
double fitting_side(double width, double height, double most);

/// "1 phase", "2 phases".
std::string counted(int64_t count, std::string_view noun);

/// Moves `more` to the end of `items`.
void append_items(std::vector<SceneItem>& items, std::vector<SceneItem> more);

/// A legend entry whose symbol is one patch.
LegendEntry legend_patch(const std::string& text, const Style& style);
/// A legend entry of adjacent patches, one a colour.
LegendEntry legend_ramp(const std::string& text, const std::vector<Color>& colors);

}  // namespace tilewright
