#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "layout/smem/layout_access.hpp"
#include "stats/random.hpp"
#include "support/access_patterns.hpp"

namespace tilewright {
namespace {

using testing::access_of;

// The reference counts byte by byte.
TEST_CASE("sectors, lines and bytes agree with counting byte by byte") {
  Random random(3);
  for (const char* name : {"ld.u8", "ld.u16", "st.b32", "ld.v2", "st.v4"}) {
    const AccessOp op = parse_access_op(name);
    const int lanes_a_request = op.bytes <= 4 ? 32 : op.bytes == 8 ? 16 : 8;
    for (int i = 0; i < 1000; ++i) {
      const uint32_t range = uint32_t{1} << (1 + random.below(8));
      const WarpAccess access = access_of(name, [&](int) {
        return random.below(9) == 0 ? kInactive
                                    : static_cast<int64_t>(random.below(range)) * op.bytes;
      });
      std::set<std::pair<int, int64_t>> bytes;
      std::set<std::pair<int, int64_t>> sectors;
      std::set<std::pair<int, int64_t>> lines;
      for (int lane = 0; lane < kWarpLanes; ++lane) {
        const int64_t first = access.addresses[static_cast<size_t>(lane)];
        if (first == kInactive) continue;
        for (int64_t byte = first; byte < first + op.bytes; ++byte) {
          bytes.insert({lane / lanes_a_request, byte});
          sectors.insert({lane / lanes_a_request, byte / 32});
          lines.insert({lane / lanes_a_request, byte / 128});
        }
      }
      const Coalescing c = count_sectors(access);
      REQUIRE(c.bytes_used == static_cast<int64_t>(bytes.size()));
      REQUIRE(c.sectors == static_cast<int64_t>(sectors.size()));
      REQUIRE(c.lines == static_cast<int64_t>(lines.size()));
      REQUIRE(c.bytes_moved == 32 * c.sectors);
      REQUIRE(c.efficiency <= 1);
    }
  }
}

TEST_CASE("a row of floats takes one line; every second float wastes half, a column most") {
  const Coalescing row = count_sectors(access_of("ld.b32", [](int t) { return t * 4; }));
  CHECK(row == Coalescing{1, 4, 1, 128, 128, 1.0});
  const Coalescing second = count_sectors(access_of("ld.b32", [](int t) { return t * 8; }));
  CHECK(second == Coalescing{1, 8, 2, 128, 256, 0.5});
  const Coalescing column = count_sectors(access_of("ld.b32", [](int t) { return t * 4096; }));
  CHECK(column == Coalescing{1, 32, 32, 128, 1024, 0.125});
  // 16 bytes a lane make four requests of one line each.
  const Coalescing wide = count_sectors(access_of("ld.v4", [](int t) { return t * 16; }));
  CHECK(wide == Coalescing{4, 16, 4, 512, 512, 1.0});
  // Off by half a sector: one more sector and one more line.
  const Coalescing shifted = count_sectors(access_of("ld.b32", [](int t) { return 16 + t * 4; }));
  CHECK(shifted.sectors == 5);
  CHECK(shifted.lines == 2);
  CHECK(count_sectors(access_of("ld.b32", [](int) { return kInactive; })).efficiency == 1);
}

TEST_CASE("matrix instructions have no global form") {
  CHECK_THROWS_AS(count_sectors(access_of("ldmatrix.x4", [](int t) { return t * 16; })), Error);
}

}  // namespace
}  // namespace tilewright
