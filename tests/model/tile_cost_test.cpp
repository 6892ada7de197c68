#include "model/tile_cost.hpp"

#include <doctest/doctest.h>

#include "model/price.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

TileConfig config_of(const char* cta, const char* cluster = "1x1", int stages = 4) {
  return {
      .cta = parse_tile(cta), .cluster = parse_cluster(cluster), .stages = stages, .raster = {}};
}

TEST_CASE("a stage costs at least the tensor core's clocks, and large tiles little more") {
  const DeviceSpec d = testing::h200();
  for (const int m : {64, 128, 192, 256}) {
    for (int n = 64; n <= 256; n += 16) {
      TileConfig c = config_of("128x256x64");
      c.cta = {m, n, 64};
      const double tensor = 2.0 * m * n * 64 / d.tensor_flops_per_clock_per_sm;
      CHECK(stage_clocks(c, d) >= tensor);
      if (m * n >= 128 * 192) CHECK(stage_clocks(c, d) < 1.15 * tensor);
    }
  }
  // 64x64 tiles want 128 bytes a clock and multiprocessor.
  CHECK(stage_clocks(config_of("64x64x64"), d) > 1.5 * 128);
}

TEST_CASE("more stages never cost, thin multicast slices do") {
  const DeviceSpec d = testing::h200();
  for (int stages = 2; stages < 8; ++stages) {
    CHECK(stage_clocks(config_of("64x128x64", "1x1", stages + 1), d) <=
          stage_clocks(config_of("64x128x64", "1x1", stages), d));
  }
  // Halves of 32 rows of A against halves of 128 columns of B.
  CHECK(stage_clocks(config_of("64x256x64", "1x2"), d) >
        1.01 * stage_clocks(config_of("64x256x64", "2x1"), d));
  CHECK(stage_clocks(config_of("128x256x64", "2x1"), d) ==
        stage_clocks(config_of("128x256x64", "1x1"), d));
}

// Of rows so many bytes apart, those that begin within a sector of 32 bytes.
double misaligned_of(int rows, int64_t row_bytes) {
  double misaligned = 0;
  for (int64_t row = 0; row < rows; ++row) misaligned += row * row_bytes % 32 == 0 ? 0 : 1;
  return misaligned;
}

double misaligned_of(const Problem& problem, const TileConfig& config) {
  return misaligned_rows(make_plan(problem, config, testing::h200()));
}

TEST_CASE("rows that begin within a sector are counted, and cost TMA and L2") {
  const TileConfig c = config_of("192x128x64");
  for (const int64_t k : {8, 16, 3000, 4096, 4104, 4112, 4128, 4160, 4224, 8200}) {
    CAPTURE(k);
    CHECK(misaligned_of({{4096, 4096, k}}, c) == misaligned_of(192 + 128, 2 * k));
  }
  const Problem odd{{3000, 3000, 3000}};
  // A cluster halves what each CTA asks for of the operand that it shares: 128 of 320 rows.
  CHECK(rows_of_stage(c) == 320);
  CHECK(rows_of_stage(config_of("192x128x64", "2x1")) == 320 - 64);
  CHECK(misaligned_of(odd, config_of("192x128x64", "2x1")) == misaligned_of(320 - 64, 6000));
  // Rows of an MN-major operand run along m; operands that TMA cannot address are copied to lines.
  const Problem nn{.shape = {4104, 4096, 4096}, .layout = MatrixLayout::NN};
  CHECK(misaligned_of(nn, c) == misaligned_of(192, 2 * 4104));
  CHECK(misaligned_of({.shape = {4104, 4096, 4096}, .layout = MatrixLayout::TN}, c) == 0);
  CHECK(misaligned_of({{4096, 4096, 4100}}, c) == 0);
  // An odd product is no cheaper than its even neighbours, and a lone CTA waits for TMA.
  for (const char* const tile : {"64x64x64", "128x128x64", "128x256x64"}) {
    CAPTURE(tile);
    const DeviceSpec d = testing::h200();
    const TileConfig config = config_of(tile);
    const double even = estimate({{2048, 2048, 2048}}, config, d).us;
    CHECK(estimate({{2048, 2048, 2040}}, config, d).us > 1.05 * even);
    CHECK(estimate({{2048, 2048, 2032}}, config, d).us <= even);
    CHECK(stage_clocks(config, d, {.misaligned_rows = 1000}) > 1000 * d.tile.misaligned_row_clocks);
  }
}

TEST_CASE("ping-pong hides epilogues but the last; odd widths store in more pieces") {
  TileConfig c = config_of("128x192x64");
  CHECK(exposed_epilogue_clocks(c, false) == epilogue_clocks(c));
  c.schedule = KernelSchedule::PingPong;
  CHECK(exposed_epilogue_clocks(c, true) == epilogue_clocks(c));
  CHECK(exposed_epilogue_clocks(c, false) < 0.5 * epilogue_clocks(c));
  // 200 columns are three stores of 64 and one of 8.
  CHECK(epilogue_clocks(config_of("128x200x64")) > epilogue_clocks(config_of("128x192x64")) + 100);
}

TEST_CASE("what a cluster shares counts less than twice, and without one nothing is added") {
  CHECK(multicast_overhead(config_of("128x256x64"), testing::h200()) == doctest::Approx(1));
  for (const char* const cluster : {"2x1", "1x2"}) {
    const double overhead = multicast_overhead(config_of("128x256x64", cluster), testing::h200());
    CHECK(overhead > 1);
    CHECK(overhead < 2);
  }
}

TEST_CASE("overlapping times are at least the greatest and at most the sum") {
  CHECK(overlapped(0, 0) == 0);
  CHECK(overlapped(5, 0) == doctest::Approx(5));
  CHECK(overlapped(5, 1, 2) >= 5);
  CHECK(overlapped(5, 5, 5) > 5);
  CHECK(overlapped(5, 5, 5) < 7);
}

}  // namespace
}  // namespace tilewright
