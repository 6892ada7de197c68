// Tests the number of sectors of D that two tiles share, by the addresses of all tiles' rows.
#include "model/output_sectors.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

double sectors_of(const GemmShape& shape, const char* config, DataType out = DataType::BF16) {
  ProductKind kind{.dtype = DataType::BF16};
  kind.epilogue.out_dtype = out;
  const TileConfig tile = config_of(parse_config(config));
  return shared_sectors(make_plan(Problem{shape, kind}, tile, testing::h200()));
}

// Tiles of `width` columns of 2 bytes.
int64_t rows_within_sectors(const GemmShape& shape, int64_t width) {
  int64_t count = 0;
  for (int64_t row = 0; row < shape.m; ++row) {
    for (int64_t column = 0; column < shape.n; column += width) {
      count += (row * shape.n + column) * 2 % 32 != 0 ? 1 : 0;
    }
  }
  return count;
}

TEST_CASE("two tiles share a sector wherever a row of a tile begins within one") {
  for (const int64_t width : {64, 96, 112, 120, 128, 136, 184}) {
    for (const int64_t n : {1024, 1032, 1040, 4088, 4096}) {
      CAPTURE(width);
      CAPTURE(n);
      const GemmShape shape{256, n, 512};
      const std::string config =
          "cta=128x" + std::to_string(width) + "x64,stages=4,schedule=cooperative";
      CHECK(sectors_of(shape, config.c_str()) == rows_within_sectors(shape, width));
    }
  }
}

TEST_CASE("whole sectors are shared by no tiles") {
  CHECK(sectors_of({4096, 4096, 512}, "cta=128x192x64,stages=4") == 0);
  // Eight columns of four bytes.
  CHECK(sectors_of({4096, 4096, 512}, "cta=128x184x64,stages=4", DataType::F32) == 0);
  // Rows of D lie along the tile's 128 rows.
  CHECK(sectors_of({4096, 4096, 512}, "cta=128x184x64,stages=4,swap_ab=true") == 0);
}

}  // namespace
}  // namespace tilewright
