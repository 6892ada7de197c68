#include "draw/sweep_diagram.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/golden.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// Numbers that fall, then rise, and are missing at every fifth value.
Sweep made_up(const std::string& range, size_t numbers) {
  const SweepRange parsed = parse_sweep_range(range);
  Sweep sweep{.subject = "13x10 tiles, split-merge:{factor}",
              .parameter = parsed.parameter,
              .at = parsed.values,
              .why_not = std::vector<std::string>(parsed.values.size())};
  const std::vector<std::string> names = {"waste_pct", "dram_read_bytes", "predicted_us"};
  for (size_t i = 0; i < numbers; ++i) {
    SweptNumber number{names[i], {}};
    for (size_t place = 0; place < parsed.values.size(); ++place) {
      const auto x = static_cast<double>(place);
      number.values.push_back((i == 1 ? 1e9 : 1.0) * (2 + (x - 3) * (x - 3)));
      if (place % 5 == 4) number.values.back().reset();
    }
    sweep.numbers.push_back(std::move(number));
  }
  for (size_t place = 4; place < parsed.values.size(); place += 5) {
    sweep.why_not[place] = "too large";
  }
  return sweep;
}

// Times of configs that are slow from some value on.
Sweep configs(const std::string& range, size_t count) {
  Sweep sweep = made_up(range, 0);
  sweep.subject = "4096x4096x{k}, made up; 1: cta=0";
  sweep.unit = "elements";
  sweep.why_not.assign(sweep.at.size(), "");
  for (size_t i = 0; i < count; ++i) {
    SweptNumber number{format("{}.predicted_us", i + 1), {}};
    for (size_t place = 0; place < sweep.at.size(); ++place) {
      const auto x = static_cast<double>(place);
      number.values.push_back((10 + static_cast<double>(i)) * (1 + x * x));
    }
    number.chart = "predicted time, us";
    number.series = format("cta={}", i);
    number.index = i;
    sweep.numbers.push_back(std::move(number));
  }
  return sweep;
}

std::vector<int64_t> values_of(const std::string& text) {
  return parse_sweep_range(text).values;
}

}  // namespace

TEST_CASE("a range has integers, steps, multiples and lists; its values rise and are unique") {
  CHECK(parse_sweep_range("cta.m=1..4").parameter == "cta.m");
  CHECK(values_of("f=1..4") == std::vector<int64_t>{1, 2, 3, 4});
  CHECK(values_of("f=64..200:64") == std::vector<int64_t>{64, 128, 192});
  CHECK(values_of("f=3..30*3") == std::vector<int64_t>{3, 9, 27});
  CHECK(values_of("f=8, 2,2,4..5,0") == std::vector<int64_t>{0, 2, 4, 5, 8});
  CHECK(values_of("f=1..1024").size() == 1024);
  for (const char* bad :
       {"", "f", "=1", "f=", "f=a", "f=-1", "f=1..", "f=..2", "f=3..2", "f=1..4:0", "f=1..4*1",
        "f=0..4*2", "f=1..4:", "f=1,,2", "f=1.5", "f=1..1025", "f=1..99999999999999999999",
        "f=0..2147483647", "f=1..2147483648:2"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_sweep_range(bad), Error);
  }
}

TEST_CASE("minimum and maximum are the first of equal values, and missing values are neither") {
  const SweptNumber number{"us", {std::nullopt, 3.0, 1.0, 1.0, 3.0, std::nullopt}};
  CHECK(argmin(number) == 2);
  CHECK(argmax(number) == 1);
  CHECK_FALSE(argmin({"us", {std::nullopt}}));
  CHECK_FALSE(argmax({"us", {}}));
}

TEST_CASE("numbers are printed with the unit at the end of their name") {
  CHECK(quantity_text("dram_read_bytes", 1.83e9) == "1.83 GB");
  CHECK(quantity_text("predicted_us", 12.41) == "12.41 us");
  CHECK(quantity_text("predicted_us", 18304.6) == "18305 us");
  CHECK(quantity_text("waste_pct", 7.69231) == "7.692 %");
  CHECK(quantity_text("slots", 16777216) == "16777216");
  CHECK(quantity_text("imbalance", 1.23456) == "1.235");
}

