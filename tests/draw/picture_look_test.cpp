#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/grid_diagram.hpp"
#include "draw/layout_diagram.hpp"
#include "draw/palette.hpp"
#include "draw/picture.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/colour_vision.hpp"
#include "support/error_message.hpp"
#include "support/grid_reports.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

Scene grid_scene(const char* raster = "split-merge:4") {
  return grid_diagram(report_of(raster, {13, 10}, 32));
}

// The font sizes of the text around the drawing.
std::set<double> letter_sizes(const Scene& scene) {
  std::set<double> sizes;
  for (const SceneItem& item : scene.items) {
    const auto* const label = std::get_if<LabelItem>(&item);
    if (label == nullptr) continue;
    for (const char* role : {"title", "subtitle", "caption", "axis", "legend"}) {
      if (label->role == role) sizes.insert(label->size);
    }
  }
  return sizes;
}

}  // namespace

TEST_CASE("a size is a width or both sides, from 64 to 32000") {
  CHECK(parse_picture_size("800") == PictureSize{800, 0});
  CHECK(parse_picture_size("800x600") == PictureSize{800, 600});
  for (const char* text : {"", "x", "800x", "x600", "63", "32001", "800x63", "8e2", "-800", "8 00",
                           "800x600x400", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_picture_size(text), doctest::Contains("WIDTHxHEIGHT"));
  }
  CHECK(parse_theme("dark") == Theme::Dark);
  CHECK_THROWS_WITH(parse_theme("drak"), doctest::Contains("did you mean 'dark'"));
}

TEST_CASE("pictures have the requested size, with the drawing in the middle") {
  const Scene scene = grid_scene();
  const std::string svg = render(scene, ImageFormat::Svg, PictureSize{900, 500});
  CHECK(svg.find("width=\"900\" height=\"500\"") != std::string::npos);
  const std::string wide = render(scene, ImageFormat::Svg, PictureSize{900, 0});
  CHECK(wide.find(format("viewBox=\"0 0 {} {}\"", scene.width, scene.height)) != std::string::npos);
  const std::string png = render(scene, ImageFormat::Png, PictureSize{300, 200});
  CHECK(png.substr(16, 8) == std::string("\0\0\x01\x2c\0\0\0\xc8", 8));
}

TEST_CASE("a narrow picture gets another layout: same font sizes, nothing outside the page") {
  GridReport report = report_of("swizzle-merge:8", {64, 32}, 132);
  report.traffic = GridTraffic{.dram_read_bytes = 1e9, .l2_hit_rate = 0.8, .compulsory_bytes = 4e8};
  for (int wave = 0; wave < 16; ++wave) report.traffic->waves.push_back({128, 6e7 + 1e6 * wave});
  const GridReport row = report_of("row", {13, 10}, 32);
  const GridReport column = report_of("col", {13, 10}, 32);
  const ComposedLayout layout = parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)");
  const ComposedLayout plain = parse_layout("(8,64):(64,1)");
  const Drawing drawings[] = {
      [&](const AvailableSize& available) {
        return grid_diagram(row, std::nullopt, std::nullopt, available);
      },
      [&](const AvailableSize& available) {
        return grid_diagram(report, GridColor::L2, std::nullopt, available);
      },
      [&](const AvailableSize& available) {
        return grid_comparison(row, column, std::nullopt, std::nullopt, available);
      },
      [&](const AvailableSize& available) { return layout_diagram(layout, {}, available); },
      [&](const AvailableSize& available) {
        return layout_comparison(plain, layout, {}, available);
      },
  };
  for (const Drawing& drawing : drawings) {
    const Scene own = drawing({});
    for (const int width : {380, 400, 640, 900, 1400, 2400}) {
      CAPTURE(own.title);
      CAPTURE(width);
      const Scene scene = laid_out(drawing, {.size = PictureSize{width, 0}});
      CHECK(scene.width <= width);
      CHECK(outside_items(scene) == "");
      CHECK(overlapping_labels(scene, {"title", "subtitle", "caption", "axis", "legend"}) == "");
      CHECK(letter_sizes(scene) == letter_sizes(own));
      const double lower = laid_out(drawing, {.size = PictureSize{width, width / 2}}).height;
      CHECK(lower <= scene.height);
    }
  }
}

