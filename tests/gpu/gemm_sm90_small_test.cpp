// Every mode of groups and of rank-k updates once, small enough for compute-sanitizer, which runs
// each by its name. The tests of the families have the modes of single products.
#include <doctest/doctest.h>

#include <string>

#include "support/group_bench.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

// Runs twice: a launch must leave turns, zeros and counters as it found them.
void check_small(const Workload& workload, const std::string& keys) {
  const TileConfig config = testing::sm90_config(keys, 3);
  const auto rejection = reject_workload(workload, config, testing::h200());
  REQUIRE_MESSAGE(!rejection, rejection->reason);
  testing::GroupBench bench(workload);
  for (int launch = 0; launch < 2; ++launch) {
    const Verification verification = bench.run(config);
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

void check_packed_rows(const std::string& keys) {
  check_small(testing::packed_group({70, 0, 1, 129}, 136, 72), keys);
}

void check_own_sizes(const std::string& keys) {
  check_small({.shapes = parse_shapes("130x72x64,0x8x8,16x264x200,64x64x0", {})}, keys);
}

// Only the first product's tiles are divided.
void check_parts(const std::string& decomposition) {
  check_small({.shapes = parse_shapes("200x136x520,64x72x64,0x8x512", {})},
              "cta=128x128x64,group_schedule=host-precompute,decomposition=" + decomposition);
}

void check_update(MatrixOp op, Uplo uplo) {
  check_small({.op = op, .uplo = uplo, .shapes = {{200, 200, 136}}}, "cta=128x128x64,raster=row");
}

TEST_CASE("small: packed rows found on the device") {
  check_packed_rows("cta=128x128x64,group_schedule=device-only");
}
TEST_CASE("small: packed rows by the host's table") {
  check_packed_rows("cta=128x128x64,group_schedule=host-precompute,problem_order=lpt");
}
TEST_CASE("small: packed rows by a counter") {
  check_packed_rows("cta=128x128x64,group_schedule=dynamic");
}
TEST_CASE("small: packed rows by a counter, with swap_ab and clusters") {
  check_packed_rows("cta=128x32x64,cluster=2x1,swap_ab=true,group_schedule=dynamic");
}
TEST_CASE("small: per-problem shapes found on the device") {
  check_own_sizes("cta=128x128x64,group_schedule=device-only");
}
TEST_CASE("small: per-problem shapes by the host's table") {
  check_own_sizes("cta=64x96x64,schedule=pingpong,group_schedule=host-precompute");
}
TEST_CASE("small: per-problem shapes by a counter") {
  check_own_sizes("cta=64x64x64,cluster=1x2,group_schedule=dynamic,problem_order=k-descending");
}
TEST_CASE("small: packed shares of K") {
  check_small({.kind = {.layout = MatrixLayout::NT},
               .shapes = {{136, 72, 64}, {136, 72, 0}, {136, 72, 200}}},
              "cta=64x64x64,group_schedule=device-only");
}
TEST_CASE("small: divided tiles of a group, serial") {
  check_parts("split-k:3:serial");
}
TEST_CASE("small: divided tiles of a group, atomic") {
  check_parts("split-k:3:atomic");
}
TEST_CASE("small: syrk") {
  check_update(MatrixOp::Syrk, Uplo::Lower);
}
TEST_CASE("small: syr2k") {
  check_update(MatrixOp::Syr2k, Uplo::Upper);
}
TEST_CASE("small: her2k") {
  check_update(MatrixOp::Her2k, Uplo::Lower);
}
TEST_CASE("small: mirrored syr2k") {
  check_update(MatrixOp::Syr2k, Uplo::Full);
}
TEST_CASE("small: group of updates") {
  check_small({.op = MatrixOp::Syr2k, .shapes = {{130, 130, 72}, {0, 0, 8}, {65, 65, 0}}},
              "cta=64x96x64,raster=swizzle-merge:1,group_schedule=device-only");
}

}  // namespace
}  // namespace tilewright
