#include <doctest/doctest.h>

#include "base/error.hpp"
#include "draw/grid_diagram.hpp"
#include "draw/palette.hpp"
#include "draw/picture.hpp"
#include "support/complaint.hpp"
#include "support/grid_reports.hpp"
#include "support/scenes.hpp"
#include "support/vision.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

Scene grid_scene(const char* raster = "split-merge:4") {
  return grid_diagram(report_of(raster, {13, 10}, 32));
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

TEST_CASE("pictures have the size that was asked for, the drawing in the middle") {
  const Scene scene = grid_scene();
  const std::string svg = render(scene, ImageFormat::Svg, PictureSize{900, 500});
  CHECK(svg.find("width=\"900\" height=\"500\"") != std::string::npos);
  const std::string wide = render(scene, ImageFormat::Svg, PictureSize{900, 0});
  CHECK(wide.find(format("viewBox=\"0 0 {} {}\"", scene.width, scene.height)) != std::string::npos);
  const std::string png = render(scene, ImageFormat::Png, PictureSize{300, 200});
  CHECK(png.substr(16, 8) == std::string("\0\0\x01\x2c\0\0\0\xc8", 8));
}

TEST_CASE("without its legend a picture is smaller and nothing of it stays") {
  for (const char* raster : {"split-merge:4", "row"}) {
    const Scene whole = grid_scene(raster);
    const Scene bare = with_look(whole, {.legend = false});
    CHECK(bare.height < whole.height);
    CHECK(outside_items(bare) == "");
    CHECK(texts_of(bare.items, "legend").empty());
    CHECK(rectangles(bare.items, "path.end").size() == 1);
  }
}

TEST_CASE("another title stands in the picture and in its metadata, and the page holds it") {
  const std::string title = "a title that is a good deal wider than the picture was, by the look";
  const Scene scene = with_look(grid_scene(), {.title = title});
  CHECK(scene.title == title);
  CHECK(texts_of(scene.items, "title") == std::vector<std::string>{title});
  CHECK(outside_items(scene) == "");
}

TEST_CASE("a part of a grid keeps the numbers of its tiles") {
  const GridReport report = report_of("swizzle-merge:8", {64, 64}, 132);
  const TileWindow window = parse_tile_window("8:12,60:64", {64, 64});
  const Scene scene = grid_diagram(report, std::nullopt, window);
  const std::vector<std::string> hovers = hover_texts(scene.items);
  CHECK(hovers.size() == 16);
  CHECK(hovers.front() == "tile 8,60: slot 992, wave 7, CTA 68");
  CHECK(hovers.back() == "tile 11,63: slot 1019, wave 7, CTA 95");
  CHECK(outside_items(scene) == "");
  CHECK(rectangles(scene.items, "path.").empty());  // neither the first slot nor the last
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

TEST_CASE("in the dark theme letters stay legible and colours apart") {
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
