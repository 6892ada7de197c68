#include "draw/svg_writer.hpp"

#include <doctest/doctest.h>

#include "support/xml.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

constexpr Color kBlue = {10, 20, 240};

RectangleItem square(double x, double y, Color fill) {
  return {.role = "cell.1", .at = {x, y}, .width = 10, .height = 10, .style = {.fill = fill}};
}

Scene scene_of(std::vector<SceneItem> items) {
  return {.width = 100, .height = 50, .title = "a<b & \"c\"\x01\xff", .items = std::move(items)};
}

std::string svg_of(std::vector<SceneItem> items) {
  const std::string svg = svg_document(scene_of(std::move(items)), 200, 100);
  CHECK(xml_fault(svg) == "");
  return svg;
}

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a document has its size, its title and its font with fallbacks") {
  const std::string svg = svg_of({});
  CHECK(svg.find("width=\"200\" height=\"100\" viewBox=\"0 0 100 50\"") != std::string::npos);
  CHECK(svg.find("<title>a&lt;b &amp; &quot;c&quot; \xef\xbf\xbd</title>") != std::string::npos);
  CHECK(svg.find("font-family=\"Inter, Helvetica, Arial, Noto Sans CJK SC, ") != std::string::npos);
}

TEST_CASE("labels are escaped text; labels of the same style share a group") {
  const LabelItem label{.role = "text", .at = {5, 30}, .text = "T<7>", .anchor = Anchor::Middle};
  LabelItem bold = label;
  bold.bold = true;
  bold.halo = kBlue;
  const std::string svg = svg_of({label, label, bold});
  CHECK(xml_texts(svg, "text") ==
        std::vector<std::string>{"T&lt;7&gt;", "T&lt;7&gt;", "T&lt;7&gt;"});
  CHECK(count_of(svg, "<g class=\"text\"") == 2);
  CHECK(count_of(svg, "text-anchor=\"middle\"") == 2);
  CHECK(count_of(svg, "font-weight=\"600\"") == 1);
  CHECK(count_of(svg, "paint-order=\"stroke\"") == 1);
  CHECK(svg.find("<text x=\"5\" y=\"30\">") != std::string::npos);
}

TEST_CASE("adjacent items of the same style are one path in relative coordinates") {
  const std::string svg =
      svg_of({square(1, 2, kBlue), square(11.25, 2, kBlue), square(1, 2, {1, 2, 3, 102})});
  CHECK(svg.find("<path class=\"cell-1\" fill=\"#0a14f0\" "
                 "d=\"M1 2h10v10h-10zm10.25 0h10v10h-10z\"/>") != std::string::npos);
  CHECK(svg.find("fill=\"#010203\" fill-opacity=\".4\"") != std::string::npos);
}

TEST_CASE("the steps of a path add up to its end point, however small they are") {
  PathItem path{.role = "path", .style = {.stroke = kBlue}};
  for (int i = 0; i <= 300; ++i) path.points.push_back({i * 0.334, 0.1 * (i % 2)});
  const std::string svg = svg_of({path});
  const size_t begin = svg.find(" d=\"M0 0l") + 9;
  REQUIRE(begin > 9);
  double x = 0;
  for (size_t at = begin - 1; at < svg.size() && svg[at] == 'l';
       at = svg.find_first_of("l\"", at + 1)) {
    x += std::stod(svg.substr(at + 1));
  }
  CHECK(x == doctest::Approx(100.2).epsilon(1e-6));
}

