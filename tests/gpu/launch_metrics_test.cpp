// Counters computed from counted values, without a GPU.
#include "gpu/measure/launch_metrics.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "gpu/measure/range_profiler.hpp"

namespace tilewright {
namespace {

TEST_CASE("all counters of a launch take one pass") {
  CHECK(planned_passes(counter_metrics(), "GH100") == 1);
}

TEST_CASE("L2 hits are the 32-byte sectors that SMs read without DRAM") {
  // Reads, writes, sectors, share of tensor cycles, wavefronts.
  const std::vector<double> launch = {800, 100, 100, 75, 7};
  const std::vector<double> swept = {900, 500, 100, 40, 7};
  const Counters c = counters_of(launch, swept, 1);
  CHECK(c == Counters{.dram_read_bytes = 800,
                      .dram_write_bytes = 500,
                      .l2_hit_pct = 75,
                      .tensor_active_pct = 75,
                      .shared_wavefronts = 7,
                      .passes = 1});
}

TEST_CASE("without reads the hit rate is 0, and noise gives no negative bytes") {
  const std::vector<double> none(5);
  CHECK(counters_of(none, none, 1) == Counters{.passes = 1});
  CHECK(counters_of(std::vector<double>{330, 0, 10, 0, 0}, none, 1).l2_hit_pct == 0);
  // Fewer bytes after the sweep than before it are the noise of the control.
  CHECK(counters_of(std::vector<double>{0, 50, 0, 0, 0}, std::vector<double>{0, -3, 0, 0, 0}, 1)
            .dram_write_bytes == 50);
}

}  // namespace
}  // namespace tilewright
