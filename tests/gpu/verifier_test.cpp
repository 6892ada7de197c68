// Planted faults on the device that the sums over every tile, the red zones and the checksums must
// find.
#include "gpu/measure/verifier.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/error_message.hpp"
#include "support/gpu_bench.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::contains;

// So large that only some rows and columns are compared element by element.
const Problem kLarge{{2304, 2112, 1024}};

TileConfig plain_config() {
  return config_of(parse_config("family=sm90,cta=128x128x64,stages=4,raster=row"));
}

// Runs the product, writes `bits` over D at (row, column), and returns the verdict of the sums.
ProductVerdict sums_after(testing::GpuBench& bench, int64_t row, int64_t column, int64_t count,
                          uint16_t bits) {
  REQUIRE(bench.run(plain_config()).ok);
  const std::vector<uint16_t> written(static_cast<size_t>(count), bits);
  auto* const d = static_cast<uint16_t*>(bench.operands().d);
  copy_to_device(d + row * bench.problem().shape.n + column, written.data(), 2 * written.size());
  return bench.verifier().check_sums({});
}

TEST_CASE("right products pass the check of sums, for every layout and scaling") {
  for (const char* const layout : {"tn", "nn", "nt", "tt"}) {
    Problem problem = kLarge;
    problem.kind.layout = parse_matrix_layout(layout);
    testing::GpuBench bench(problem);
    CHECK(bench.run(plain_config()).detail == "");
    CHECK(bench.verifier().check_sums({}).ok());
  }
  testing::GpuBench bench(kLarge);
  CHECK(bench.run(plain_config(), {.alpha = 0.5F, .beta = -2}).detail == "");
}

TEST_CASE("one wrong element, a lost row of a tile and poison are found with their place") {
  testing::GpuBench bench(kLarge);
  constexpr uint16_t kHundred = 0x42C8;
  constexpr uint16_t kPoison = 0xFFFF;
  const ProductVerdict element = sums_after(bench, 1000, 777, 1, kHundred);
  CHECK(!element.ok());
  CHECK(element.first_row == 1000);
  CHECK(element.first_column == 777 / 64 * 64);
  CHECK(!sums_after(bench, 2303, 2111, 1, kHundred).ok());
  CHECK(!sums_after(bench, 640, 128, 128, 0).ok());
  CHECK(!sums_after(bench, 5, 5, 1, kPoison).ok());
}

TEST_CASE("a byte written beside D, or a changed operand, is a wrong result") {
  testing::GpuBench bench(kLarge);
  REQUIRE(bench.run(plain_config()).ok);
  const unsigned char stray = 0;
  auto* const d = static_cast<char*>(bench.operands().d);
  const int64_t bytes = kLarge.shape.m * kLarge.shape.n * 2;
  copy_to_device(d + bytes + 10, &stray, 1);
  CHECK(bench.verifier().find_stray_write() == "the kernel wrote a byte 10 behind D");
  copy_to_device(d + bytes + 10, &kRedZoneByte, 1);
  CHECK(bench.verifier().find_stray_write().empty());
  copy_to_device(d - 1, &stray, 1);
  CHECK(bench.verifier().find_stray_write() == "the kernel wrote a byte 1 before D");
  copy_to_device(d - 1, &kRedZoneByte, 1);
  const uint16_t changed = 0x3F80;
  copy_to_device(const_cast<void*>(bench.operands().b), &changed, sizeof(changed));
  CHECK(bench.verifier().find_stray_write() == "the kernel wrote to an operand");
}

}  // namespace
}  // namespace tilewright