TEST_CASE("areas of a row may share the beginning of their texts") {
  const auto area = [](double x, double y, const std::string& text) {
    return TooltipItem{.role = "span", .at = {x, y}, .width = 4, .height = 2, .text = text};
  };
  const Scene scene =
      scene_of({area(0, 0, "CTA 1: tile 12, <a>"), area(4, 0, "CTA 1: tile 13, <a>"),
                area(0, 2, "CTA 2: alone"), area(0, 4, "one"), area(4, 4, "other")});
  const std::string svg = svg_document(scene, 200, 100, SvgTooltips::Shared);
  CHECK(xml_fault(svg) == "");
  CHECK(count_of(svg, " data-head=\"CTA 1:\"") == 1);
  CHECK(count_of(svg, " data-head") == 1);
  std::vector<std::string> titles = xml_texts(svg, "title");
  titles.erase(titles.begin());  // the document's
  CHECK(titles == std::vector<std::string>{" tile 12, &lt;a&gt;", " tile 13, &lt;a&gt;",
                                           "CTA 2: alone", "one", "other"});
  CHECK(count_of(svg_document(scene, 200, 100), "<title>CTA 1: tile 1") == 2);
}

TEST_CASE("hatching is one pattern for all areas of a kind") {
  RectangleItem a = square(0, 0, kBlue);
  a.style.hatch = Color{9, 9, 9};
  RectangleItem b = a;
  b.at.x = 30;
  const std::string svg = svg_of({a, b});
  CHECK(count_of(svg, "<pattern ") == 1);
  CHECK(count_of(svg, "url(#hatch-090909-0a14f0)") == 1);
}

TEST_CASE("discs keep their radius") {
  RectangleItem disc = square(5, 5, kBlue);
  disc.radius = 5;
  CHECK(svg_of({disc}).find("<rect class=\"cell-1\" x=\"5\" y=\"5\" width=\"10\" height=\"10\" "
                            "rx=\"5\" fill=\"#0a14f0\"/>") != std::string::npos);
}

TEST_CASE("a tooltip is a title; labels inside its area belong to it, others do not") {
  const TooltipItem tooltip{
      .role = "cell", .at = {10, 10}, .width = 20, .height = 10, .text = "bank <3>"};
  TooltipItem right = tooltip;
  right.at.x = 30;
  right.text = "bank 4";
  const LabelItem inside{.role = "text", .at = {20, 18}, .text = "3", .anchor = Anchor::Middle};
  LabelItem outside = inside;
  outside.at = {20, 40};
  outside.text = "9";
  const std::string svg = svg_of({tooltip, inside, right, outside});
  CHECK(xml_texts(svg, "title")[1] == "bank &lt;3&gt;");
  CHECK(svg.find(
            "<g><title>bank &lt;3&gt;</title><path d=\"M10-3h20\"/><text x=\"20\">3</text></g>") !=
        std::string::npos);
  CHECK(svg.find("<path d=\"M30 0h20\"><title>bank 4</title></path>") != std::string::npos);
  CHECK(svg.find("<text x=\"20\" y=\"40\">9</text>") != std::string::npos);
  CHECK(count_of(svg, "pointer-events=\"stroke\"") == 2);
  CHECK(count_of(svg, "stroke-width=\"10\"") == 2);
}

TEST_CASE("cells of a row with labels of the same style share a group, also with two lines") {
  std::vector<SceneItem> items;
  for (int i = 0; i < 5; ++i) {
    items.push_back(TooltipItem{.role = "cell", .at = {i * 20.0, 0}, .width = 20, .height = 20});
    items.push_back(LabelItem{.role = "text", .at = {i * 20.0 + 2, 8}, .text = "a"});
    items.push_back(LabelItem{.role = "text", .at = {i * 20.0 + 2, 16}, .text = "b"});
  }
  const std::string svg = svg_of(items);
  CHECK(count_of(svg, "<g class=\"cell\"") == 1);
  CHECK(count_of(svg, "<text x=\"82\">a</text><text x=\"82\" y=\"8\">b</text>") == 1);
}

TEST_CASE("with too many tooltip areas for a file the labels stay") {
  std::vector<SceneItem> items(65'537, TooltipItem{.role = "cell", .width = 1, .height = 1});
  items.push_back(LabelItem{.role = "text", .text = "stays"});
  const std::string svg = svg_of(items);
  CHECK(xml_texts(svg, "title").size() == 1);
  CHECK(xml_texts(svg, "text") == std::vector<std::string>{"stays"});
}