TEST_CASE("a given title that is too wide is broken into lines") {
  const std::string title =
      "a title that is a good deal wider than the picture may be, by its size";
  const Drawing drawing = [](const AvailableSize& available) {
    return grid_diagram(report_of("row", {13, 10}, 32), std::nullopt, std::nullopt, available);
  };
  const Scene scene = laid_out(drawing, {.title = title, .size = PictureSize{400, 0}});
  const std::vector<std::string> lines = texts_of(scene.items, "title");
  CHECK(lines.size() > 1);
  CHECK(join(lines, " ") == title);
  CHECK(scene.title == title);
  CHECK(scene.width <= 400);
  CHECK(outside_items(scene) == "");
  CHECK(overlapping_labels(scene, {"title", "subtitle", "axis"}) == "");
}

TEST_CASE("a picture without its legend is smaller and has no legend item") {
  for (const char* raster : {"split-merge:4", "row"}) {
    const Scene whole = grid_scene(raster);
    const Scene bare = with_look(whole, {.legend = false});
    CHECK(bare.height < whole.height);
    CHECK(outside_items(bare) == "");
    CHECK(texts_of(bare.items, "legend").empty());
    CHECK(rectangles(bare.items, "path.end").size() == 1);
  }
}

TEST_CASE("a given title is in the picture and its metadata, and the page has space for it") {
  const std::string title = "a title that is a good deal wider than the picture was, by the look";
  const Scene scene = with_look(grid_scene(), {.title = title});
  CHECK(scene.title == title);
  CHECK(texts_of(scene.items, "title") == std::vector<std::string>{title});
  CHECK(outside_items(scene) == "");
}

TEST_CASE("a part of a grid keeps the coordinates and slots of its tiles") {
  const GridReport report = report_of("swizzle-merge:8", {64, 64}, 132);
  const TileWindow window = parse_tile_window("8:12,60:64", {64, 64});
  const Scene scene = grid_diagram(report, std::nullopt, window);
  const std::vector<std::string> tooltips = tooltip_texts(scene.items);
  CHECK(tooltips.size() == 16);
  CHECK(tooltips.front() == "tile 8,60: slot 992, wave 7, CTA 68");
  CHECK(tooltips.back() == "tile 11,63: slot 1019, wave 7, CTA 95");
  CHECK(outside_items(scene) == "");
  CHECK(rectangles(scene.items, "path.").empty());  // no first or last slot
  CHECK(texts_of(scene.items, "axis") ==
        std::vector<std::string>{"60", "61", "62", "63", "8", "9", "10", "11", "n", "m"});
  const TileWindow all = parse_tile_window("0:64,0:64", {64, 64});
  CHECK(dump(grid_diagram(report, std::nullopt, all)) == dump(grid_diagram(report)));
  CHECK_NOTHROW(grid_diagram(report_of("row", {1000, 1000}), std::nullopt,
                             parse_tile_window("990:1000,0:500", {1000, 1000})));
  for (const char* text : {"", "0:8", "0:8,0:8,0:8", "0:8,8:8", "0:8,9:8", "0:65,0:8", "-1:8,0:8",
                           "0:8:0:8", "a:b,c:d", "0:8,0", "0:8,0:99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_tile_window(text, {64, 64}), doctest::Contains("m0:m1,n0:n1"));
  }
}

TEST_CASE("in the dark theme text stays legible and colours differ") {
  CHECK(luminance(dark_color(palette::kPaper)) < 0.02);
  const double letters = luminance(dark_color(palette::kInk));
  const auto contrast = [&](Color fill) { return (letters + 0.05) / (luminance(fill) + 0.05); };
  for (int a = 0; a < palette::kHues; ++a) {
    const Color dark = dark_color(palette::hue(a));
    CHECK(contrast(dark) >= 4.5);
    for (int b = 0; b < a; ++b) {
      CHECK(difference(dark, dark_color(palette::hue(b)), kNormal) >= 12);
    }
  }
  const Scene scene = with_look(grid_scene(), {.theme = Theme::Dark});
  CHECK(scene.background == dark_color(palette::kPaper));
  CHECK(dump(scene).find("#ffffff") == std::string::npos);
}
