#include "draw/legend.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.hpp"
#include "draw/font_metrics.hpp"

using namespace tilewright;

TEST_CASE("entries stay within the width, in order, and do not touch") {
  std::vector<LegendEntry> entries;
  for (int i = 0; i < 9; ++i) {
    entries.push_back(
        {format("wave {}", i * i * i), 18, {RectangleItem{.role = "s", .width = 18}}});
  }
  for (const double width : {90.0, 200.0, 350.0, 2000.0}) {
    const LegendBlock block = flow_legend(entries, {10, 20}, width);
    CHECK(block.width <= width);
    Point last = {-1e9, 0};
    size_t labels = 0;
    for (const SceneItem& item : block.items) {
      const auto* label = std::get_if<LabelItem>(&item);
      if (label == nullptr) continue;
      CHECK(label->text == entries[labels++].text);
      const double end = label->at.x + text_width(label->text, label->size);
      CHECK(end <= 10 + width + 1e-9);
      CHECK(label->at.y <= 20 + block.height);
      CHECK((label->at.y > last.y || label->at.x > last.x));
      last = {end, label->at.y};
    }
    CHECK(labels == entries.size());
  }
}

TEST_CASE("an entry wider than the legend is broken into lines, beside or below its symbol") {
  const std::string text =
      "DRAM re-reads, x: bytes that a wave reads, divided by its tiles' share of A and B";
  for (const double symbol : {18.0, 250.0}) {
    for (const double width : {260.0, 344.0, 400.0}) {
      const LegendBlock block = flow_legend({{text, symbol, {}}, {"path", 18, {}}}, {0, 0}, width);
      CHECK(block.width <= width);
      std::string all;
      double last = 0;
      for (const SceneItem& item : block.items) {
        const auto& label = std::get<LabelItem>(item);
        CHECK(label.at.y > last);
        CHECK(box_of(item).right <= width);
        CHECK(box_of(item).bottom <= block.height);
        CHECK((label.at.x >= symbol || label.at.y > kLegendSymbolHeight || label.text == "path"));
        last = label.at.y;
        all += label.text + " ";
      }
      CHECK(all == text + " path ");
    }
  }
}

TEST_CASE("a narrow legend is one column") {
  const std::vector<LegendEntry> entries = {{"one", 18, {}}, {"two", 18, {}}, {"three", 18, {}}};
  const LegendBlock block = flow_legend(entries, {0, 0}, 0);
  for (const SceneItem& item : block.items) CHECK(std::get<LabelItem>(item).at.x == 25);
  CHECK(block.height > 3 * kLegendSymbolHeight);
}

TEST_CASE("moving moves every kind of item") {
  CHECK(std::get<RectangleItem>(moved(RectangleItem{.role = "r"}, {1, 2})).at == Point{1, 2});
  CHECK(std::get<LabelItem>(moved(LabelItem{.role = "l"}, {1, 2})).at == Point{1, 2});
  const SceneItem path = moved(PathItem{.role = "p", .points = {{0, 0}, {3, 4}}}, {1, 2});
  CHECK(std::get<PathItem>(path).points == std::vector<Point>{{1, 2}, {4, 6}});
}
