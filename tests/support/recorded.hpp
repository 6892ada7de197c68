// Reads launches that were recorded on an H200: the CSV files of tests/data.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright::testing {

struct Recorded {
  Problem problem;
  TileConfig config;
  std::vector<double> numbers;  // the columns after the config
};

/// Parses m,n,k,"config",number,...; the config contains commas.
inline Recorded read_line(std::string_view line) {
  const size_t open = line.find('"');
  const size_t close = line.find('"', open + 1);
  const std::vector<std::string_view> sizes = split(line.substr(0, open), ',');
  const auto extent = [&](size_t i) { return parse_count(sizes.at(i)).value(); };
  Recorded row{{{extent(0), extent(1), extent(2)}, {DataType::BF16}},
               config_of(parse_config(line.substr(open + 1, close - open - 1))),
               {}};
  for (const std::string_view number : split(line.substr(close + 2), ',')) {
    row.numbers.push_back(std::stod(std::string(number)));
  }
  return row;
}

/// The rows of a file, without its title line.
inline std::vector<Recorded> recorded(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<Recorded> rows;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty() && line.front() != 'm') rows.push_back(read_line(line));
  }
  return rows;
}

inline double quantile(std::vector<double> values, double q) {
  REQUIRE(!values.empty());
  std::sort(values.begin(), values.end());
  return values.at(static_cast<size_t>(q * static_cast<double>(values.size() - 1)));
}

inline double median_of(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

}  // namespace tilewright::testing