TEST_CASE("charts of every length: nothing overlaps or leaves the page, values have tooltip") {
  for (const char* range : {"f=1", "f=1..2", "f=1..9", "factor=1..64", "k=64..65536*2", "f=0..1023",
                            "f=1000000000,2000000000,2000000001"}) {
    for (size_t numbers = 1; numbers <= 3; ++numbers) {
      CAPTURE(range);
      CAPTURE(numbers);
      const Sweep sweep = made_up(range, numbers);
      const Scene scene = sweep_diagram(sweep);
      CHECK(outside_items(scene) == "");
      CHECK(overlapping_labels(
                scene, {"title", "subtitle", "caption", "axis", "parameter", "legend"}) == "");
      CHECK(overlapping_labels(scene, {"mark"}) == "");
      size_t shown = 0;
      for (const SceneItem& item : scene.items) shown += std::holds_alternative<TooltipItem>(item);
      CHECK(shown == numbers * sweep.at.size());
    }
  }
}

TEST_CASE("an axis contains its values, however large they are and however little they differ") {
  const std::pair<double, double> ranges[] = {{0, 0},     {7, 7},       {-3, -3},
                                              {-5, 5},    {1e18, 1e18}, {1e18, 1e18 + 256},
                                              {0, 1e-12}, {3e-9, 4e-9}, {1, 1e18}};
  for (const auto& range : ranges) {
    const double least = range.first;
    const double most = range.second;
    CAPTURE(least);
    CAPTURE(most);
    Sweep sweep{.subject = "", .parameter = "f", .at = {1, 2}, .why_not = {"", ""}};
    sweep.numbers = {{"number", {least, most}}};
    const Scene scene = sweep_diagram(sweep);
    CHECK(outside_items(scene) == "");
    CHECK(path_count(scene.items, "rule") <= 8);
    CHECK(path_count(scene.items, "rule") >= 2);
  }
}

TEST_CASE("equal distances in the picture are equal steps of the parameter, or equal ratios") {
  const auto steps = [](const char* range) {
    const Scene scene = sweep_diagram(made_up(range, 1));
    const std::vector<RectangleItem> points = rectangles(scene.items, "point");
    return std::pair(points[1].at.x - points[0].at.x, points[3].at.x - points[2].at.x);
  };
  for (const char* range : {"f=1..4", "f=10..40:10", "f=1..8*2", "f=64..65536*4"}) {
    CAPTURE(range);
    CHECK(steps(range).first == doctest::Approx(steps(range).second));
  }
  CHECK(steps("f=1,2,10,11").first == doctest::Approx(steps("f=1,2,10,11").second));
}

TEST_CASE("numbers of one chart are lines on one axis, each with a legend entry and a label") {
  for (const char* range : {"f=1", "k=64..65536*2", "f=0..100"}) {
    for (const double width : {0.0, 400.0, 1600.0}) {
      CAPTURE(range);
      CAPTURE(width);
      Sweep sweep = configs(range, 5);
      const Scene scene = sweep_diagram(sweep, {.width = width});
      CHECK(outside_items(scene) == "");
      CHECK(overlapping_labels(scene, {"title", "subtitle", "caption", "axis", "parameter",
                                       "legend", "mark"}) == "");
      CHECK(texts_of(scene.items, "caption") == std::vector<std::string>{"predicted time, us"});
      CHECK(texts_of(scene.items, "parameter") ==
            std::vector<std::string>{sweep.parameter + ", elements"});
      const std::vector<std::string> legend = texts_of(scene.items, "legend");
      CHECK(std::find(legend.begin(), legend.end(), "5: cta=4") != legend.end());
      CHECK(texts_of(scene.items, "mark").size() == 5);
      CHECK(tooltip_texts(scene.items).size() == sweep.at.size());
      if (width > 0) CHECK(scene.width <= width);
    }
  }
  CHECK(tooltip_texts(sweep_diagram(configs("k=64,128", 2)).items).front() ==
        "k 64: 1: 10 us, 2: 11 us");
}

TEST_CASE("the chart of configs equals the reviewed golden file") {
  const std::string difference =
      golden_difference("sweep_configs.scene", dump(sweep_diagram(configs("k=64..4096*2", 3))));
  CHECK_MESSAGE(difference.empty(), difference);
}

TEST_CASE("a plot equals the reviewed golden file") {
  const std::string difference =
      golden_difference("sweep.scene", dump(sweep_diagram(made_up("factor=1..12", 2))));
  CHECK_MESSAGE(difference.empty(), difference);
}
