// The model against counters and times recorded on an H200: tests/data/traffic_h200.csv, 75
// launches of the sm_90a family over 12 shapes, 3 kernels and 11 rasters, written by `tilewright
// profile`.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "support/devices.hpp"

namespace tilewright {
namespace {

struct Recorded {
  Problem problem;
  TileConfig config;
  double us = 0;
  double dram_read_bytes = 0;
};

TileConfig whole_config(std::string_view text) {
  const ConfigRequest r = parse_config(text);
  return {.family = r.family.value(),
          .cta = r.cta.value(),
          .cluster = r.cluster.value(),
          .stages = r.stages.value(),
          .schedule = r.schedule.value(),
          .raster = r.raster.value(),
          .l2_promotion_bytes = r.l2_promotion_bytes.value()};
}

// m,n,k,"config",predicted_us,us,predicted_read,read,predicted_write,write; the config has commas.
Recorded read_line(std::string_view line) {
  const size_t open = line.find('"');
  const size_t close = line.find('"', open + 1);
  const std::vector<std::string_view> sizes = split(line.substr(0, open), ',');
  const std::vector<std::string_view> numbers = split(line.substr(close + 2), ',');
  const auto extent = [&](size_t i) { return parse_count(sizes.at(i)).value(); };
  const auto number = [&](size_t i) { return std::stod(std::string(numbers.at(i))); };
  return {.problem = {{extent(0), extent(1), extent(2)}, DataType::BF16},
          .config = whole_config(line.substr(open + 1, close - open - 1)),
          .us = number(1),
          .dram_read_bytes = number(3)};
}

std::vector<Recorded> recorded() {
  const std::string text =
      read_file(std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/data/traffic_h200.csv");
  std::vector<Recorded> rows;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty() && line.front() != 'm') rows.push_back(read_line(line));
  }
  return rows;
}

double quantile(std::vector<double> sorted, double q) {
  std::sort(sorted.begin(), sorted.end());
  return sorted.at(static_cast<size_t>(q * static_cast<double>(sorted.size() - 1)));
}

// Where the model stands: reads are right to a percent in the median, and far off in the tail,
// where K is short or a wave's slabs are about as large as the cache. A change may only make this
// better.
TEST_CASE("predicted DRAM reads and times stay as near to the recorded ones as they were") {
  std::vector<double> read_errors;
  std::vector<double> time_errors;
  const std::vector<Recorded> rows = recorded();
  REQUIRE(rows.size() == 75);
  for (const Recorded& row : rows) {
    const Estimate predicted = estimate(row.problem, row.config, testing::h200());
    read_errors.push_back(std::abs(predicted.dram_read_bytes / row.dram_read_bytes - 1));
    time_errors.push_back(std::abs(predicted.us / row.us - 1));
  }
  MESSAGE("DRAM reads: median ", quantile(read_errors, 0.5), ", 90 % ", quantile(read_errors, 0.9),
          ", worst ", quantile(read_errors, 1), "; times: median ", quantile(time_errors, 0.5),
          ", 90 % ", quantile(time_errors, 0.9));
  CHECK(quantile(read_errors, 0.5) < 0.01);
  CHECK(quantile(read_errors, 0.9) < 0.40);
  CHECK(quantile(read_errors, 1) < 0.70);
  CHECK(quantile(time_errors, 0.5) < 0.03);
  CHECK(quantile(time_errors, 0.9) < 0.07);
}

}  // namespace
}  // namespace tilewright
