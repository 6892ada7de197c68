#include "draw/picture.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

using namespace tilewright;

namespace {

Scene small_scene() {
  Scene scene{.width = 60, .height = 40, .title = "small"};
  scene.items.push_back(RectangleItem{.role = "r",
                                      .at = {5, 5},
                                      .width = 20,
                                      .height = 10,
                                      .style = {.fill = Color{200, 220, 240}}});
  scene.items.push_back(LabelItem{.role = "l", .at = {5, 30}, .text = "Tile 7"});
  return scene;
}

int big_endian(const std::string& bytes, size_t at) {
  int value = 0;
  for (size_t i = at; i < at + 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

TEST_CASE("the extension chooses the format") {
  CHECK(image_format_of("a.svg") == ImageFormat::Svg);
  CHECK(image_format_of("dir.png/a.PDF") == ImageFormat::Pdf);
  CHECK(image_format_of("a.b.Png") == ImageFormat::Png);
  CHECK(image_format_of("-") == ImageFormat::Svg);
  for (const char* name : {"a", "a.jpg", "svg", ".svg", "a.svg.gz", ""}) {
    CAPTURE(name);
    try {
      image_format_of(name);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::Usage);
      CHECK(std::string(error.what()).find(".svg, .png or .pdf") != std::string::npos);
    }
  }
}

TEST_CASE("every format begins with its signature and is the same each time") {
  const Scene scene = small_scene();
  const std::string png = render(scene, ImageFormat::Png);
  CHECK(png.substr(1, 3) == "PNG");
  CHECK(big_endian(png, 16) == 120);
  CHECK(big_endian(png, 20) == 80);
  const std::string svg = render(scene, ImageFormat::Svg);
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(svg.find("width=\"60") != std::string::npos);
  CHECK(svg.find("<title>small</title>") != std::string::npos);
  const std::string pdf = render(scene, ImageFormat::Pdf);
  CHECK(pdf.substr(0, 5) == "%PDF-");
  CHECK((render(scene, ImageFormat::Png) == png));
  CHECK(render(scene, ImageFormat::Svg) == svg);
  CHECK((render(scene, ImageFormat::Pdf) == pdf));
}

TEST_CASE("every format contains its text") {
  Scene bare = small_scene();
  bare.items.pop_back();
  CHECK((render(bare, ImageFormat::Png) != render(small_scene(), ImageFormat::Png)));
  CHECK(render(small_scene(), ImageFormat::Svg).find(">Tile 7</text>") != std::string::npos);
  CHECK(render(small_scene(), ImageFormat::Pdf).find("/FontFile") != std::string::npos);
}

TEST_CASE("characters that no font can show do not prevent a picture") {
  Scene scene = small_scene();
  scene.title = "\xff\x01";
  std::get<LabelItem>(scene.items.back()).text = "\xff\x01 \xc3\xa4";
  for (const ImageFormat kind : {ImageFormat::Svg, ImageFormat::Png, ImageFormat::Pdf}) {
    CHECK_FALSE(render(scene, kind).empty());
  }
}

TEST_CASE("a scene beyond what Cairo paints is a usage error") {
  Scene scene = small_scene();
  scene.width = 1e6;
  CHECK_THROWS_AS(render(scene, ImageFormat::Png), Error);
  CHECK_THROWS_AS(render(scene, ImageFormat::Svg), Error);
}

TEST_CASE("a picture that cannot be written leaves nothing behind") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / format("tilewright-painter-{}", ::getpid());
  std::filesystem::create_directory(folder);
  CHECK_THROWS_AS(write_picture(small_scene(), folder / "missing" / "a.svg"), Error);
  CHECK_THROWS_AS(write_picture(small_scene(), folder / "a.gif"), Error);
  CHECK(std::filesystem::is_empty(folder));
  write_picture(small_scene(), folder / "a.svg");
  CHECK(read_file(folder / "a.svg") == render(small_scene(), ImageFormat::Svg));
  std::filesystem::remove_all(folder);
}
