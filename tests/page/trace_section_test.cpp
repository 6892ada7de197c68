#include "page/trace_section.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "support/devices.hpp"
#include "support/traces.hpp"

using namespace tilewright;

TEST_CASE("each multiprocessor has a row with measured and predicted times of its records") {
  const RecordedTrace recorded = made_up_trace();
  const PageSection section = trace_section(recorded, testing::h200(), "trace.json");
  std::map<double, std::pair<double, double>> sms;  // units and microseconds
  double first_ns = 1e18;
  double last_ns = 0;
  for (const TraceRecord& r : recorded.trace.records) {
    auto& [units, us] = sms[r.sm];
    ++units;
    us += static_cast<double>(r.end_ns - r.start_ns) / 1000;
    first_ns = std::min(first_ns, static_cast<double>(r.start_ns));
    last_ns = std::max(last_ns, static_cast<double>(r.end_ns));
  }
  REQUIRE(section.rows.size() == sms.size());
  double last_us = 0;
  double predicted_us = 0;
  for (const PageRow& row : section.rows) {
    REQUIRE(row.cells.size() == section.columns.size());
    const auto& [units, us] = sms.at(row.cells[0].value.value());
    CHECK(row.cells[1].value == units);
    CHECK(row.cells[2].value.value() == doctest::Approx(us));
    CHECK(row.cells[3].value.value() > 0);
    last_us = std::max(last_us, row.cells[4].value.value());
    predicted_us = std::max(predicted_us, row.cells[5].value.value());
  }
  CHECK(last_us == doctest::Approx((last_ns - first_ns) / 1000));
  CHECK(section.verdict.find(format("took {:.1f} us", last_us)) != std::string::npos);
  CHECK(section.verdict.find(format("the {:.1f} us predicted", predicted_us)) != std::string::npos);
}

TEST_CASE("the details of a row show the measured lane above the predicted one") {
  const PageSection section = trace_section(made_up_trace(), testing::h200(), "trace.json");
  for (const PageRow& row : section.rows) {
    const size_t measured = row.detail.find(">measured<");
    const size_t predicted = row.detail.find(">predicted<");
    REQUIRE(measured != std::string::npos);
    REQUIRE(predicted != std::string::npos);
    CHECK(measured < predicted);
  }
}
