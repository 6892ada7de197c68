#include "render/config_columns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "tile/config/config_keys.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {
namespace {

std::string text_of(const char* request) {
  return to_string(config_of(parse_config(request)));
}

// Puts the keys above the table and those of a row's columns together into the row's config.
std::string joined(const ConfigColumns& configs, size_t row) {
  std::string text = configs.alike;
  for (size_t i = 0; i < configs.columns.size(); ++i) {
    const bool is_shown = configs.columns[i].of == ColumnOf::Both;
    if (!is_shown || configs.cells[row][i].empty()) continue;
    text += (text.empty() ? "" : ",") + configs.columns[i].title + "=" + configs.cells[row][i];
  }
  return text;
}

TEST_CASE("the keys above the table and in a row's columns give the row's config") {
  const std::vector<std::vector<std::string>> sets = {
      {text_of("family=sm90,cta=128x256x64,stages=4,raster=row"),
       text_of("family=sm90,cta=128x128x64,stages=3,raster=swizzle-merge:8,4@n,swap_ab=true")},
      {text_of("family=sm90,cta=128x256x64,stages=4,group_schedule=dynamic"),
       text_of("family=sm90,cta=128x256x64,stages=4")},
      {text_of("family=sm90,cta=128x256x64,stages=4"),
       text_of("family=sm80,cta=128x128x32,warps=2x2,stages=4"),
       text_of("family=skinny,cta=16x32x128,k_warps=4,stages=4")}};
  for (const std::vector<std::string>& set : sets) {
    const ConfigColumns configs = config_columns(set);
    REQUIRE(configs.cells.size() == set.size());
    for (size_t i = 0; i < set.size(); ++i) {
      CAPTURE(set[i]);
      CHECK(config_of(parse_config(joined(configs, i))) == config_of(parse_config(set[i])));
    }
  }
}

TEST_CASE("a key that differs has a column, swap_ab too; any other is printed once") {
  const std::vector<std::string> same = {text_of("family=sm90,cta=128x256x64,stages=3"),
                                         text_of("family=sm90,cta=128x256x64,stages=4")};
  const ConfigColumns configs = config_columns(same);
  std::map<std::string, ColumnOf> columns;
  for (const Column& column : configs.columns) columns[column.title] = column.of;
  CHECK(columns.size() == config_key_facts().size());
  CHECK(columns.at("stages") == ColumnOf::Both);
  for (const auto& [key, of] : columns) {
    if (key != "stages") CHECK(of == ColumnOf::Csv);
  }
  CHECK(configs.alike.find("swap_ab=false") != std::string::npos);
  CHECK(configs.alike.find("stages") == std::string::npos);
  const ConfigColumns swapped = config_columns(std::vector<std::string>{
      text_of("family=sm90,cta=128x256x64,stages=4,swap_ab=true"), same[1]});
  CHECK(swapped.alike.find("swap_ab") == std::string::npos);
  // A foreign kernel has no keys; the keys that the other rows share still leave the table.
  const ConfigColumns beside = config_columns(std::vector<std::string>{same[0], "", same[0]});
  CHECK(std::all_of(beside.cells[1].begin(), beside.cells[1].end(),
                    [](const std::string& cell) { return cell.empty(); }));
  CHECK(beside.alike.find("stages=3") != std::string::npos);
}

TEST_CASE("the lines above a table fit 80 columns, or a narrower window") {
  const ConfigColumns configs =
      config_columns(std::vector<std::string>{text_of("family=sm90,cta=128x256x64,stages=4")});
  for (const int width : {0, 40, 80, 200}) {
    std::istringstream lines(text_of(Report{.text = {alike_keys(configs, "in all rows:")}}, width));
    for (std::string line; std::getline(lines, line);) {
      CHECK(line.size() <= static_cast<size_t>(width > 0 && width < 80 ? width : 80));
    }
  }
  CHECK(text_of(Report{.text = {alike_keys(config_columns({}), "in all rows:")}}, 0).empty());
}

}  // namespace
}  // namespace tilewright
