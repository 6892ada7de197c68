#include "render/tune_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "base/text.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

TuneRow row_of(const char* cta, double us, double joules) {
  TuneRow row;
  row.config.cta = parse_tile(cta);
  row.predicted.us = us;
  row.timing = Timing{};
  row.timing->median_us = us;
  row.energy = Energy{joules, us};
  return row;
}

// Four rows: the slower, the less energy.
TuneResult sample() {
  TuneResult result;
  result.entry.problem = Workload{.shapes = {{1024, 1024, 1024}}};
  result.rows = {row_of("128x128x64", 10, 0.009), row_of("128x192x64", 11, 0.008),
                 row_of("128x256x64", 12, 0.007), row_of("256x128x64", 13, 0.006)};
  result.entry.timing = result.rows.front().timing;
  result.entry.choice = result.rows.front().config;
  return result;
}

size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST_CASE("the choice has a row with its rank, however few rows are requested") {
  TuneResult result = sample();
  const auto report = [&result](int64_t top) {
    const std::string text = text_of(tune_report(result, testing::h200(), top), 0);
    return text.substr(0, text.find("best: "));
  };
  CHECK(count_of(report(2), "128x192x64") == 1);
  CHECK(count_of(report(2), "256x128x64") == 0);
  CHECK(count_of(report(2), "choice") == 1);
  result.entry.choice = result.rows.back().config;
  for (const int64_t top : {1, 2, 3, 4, 9}) {
    CAPTURE(top);
    const std::string text = report(top);
    CHECK(count_of(text, "\n4  256x128x64") == 1);
    CHECK(count_of(text, "choice") == 1);
    CHECK(count_of(text, "x64 ") == std::min<size_t>(4, static_cast<size_t>(top) + 1));
    CHECK(count_of(text, "family=sm90") == 1);
  }
  // Without times (only predictions) the choice gets no extra row.
  for (TuneRow& row : result.rows) row.timing.reset();
  CHECK(count_of(report(2), "256x128x64") == 0);
}

TEST_CASE("only the best config's line, which is there to be pasted, may exceed 80 columns") {
  const TuneResult result = sample();
  for (const int width : {0, 80}) {
    const std::string text = text_of(tune_report(result, testing::h200(), 4), width) +
                             text_of(Report{.text = {certainty()}}, width);
    CHECK(count_of(text, "\nbest: " + to_string(result.entry.choice) + "\n") == 1);
    CHECK(count_of(text, "predicted: on an H200") == 1);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK((line.rfind("best: ", 0) == 0 || line.size() <= 80));
    }
  }
}

TEST_CASE("comma-separated rows: a row has every key, under a title each") {
  const std::string all = tune_report(sample(), testing::h200(), 2).table().csv();
  const std::string titles = all.substr(0, all.find("\r\n"));
  const std::string next = all.substr(titles.size() + 2);
  CHECK(titles.rfind("problem,#,family,cta,", 0) == 0);
  CHECK(count_of(titles, "swap_ab") == 1);
  CHECK(count_of(next, "\r\n") == 2);
  CHECK(next.rfind("1024x1024x1024 bf16 tn,1,sm90,128x128x64,", 0) == 0);
  CHECK(count_of(titles, ",") == count_of(next, ",") / 2);
}

}  // namespace
}  // namespace tilewright
