// The model against counters and times recorded on an H200: tests/data/traffic_h200.csv, 189
// launches of the sm_90a family over 30 shapes, 6 kernels and 14 rasters, one by one with
// `tilewright profile`. Half of them have K below 2560 or tiles whose slabs are about as large as
// the cache.
#include <doctest/doctest.h>

#include <cmath>

#include "model/estimate.hpp"
#include "support/devices.hpp"
#include "support/recorded.hpp"

namespace tilewright {
namespace {

using testing::quantile;

struct Errors {
  std::vector<double> reads;
  std::vector<double> times;
};

// Of all rows, or of every second one.
Errors errors_of(const std::vector<testing::Recorded>& rows, size_t first, size_t stride) {
  Errors errors;
  for (size_t i = first; i < rows.size(); i += stride) {
    const Estimate predicted = estimate(rows[i].problem, rows[i].config, testing::h200());
    errors.times.push_back(std::abs(predicted.us / rows[i].numbers.at(0) - 1));
    errors.reads.push_back(std::abs(predicted.dram_read_bytes / rows[i].numbers.at(1) - 1));
  }
  return errors;
}

void tell(const std::string& what, const std::vector<double>& errors) {
  MESSAGE(what, " (", errors.size(), "): median ", 100 * quantile(errors, 0.5), " %, 90 % ",
          100 * quantile(errors, 0.9), " %, worst ", 100 * quantile(errors, 1), " %");
}

TEST_CASE("predicted DRAM reads and times are near the recorded ones") {
  const std::vector<testing::Recorded> rows = testing::recorded("traffic_h200.csv");
  REQUIRE(rows.size() == 189);
  const Errors all = errors_of(rows, 0, 1);
  tell("DRAM reads", all.reads);
  tell("times", all.times);
  CHECK(quantile(all.reads, 0.5) < 0.01);
  CHECK(quantile(all.reads, 0.9) < 0.125);
  CHECK(quantile(all.reads, 1) < 0.48);
  CHECK(quantile(all.times, 0.5) < 0.025);
  CHECK(quantile(all.times, 0.9) < 0.07);
  // Neither half is better off: nothing was learned by heart.
  for (const size_t half : {size_t{0}, size_t{1}}) {
    const Errors part = errors_of(rows, half, 2);
    tell(half == 0 ? "DRAM reads, even rows" : "DRAM reads, odd rows", part.reads);
    CHECK(quantile(part.reads, 0.5) < 0.012);
    CHECK(quantile(part.reads, 0.9) < 0.13);
  }
}

}  // namespace
}  // namespace tilewright
