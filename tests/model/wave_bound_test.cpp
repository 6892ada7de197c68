#include "model/wave_bound.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "model/coarse_price.hpp"
#include "model/estimate.hpp"
#include "model/timeline.hpp"
#include "stats/random.hpp"
#include "store/device_preset.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {
namespace {

constexpr const char* kPresets[] = {"a100", "l40s", "rtx4090"};

TileConfig config_from(const std::string& text) {
  return config_of(parse_config(text));
}

TEST_CASE("the bound is the longest of the waves, L2's and DRAM's share, from the data sheet") {
  Random random(5);
  for (const char* const name : kPresets) {
    const DeviceSpec device = load_device_preset(name);
    for (int i = 0; i < 40; ++i) {
      const GemmShape shape{64 * static_cast<int64_t>(1 + random.below(60)),
                            64 * static_cast<int64_t>(1 + random.below(60)),
                            64 * static_cast<int64_t>(1 + random.below(60))};
      const TileConfig config = config_from(i % 2 == 0 ? "cta=128x128x64,stages=3,raster=row"
                                                       : "cta=64x64x64,stages=4,raster=hilbert");
      const Plan plan = make_plan(Problem{shape}, config, device);
      const Estimate e = estimate(plan, device);
      CAPTURE(to_string(shape));
      CHECK_FALSE(believed_us(e).has_value());
      CHECK(e.tensor_us == 0);
      CHECK(e.l2_us == 0);
      CHECK(e.dram_us == 0);
      // Persistent CTAs, one a multiprocessor: each walks its own tiles.
      REQUIRE(plan.ctas_per_sm == 1);
      const double busiest = static_cast<double>(report_schedule(plan).k_steps.max);
      const TileShape& cta = config.cta;
      const double peak = device.tensor_flops_per_clock_per_sm * device.sustained_clock_hz;
      const double waves_us = busiest * 2 * cta.m * cta.n * cta.k / peak * 1e6;
      const double dram_us =
          (e.dram_read_bytes + e.dram_write_bytes) / device.dram_bytes_per_s * 1e6;
      const auto tiles = [](int64_t extent, int tile) { return (extent + tile - 1) / tile; };
      const double l2_bytes =
          2.0 * static_cast<double>(tiles(shape.m, cta.m) * tiles(shape.n, cta.n) * shape.k) *
          (cta.m + cta.n);
      const double l2_us = l2_bytes / device.l2_bytes_per_clock / device.sustained_clock_hz * 1e6;
      CHECK(e.us >= doctest::Approx(std::max(waves_us, dram_us)).epsilon(1e-6));
      CHECK(e.us <= doctest::Approx(std::max({waves_us, dram_us, l2_us})).epsilon(1e-6));
    }
  }
}

TEST_CASE("one more wave of the same tile never ranks better") {
  for (const char* const name : kPresets) {
    const DeviceSpec device = load_device_preset(name);
    double before = 0;
    double coarse_before = 0;
    int64_t waves_before = 0;
    for (int64_t m = 1024; m <= 16384; m += 1024) {
      const Plan plan =
          make_plan(Problem{{m, 4096, 2048}}, config_from("cta=128x128x64,stages=3"), device);
      const Estimate e = estimate(plan, device);
      const double coarse = coarse_us(plan, device);
      if (e.waves > waves_before) CHECK(e.us > before);
      CHECK(coarse >= coarse_before);
      waves_before = e.waves;
      before = e.us;
      coarse_before = coarse;
    }
  }
}

// The k-steps of every CTA, by what the timeline shows it do.
TEST_CASE("a timeline without times lasts as many k-steps as its longest CTA") {
  const DeviceSpec device = load_device_preset("a100");
  for (const char* const words :
       {"cta=128x128x64,stages=3", "cta=128x128x64,stages=3,decomposition=split-k:3",
        "cta=128x128x64,stages=3,decomposition=split-k:4:workspace",
        "cta=128x128x64,stages=3,decomposition=stream-k"}) {
    CAPTURE(words);
    const Plan plan = make_plan(Problem{{1536, 1280, 4096}}, config_from(words), device);
    std::vector<WorkSpan> spans;
    const Timeline timeline = predict_timeline(plan, device, &spans);
    CHECK(timeline.counts_k_steps);
    CHECK_FALSE(believed_us(timeline).has_value());
    CHECK(timeline.us >= static_cast<double>(report_schedule(plan).k_steps.max));
    double steps = 0;
    for (const WorkSpan& span : spans) {
      const double length = span.end_us - span.begin_us;
      CHECK(length == doctest::Approx(static_cast<double>(span.kind == SpanKind::MainLoop
                                                              ? span.work.k_end - span.work.k_begin
                                                          : span.kind == SpanKind::Waiting ? length
                                                                                           : 0)));
      if (span.kind == SpanKind::MainLoop) steps += length;
    }
    const auto whole = static_cast<double>(12 * 10 * (4096 / 64));
    CHECK(steps == doctest::Approx(whole));
  }
}

}  // namespace
}  // namespace tilewright
