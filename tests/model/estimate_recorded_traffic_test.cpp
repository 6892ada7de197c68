// The model against counters and times recorded on an H200: tests/data/traffic_h200.csv, 189
// launches of the sm_90a family over 30 shapes, 6 kernels and 14 rasters, one by one with
// `tilewright profile`. The first 75 are a mix, including bad rasters, short K and full caches; the
// others were chosen to be hard: K mostly below 4096, slabs of a wave about as large as the cache.
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

// Errors over the rows [begin, end).
Errors errors_of(const std::vector<testing::Recorded>& rows, size_t begin, size_t end) {
  Errors errors;
  for (size_t i = begin; i < end; ++i) {
    const Estimate predicted =
        estimate(rows[i].problem, rows[i].config, testing::h200_at_one_clock());
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
  const std::vector<testing::Recorded> rows =
      testing::recorded(TILEWRIGHT_SOURCE_DIR "/tests/data/traffic_h200.csv");
  REQUIRE(rows.size() == 189);
  constexpr size_t kMixed = 75;
  const Errors mixed = errors_of(rows, 0, kMixed);
  tell("DRAM reads, mixed launches", mixed.reads);
  CHECK(quantile(mixed.reads, 0.5) < 0.01);
  CHECK(quantile(mixed.reads, 0.9) < 0.10);
  CHECK(quantile(mixed.reads, 1) < 0.25);
  tell("DRAM reads, hard launches", errors_of(rows, kMixed, rows.size()).reads);
  const Errors all = errors_of(rows, 0, rows.size());
  tell("DRAM reads, all", all.reads);
  tell("times, all", all.times);
  CHECK(quantile(all.reads, 0.5) < 0.01);
  CHECK(quantile(all.reads, 0.9) < 0.12);
  CHECK(quantile(all.reads, 1) < 0.48);
  CHECK(quantile(all.times, 0.5) < 0.021);
  CHECK(quantile(all.times, 0.9) < 0.051);
}

}  // namespace
}  // namespace tilewright
