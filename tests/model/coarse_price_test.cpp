#include "model/coarse_price.hpp"

#include <doctest/doctest.h>

#include <string>

#include "model/estimate.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

Workload workload(MatrixOp op, const char* shapes) {
  return {.op = op, .shapes = parse_shapes(shapes, op)};
}

TEST_CASE("the coarse price is near the fine one, for groups and triangles in every tile") {
  const DeviceSpec d = testing::h200();
  for (const Workload& w :
       {workload(MatrixOp::Gemm, "1024x2048x512,300x2048x512,4096x2048x512"),
        workload(MatrixOp::Gemm, "512x512x512,256x1024x2048,2048x256x256"),
        workload(MatrixOp::Syrk, "4096x4096x1024"), workload(MatrixOp::Syr2k, "2048x2048x512")}) {
    for (const char* const cta : {"64x64x64", "64x128x64", "128x128x64", "128x256x64"}) {
      CAPTURE(std::string(cta));
      TileConfig config;
      config.cta = parse_tile(cta);
      config.stages = 4;
      config.raster = parse_raster("swizzle-merge:4");
      const Plan plan = make_plan(w, config, d);
      const double fine = estimate(plan, d).us;
      CHECK(coarse_us(plan, d) > 0.5 * fine);
      CHECK(coarse_us(plan, d) < 2 * fine);
    }
  }
}

TEST_CASE("a deeper product never has the lower coarse price") {
  const DeviceSpec d = testing::h200();
  const TileConfig config{
      .cta = {128, 128, 64}, .cluster = {}, .stages = 4, .raster = parse_raster("row")};
  double before = 0;
  for (const char* const shapes : {"512x512x64,512x512x128", "512x512x128,512x512x512",
                                   "512x512x1024,512x512x512", "512x512x1024,512x512x4096"}) {
    const double us = coarse_us(make_plan(workload(MatrixOp::Gemm, shapes), config, d), d);
    CHECK(us > before);
    before = us;
  }
}

}  // namespace
}  // namespace tilewright
